#!/bin/sh
# Solved if the form was sent with exactly what the card says.
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


people = ["Ada Berger", "Noel Winter", "Ruth Keller", "Omar Haddad", "Lena Novak", "Ivo Petrov", "Mia Larsen", "Hugo Costa"]
towns = ["Salzburg", "Lyon", "Porto", "Turin", "Ghent", "Malmo", "Krakow", "Bergen"]
wanted = [
    "Name: " + people[pick("name", 8)],
    "Town: " + towns[pick("town", 8)],
    f"Phone: 0{100 + pick('area', 900)} {10000 + pick('phone', 50000)}",
    "Size: " + ["small", "medium", "large"][pick("size", 3)],
    "Gift: " + ["no", "yes"][pick("gift", 2)],
]
lines = [line.strip() for line in read("form.txt").splitlines()]
if not lines:
    end(0, "the form was not sent")
wrong = [line.split(":")[0] for line in wanted if line not in lines]
end(1 - len(wrong) / 5, "wrong: " + ", ".join(wrong) if wrong else "the form is right")
END
