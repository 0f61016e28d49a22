#!/bin/sh
# Solved if the red disc is completely inside the box and all other discs are where they were.
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


fields = shuffle("field", 12)


def middle(field):
    return field % 4 * 180 + 90, field // 4 * 172 + 86


places = {}
for line in read("discs.txt").splitlines()[:10]:
    words = line.split()
    try:
        places[words[0]] = int(words[1]), int(words[2])
    except (IndexError, ValueError):
        pass
if "red" not in places:
    end(0, "no disc was moved")
for colour, field in zip(["blue", "green", "orange", "purple"], fields[2:6]):
    if places.get(colour) != middle(field):
        end(0.2, f"the {colour} disc was moved")
box = middle(fields[0])
across, down = abs(places["red"][0] - box[0]), abs(places["red"][1] - box[1])
if places["red"] == middle(fields[1]):
    end(0, "the red disc was not moved")
if across > 52 or down > 48:
    end(0.5, "the red disc is not completely inside the box")
end(1, "the red disc is in the box")
END
