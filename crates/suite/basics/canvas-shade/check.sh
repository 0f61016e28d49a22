#!/bin/sh
# Solved if lines fill the frame, and nothing else was drawn.
exec python3 -I - <<'END'
import json, os, re, stat, sys, zlib


def pick(word, n):
    """Returns a number from 0 to n-1 that depends only on the seed and the word."""
    return zlib.crc32(f"{os.environ['SUITE_SEED']}/{word}".encode()) % 65521 % n


def frame():
    """Returns the sides of the frame to fill: left, top, right and bottom."""
    left, top = 60 + pick("left", 500), 60 + pick("top", 400)
    return left, top, left + 280 + pick("width", 100), top + 320 + pick("height", 120)


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


def strokes():
    """Returns the clicks, the lines and the number of texts that the model drew; coordinates go from 0 to 1000."""
    clicks, lines, texts = [], [], 0
    journal = os.path.join(os.environ.get("SUITE_RUN", "."), "canvas.jsonl")
    for line in read(journal, 2_000_000).splitlines()[:5000]:
        try:
            entry = json.loads(line)
            action = entry["action"]
            name, arguments = action.split("(", 1)
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            continue
        if entry.get("turn") == 0:
            continue  # It was there at the start.
        numbers = [float(number) for number in re.findall(r"\d{1,4}(?:\.\d{1,2})?", arguments)][:200]
        points = list(zip(numbers[0::2], numbers[1::2]))
        if name.endswith("click") and points:
            clicks.append(points[0])
        elif name == "drag":
            lines += zip(points, points[1:])
        elif name == "type":
            texts += 1
    return clicks, lines[:1000], texts


clicks, lines, texts = strokes()
if not clicks and not lines and not texts:
    end(0, "nothing was drawn")
left, top, right, bottom = frame()
rows, strays = set(), len(clicks) + texts
for (x1, y1), (x2, y2) in lines:
    low, high = sorted([x1, x2])
    if low < left - 25 or high > right + 25 or not top - 25 <= (y1 + y2) / 2 <= bottom + 25 or abs(y1 - y2) > 20:
        strays += 1
    elif low <= left + 50 and high >= right - 50:
        rows.add(round((y1 + y2) / 2))
steps = sorted(rows)
gap = max(after - before for before, after in zip([top, *steps], [*steps, bottom]))
if len(rows) < 8 or gap > 90:
    end(min(len(rows), 8) * 0.07, f"{len(rows)} long lines are in the frame, with a largest gap of {gap}")
if strays:
    end(0.7, "there is something else on the canvas")
end(1, "the frame is filled with lines")
END
