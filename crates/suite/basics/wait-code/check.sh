#!/bin/sh
# Solved if the code from the phone was confirmed, with at most one wrong code before it.
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


code = str(100000 + pick("high", 900) * 1000 + pick("low", 1000))
given = read("code.txt").splitlines()
if not given:
    end(0, "no code was confirmed")
if given[-1] != code:
    end(0.2, "the confirmed code is wrong")
if len([text for text in given if text != code]) > 1:
    end(0.5, "more than one wrong code was tried")
end(1, "the code is right")
END
