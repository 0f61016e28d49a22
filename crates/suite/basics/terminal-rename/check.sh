#!/bin/sh
# Solved if exactly the three files of the note were renamed.
exec python3 -I - <<'END'
import json, os, stat, sys, zlib


def pick(word, n):
    """Returns a number from 0 to n-1 that depends only on the seed and the word."""
    return zlib.crc32(f"{os.environ['SUITE_SEED']}/{word}".encode()) % 65521 % n


def shuffle(word, n):
    """Returns the numbers from 0 to n-1 in an order that depends only on the seed and the word."""
    return sorted(range(n), key=lambda i: pick(f"{word}-{i}", 65521))


def read(path, most=100_000):
    """Returns the beginning of a file as text; the text is empty if there is no such file."""
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            return ""
        with open(path, "rb") as file:
            return file.read(most).decode("utf-8", "replace")
    except OSError:
        return ""


def end(score, why):
    """Reports the score and ends. Only the full score of 1 counts as solved."""
    print(json.dumps({"score": round(score, 2), "why": why}))
    sys.exit(0 if score == 1 else 1)


nouns = ["bridge", "castle", "ferry", "garden", "harbour", "island", "market", "museum", "railway", "station", "tower", "valley"]
chosen = shuffle("noun", 12)
wanted = {}
for i in range(6):
    name = f"{nouns[chosen[i]]}.txt"
    if i < 3:
        name = f"{nouns[chosen[i + 6]]}-{1950 + pick(f'year-{i}', 70)}.txt"
    wanted[name] = f"This letter is about the {nouns[chosen[i]]}.\n"
try:
    names = set(os.listdir("letters"))
except OSError:
    end(0, "the folder letters is gone")
if len(names) > 100:
    end(0, "the folder letters holds too many files")
good = [name for name, text in wanted.items() if read(f"letters/{name}") == text]
renamed = [name for name in good if "-" in name]
if len(good) < 6 or names != set(wanted):
    end(len(renamed) * 0.25, f"{len(renamed)} of 3 files were renamed; the folder is not as it should be")
end(1, "the three files were renamed")
END
