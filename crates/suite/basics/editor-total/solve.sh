#!/bin/sh
# Adds the total at the end and saves.
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


prices = [2 + pick(f"price-{i}", 18) for i in shuffle("thing", 8)[:4]]
window("expenses.txt")
xdo("key", "ctrl+End")
write(f"Total: {sum(prices)}")
xdo("key", "ctrl+s")
time.sleep(0.7)
END
