"""Makes a picture of each task for the documentation: its start on the left, its end on the right.

Arguments: the folder with NAME.start.png and NAME.end.png, and the folder for NAME.jpg.
"""
import sys
from pathlib import Path

from PIL import Image

pictures, target = map(Path, sys.argv[1:])
target.mkdir(exist_ok=True)
size, gap = (784, 448), 16
for start in sorted(pictures.glob("*.start.png")):
    name = start.name.removesuffix(".start.png")
    sheet = Image.new("RGB", (2 * size[0] + gap, size[1]), "white")
    for left, picture in [(0, start), (size[0] + gap, start.with_name(f"{name}.end.png"))]:
        sheet.paste(Image.open(picture).convert("RGB").resize(size, Image.Resampling.LANCZOS), (left, 0))
    sheet.save(target / f"{name}.jpg", quality=70, optimize=True)
