# Asks for a city in a dialog until one is chosen, and writes it to choice.txt.
import os, subprocess, zlib
from pathlib import Path


def pick(word, n):
    """Returns a number from 0 to n-1 that depends only on the seed and the word."""
    return zlib.crc32(f"{os.environ['SUITE_SEED']}/{word}".encode()) % 65521 % n


def shuffle(word, n):
    """Returns the numbers from 0 to n-1 in an order that depends only on the seed and the word."""
    return sorted(range(n), key=lambda i: pick(f"{word}-{i}", 65521))


cities = ["Lisbon", "Lisburn", "Leeds", "Lima", "Lille", "Linz", "Livorno", "Limassol", "Limerick", "Leiria", "Lublin",
          "Lugano", "Lucerne", "Lusaka", "Leon", "Luanda"]
fonts = Path(".config/gtk-3.0/settings.ini")
fonts.parent.mkdir(parents=True, exist_ok=True)
fonts.write_text("[Settings]\ngtk-font-name=DejaVu Sans 14\n")
os.environ["XDG_CONFIG_HOME"] = os.path.abspath(".config")
rows = []
weather = ["sun", "rain", "wind", "fog", "clouds", "storm"]
for i in shuffle("city", 16):
    rows += [cities[i], "snow" if i == pick("snow", 16) else weather[pick(f"weather-{i}", 6)]]
for attempt in range(20):
    size = [f"--width={440 + 20 * pick('width', 15)}", f"--height={400 + 20 * pick('height', 8)}"]
    dialog = subprocess.run(["zenity", "--list", "--title=Cities", "--text=Choose a city.", "--column=City",
                             "--column=Weather", *size, *rows], stdout=subprocess.PIPE, text=True)
    # After a double click, some versions print the row twice, with a bar in between.
    chosen = dialog.stdout.strip().split("|")[0]
    if dialog.returncode == 0 and chosen:
        Path("choice.new").write_text(chosen + "\n")
        os.replace("choice.new", "choice.txt")
        break
