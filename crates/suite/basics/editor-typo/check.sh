#!/bin/sh
# Solved if the misspelled word was corrected and the rest of the letter is as it was.
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


sentences = ["We had a wonderful summer.", "The weather was sunny and warm.", "My brother sold his bicycle.",
             "The neighbours painted their fence.", "Our kitchen has a new window.", "I am reading a book about birds."]
words = ["wonderful", "weather", "bicycle", "neighbours", "kitchen", "reading"]
order = shuffle("sentence", 6)
wanted = "Dear Paula,\n\n" + "\n".join(sentences[i] for i in order) + "\n\nYours, Martin"
text = read("letter.txt").rstrip()
if text == wanted:
    end(1, "the letter is right")
right = sentences[pick("wrong", 6)] in text.splitlines()
end(0.5 if right else 0, "the word is right, but the letter was changed elsewhere" if right else "the word is still wrong in the file")
END
