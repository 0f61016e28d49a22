"""A turn on a canvas as a chain of processes: the loop starts one that runs the reply's block, and that starts one to draw.

A plain recreation of such a chain with Pillow. `chain.py loop DIRECTORY` reads the number of a turn from each line on
stdin, and answers with the microseconds that the turn took, not counting the model.
"""

import base64
import io
import json
import pathlib
import re
import subprocess
import sys
import time

CANVAS, PICTURE = (1920, 1080), (512, 288)
DRAGS = [
    (350, 350, 370, 190),
    (370, 190, 430, 300),
    (430, 300, 570, 300),
    (570, 300, 630, 190),
    (630, 190, 650, 350),
    (650, 350, 660, 500),
    (660, 500, 600, 640),
    (600, 640, 500, 680),
]


def ask(stage, directory, question):
    command = [sys.executable, __file__, stage, str(directory)]
    done = subprocess.run(command, input=json.dumps(question), capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def loop(directory):
    print("ready", flush=True)
    block = "\n".join(f"drag{drag}" for drag in DRAGS)
    for line in sys.stdin:
        began = time.perf_counter()
        turn, story = int(line), f"Turn {int(line)}.\n```python\n{block}\n```"
        told = ask("execute", directory, {"raw": story})
        body = json.dumps({"messages": [story, told["feedback"], told["picture"]]})
        (directory / f"turn_{turn:04}.png").write_bytes(base64.b64decode(told["picture"]))
        with open(directory / "turns.jsonl", "a") as turns:
            turns.write(json.dumps({"turn": turn, "story": story, "feedback": told["feedback"]}) + "\n")
        (directory / "state.json").write_text(json.dumps({"turn": turn, "story": story, "body": len(body)}))
        print(round((time.perf_counter() - began) * 1e6), flush=True)


def execute(directory):
    block = re.search(r"```python\n(.*?)```", json.load(sys.stdin)["raw"], re.S).group(1)
    actions = []
    exec(block, {"__builtins__": {}, "drag": lambda *corners: actions.append(corners)})
    told = ask("capture", directory, {"actions": actions})
    feedback = f"OK: {len(actions)} actions executed."
    print(json.dumps({"feedback": feedback, "picture": told["picture"]}))


def capture(directory):
    from PIL import Image, ImageDraw

    actions, file = json.load(sys.stdin)["actions"], directory / "canvas.bmp"
    canvas = Image.open(file).convert("RGB") if file.exists() else Image.new("RGB", CANVAS)
    strokes(ImageDraw.Draw(canvas), actions, CANVAS, "white", 9)
    canvas.save(file)
    picture = canvas.resize(PICTURE, Image.Resampling.BICUBIC)
    draw = ImageDraw.Draw(picture)
    strokes(draw, actions, PICTURE, "red", 1)
    for number, (x, y, *_) in enumerate(actions):
        draw.text(place(x, y, PICTURE), str(number + 1), fill="yellow")
    png = io.BytesIO()
    picture.save(png, "PNG", compress_level=1)
    print(json.dumps({"picture": base64.b64encode(png.getvalue()).decode()}))


def strokes(draw, actions, size, colour, width):
    for x1, y1, x2, y2 in actions:
        draw.line([place(x1, y1, size), place(x2, y2, size)], fill=colour, width=width)


def place(x, y, size):
    return (x * (size[0] - 1) / 1000, y * (size[1] - 1) / 1000)


{"loop": loop, "execute": execute, "capture": capture}[sys.argv[1]](pathlib.Path(sys.argv[2]))
