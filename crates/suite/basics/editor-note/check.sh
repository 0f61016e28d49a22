#!/bin/sh
# Solved if the saved note is the message, line by line.
exec python3 -I - <<'END'
import json, os, stat, sys, zlib


def pick(word, n):
    """Returns a number from 0 to n-1 that depends only on the seed and the word."""
    return zlib.crc32(f"{os.environ['SUITE_SEED']}/{word}".encode()) % 65521 % n


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


names = ["Alvarez", "Bennett", "Castell", "Dubois", "Erikson", "Fischer", "Gallo", "Horvat"]
days = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
wanted = [
    f"{names[pick('name', 8)]} called at {8 + pick('hour', 10)}:{10 + pick('minute', 50)}.",
    f"New date: {days[pick('day', 6)]}, room {100 + pick('room', 800)}",
    f"Reference #{1000 + pick('first', 9000)}/{10 + pick('second', 90)}-B",
]
lines = [line.rstrip() for line in read("note.txt").strip().splitlines()]
if not lines:
    end(0, "nothing was saved")
good = sum(line in lines for line in wanted)
if lines == wanted:
    end(1, "the note is right")
end(min(good * 0.3, 0.8), f"{good} of 3 lines are right" if good < 3 else "there is more than the three lines")
END
