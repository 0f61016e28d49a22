#!/bin/sh
# Solved if the installer got the right answers.
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


birds = ["heron", "merlin", "osprey", "plover", "robin", "siskin", "thrush", "wagtail"]
wanted = ["y", "French", "/opt/kestrel", f"{birds[pick('bird', 8)]}{100 + pick('number', 900)}"]
lines = read("install.txt").splitlines()
if not lines:
    end(0, "the installer did not end")
names = ["install", "language", "folder", "confirmation"]
wrong = [name for i, name in enumerate(names) if lines[i:i + 1] != wanted[i:i + 1]]
end(1 - len(wrong) / 4, "wrong: " + ", ".join(wrong) if wrong else "all answers are right")
END
