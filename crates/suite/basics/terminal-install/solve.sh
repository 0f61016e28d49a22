#!/bin/sh
# Answers the installer's questions.
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


languages = ["Dutch", "English", "French", "German", "Italian", "Polish", "Spanish"]
shown = [languages[i] for i in shuffle("language", 7)]
birds = ["heron", "merlin", "osprey", "plover", "robin", "siskin", "thrush", "wagtail"]
window("^Terminal$")
for answer in ["y", str(shown.index("French") + 1), "", f"{birds[pick('bird', 8)]}{100 + pick('number', 900)}", "y"]:
    if answer:
        write(answer)
    xdo("key", "Return")
    time.sleep(0.3)
END
