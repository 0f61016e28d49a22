#!/bin/sh
# Solved if the city with snow was chosen.
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


cities = ["Lisbon", "Lisburn", "Leeds", "Lima", "Lille", "Linz", "Livorno", "Limassol", "Limerick", "Leiria", "Lublin",
          "Lugano", "Lucerne", "Lusaka", "Leon", "Luanda"]
chosen = read("choice.txt").strip()
if not chosen:
    end(0, "no city was chosen")
if chosen != cities[pick("snow", 16)]:
    end(0.2, "the wrong city was chosen")
end(1, "the city with snow was chosen")
END
