# Fills the folder letters and opens a terminal in it.
import os, zlib
from pathlib import Path


def pick(word, n):
    """Returns a number from 0 to n-1 that depends only on the seed and the word."""
    return zlib.crc32(f"{os.environ['SUITE_SEED']}/{word}".encode()) % 65521 % n


def shuffle(word, n):
    """Returns the numbers from 0 to n-1 in an order that depends only on the seed and the word."""
    return sorted(range(n), key=lambda i: pick(f"{word}-{i}", 65521))


nouns = ["bridge", "castle", "ferry", "garden", "harbour", "island", "market", "museum", "railway", "station", "tower", "valley"]
os.makedirs("letters", exist_ok=True)
for i in shuffle("noun", 12)[:6]:
    Path(f"letters/{nouns[i]}.txt").write_text(f"This letter is about the {nouns[i]}.\n")
os.environ["PS1"] = "$ "
os.chdir("letters")
from_left = 20 if pick("sides", 2) else 800
place = f"54x18+{from_left + pick('x', 80)}+{20 + pick('y', 380)}"
os.execvp("xterm", ["xterm", "-T", "Terminal", "-fa", "DejaVu Sans Mono", "-fs", "14", "-geometry", place,
                    "-e", "bash", "--norc", "--noprofile"])
