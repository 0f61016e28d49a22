#!/bin/sh
# Writes the letter again, without the mistake, and saves it.
exec python3 -I - <<'END'
import os, subprocess, time, zlib


def pick(word, n):
    """Returns a number from 0 to n-1 that depends only on the seed and the word."""
    return zlib.crc32(f"{os.environ['SUITE_SEED']}/{word}".encode()) % 65521 % n


def shuffle(word, n):
    """Returns the numbers from 0 to n-1 in an order that depends only on the seed and the word."""
    return sorted(range(n), key=lambda i: pick(f"{word}-{i}", 65521))


def xdo(*words):
    """Runs xdotool and returns what it prints."""
    return subprocess.run(["xdotool", *map(str, words)], check=True, capture_output=True, text=True).stdout


def window(title):
    """Waits for the window with this title, brings it to the front, and returns its number."""
    number = xdo("search", "--sync", "--onlyvisible", "--name", title).split()[-1]
    xdo("windowactivate", "--sync", number)
    time.sleep(0.3)
    return number


def write(text):
    """Types a text, slowly enough for every program."""
    xdo("type", "--delay", 30, text)
    time.sleep(0.3)


sentences = ["We had a wonderful summer.", "The weather was sunny and warm.", "My brother sold his bicycle.",
             "The neighbours painted their fence.", "Our kitchen has a new window.", "I am reading a book about birds."]
text = "Dear Paula,\n\n" + "\n".join(sentences[i] for i in shuffle("sentence", 6)) + "\n\nYours, Martin"
window("letter.txt")
xdo("key", "ctrl+a")
for line in text.splitlines():
    if line:
        write(line)
    xdo("key", "Return")
xdo("key", "ctrl+s")
time.sleep(0.7)
END
