#!/bin/sh
# Solved if each box has a dot in its middle, and nothing else was drawn.
exec python3 -I - <<'END'
import json, os, re, stat, sys, zlib


def pick(word, n):
    """Returns a number from 0 to n-1 that depends only on the seed and the word."""
    return zlib.crc32(f"{os.environ['SUITE_SEED']}/{word}".encode()) % 65521 % n


def shuffle(word, n):
    """Returns the numbers from 0 to n-1 in an order that depends only on the seed and the word."""
    return sorted(range(n), key=lambda i: pick(f"{word}-{i}", 65521))


def places():
    """Returns the middles of the boxes, each in a field of its own."""
    fields = shuffle("field", 12)[:3 + pick("count", 4)]
    left, top = [110 + field % 4 * 250 for field in fields], [140 + field // 4 * 330 for field in fields]
    return [(x + pick(f"x-{x}-{y}", 30), y + pick(f"y-{x}-{y}", 60)) for x, y in zip(left, top)]


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
wanted = places()
near = lambda a, b: abs(a[0] - b[0]) <= 30 and abs(a[1] - b[1]) <= 30
good = sum(any(near(click, place) for click in clicks) for place in wanted)
if good < len(wanted):
    end(good / len(wanted) / 2, f"{good} of {len(wanted)} boxes have a dot in the middle")
if len(clicks) > len(wanted) or lines or texts:
    end(0.6, "there is more than a dot in each box")
end(1, "each box has its dot")
END
