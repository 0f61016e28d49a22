#!/bin/sh
# Solved if both sliders have the values that the window asks for.
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


good, wrong = 0, []
lines = read("sliders.txt").splitlines()
for name in ["Brightness", "Volume"]:
    wanted = 15 + pick(f"wanted-{name}", 70)
    if f"{name} {wanted}" in lines:
        good += 1
    else:
        wrong.append(f"{name} is not {wanted}")
end(good / 2, ", ".join(wrong) or "both sliders are right")
END
