#!/bin/sh
# Solved if an X completes the row, and nothing else was drawn.
exec python3 -I - <<'END'
import json, os, re, stat, sys, zlib


def pick(word, n):
    """Returns a number from 0 to n-1 that depends only on the seed and the word."""
    return zlib.crc32(f"{os.environ['SUITE_SEED']}/{word}".encode()) % 65521 % n


def shuffle(word, n):
    """Returns the numbers from 0 to n-1 in an order that depends only on the seed and the word."""
    return sorted(range(n), key=lambda i: pick(f"{word}-{i}", 65521))


ROWS = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


def game():
    """Returns the fields with an X, the fields with an O, and the empty field that completes a row of three X."""
    row = ROWS[pick("row", 8)]
    last = row[pick("last", 3)]
    crosses = [field for field in row if field != last]
    others = [field for field in shuffle("circle", 9) if field not in row]
    wins = lambda circles: any(len(set(circles) & set(line)) == 2 and not set(crosses) & set(line) for line in ROWS)
    for second in others[1:]:
        if not wins([others[0], second]):
            return crosses, [others[0], second], last
    return crosses, others[:1], last


def middle(field):
    """Returns the middle of a field."""
    return 250 + field % 3 * 250, 250 + field // 3 * 250


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
x, y = middle(game()[2])
rising = set()
strays = len(clicks) + texts
for (x1, y1), (x2, y2) in lines:
    inside = all(abs(a - x) <= 120 and abs(b - y) <= 120 for a, b in [(x1, y1), (x2, y2)])
    if inside and abs(x1 - x2) >= 60 and abs(y1 - y2) >= 60:
        rising.add((x1 < x2) == (y1 > y2))
    else:
        strays += 1
if len(rising) < 2:
    end(0.3 * len(rising), f"{len(rising)} of 2 lines of the X are in the field that completes the row")
if strays or len(lines) > 2:
    end(0.7, "there is more than the X")
end(1, "the X completes the row")
END
