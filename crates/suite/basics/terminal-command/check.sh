#!/bin/sh
# Solved if the command was run exactly as shown.
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


trees = ["birch", "cedar", "hazel", "linden", "maple", "rowan", "walnut", "willow"]
words = ["two boxes", "one sack", "six crates", "four pallets", "nine bundles"]
wanted = [f"--tree={trees[pick('tree', 8)]}", f"--order=K{1000 + pick('order', 9000)}", words[pick("words", 5)]]
lines = read("delivered.txt").splitlines()
if not lines:
    end(0, "the command was not run")
if lines != wanted:
    good = sum(line in wanted for line in set(lines))
    end(min(good, 2) * 0.3, "the command was not run exactly as shown")
end(1, "the command was run")
END
