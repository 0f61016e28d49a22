#!/bin/sh
# Solved if the list has the right total as its last line, and is otherwise as it was.
exec python3 -I - <<'END'
import json, os, stat, sys, zlib


def pick(word, n):
    """Returns a number from 0 to n-1 that depends only on the seed and the word."""
    return zlib.crc32(f"{os.environ['SUITE_SEED']}/{word}".encode()) % 65521 % n


def shuffle(word, n):
    """Returns the numbers from 0 to n-1 in an order that depends only on the seed and the word."""
    return sorted(range(n), key=lambda i: pick(f"{word}-{i}", 65521))


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


things = ["Bread", "Cheese", "Honey", "Lamp oil", "Paint", "Ribbon", "Soap", "Tea"]
chosen = shuffle("thing", 8)[:4]
prices = [2 + pick(f"price-{i}", 18) for i in chosen]
wanted = [f"{things[i]}: {price}" for i, price in zip(chosen, prices)]
lines = [line.rstrip() for line in read("expenses.txt").splitlines() if line.strip()]
if lines[:4] != wanted:
    end(0, "the list was changed")
if len(lines) == 4:
    end(0, "no line was added to the file")
if lines[4:] != [f"Total: {sum(prices)}"]:
    end(0.4, "the added line is not the right total")
end(1, "the total is right")
END
