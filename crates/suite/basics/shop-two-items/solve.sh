#!/bin/sh
# Turns the pages to both things and puts them in the cart.
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


def tabs(count):
    """Presses Tab this many times, then Enter."""
    for step in range(count):
        xdo("key", "Tab", "sleep", 0.05)
    xdo("key", "Return")


order = shuffle("thing", 28)
first = pick("first", 28)
for count, thing in enumerate([first, (first + 1 + pick("second", 27)) % 28]):
    window(f"Shop: things, {count}")
    # Home is the third place that Tab reaches.
    tabs(3)
    time.sleep(1)
    page, row = divmod(order.index(thing), 7)
    for turn in range(page):
        # Each page has five places, seven buttons, and, except for the first page, the link to the previous page.
        tabs(5 + 7 + (turn > 0) + 1)
        time.sleep(1)
    tabs(5 + row + 1)
window("Shop: things, 2")
END
