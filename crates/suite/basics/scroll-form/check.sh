#!/bin/sh
# Solved if the button was pressed with the right keyword in the field.
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


trees = ["maple", "cedar", "birch", "hazel", "aspen", "linden", "walnut", "willow"]
wanted = f"{trees[pick('tree', 8)]}-{100 + pick('code', 900)}"
if not os.path.exists("agreed.txt"):
    end(0, "the button was not pressed")
given = read("agreed.txt").strip()
if not given:
    end(0.2, "the button was pressed without a keyword")
if given != wanted:
    end(0.3, "the keyword is wrong")
end(1, "the keyword is right")
END
