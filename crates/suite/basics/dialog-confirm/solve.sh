#!/bin/sh
# Answers both questions. The two windows have the same title, so they are told apart by their sides.
exec python3 -I - <<'END'
import os, subprocess, time, zlib


def pick(word, n):
    """Returns a number from 0 to n-1 that depends only on the seed and the word."""
    return zlib.crc32(f"{os.environ['SUITE_SEED']}/{word}".encode()) % 65521 % n


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


xdo("search", "--sync", "--onlyvisible", "--name", "^Question$")
left_of = lambda number: int(xdo("getwindowgeometry", "--shell", number).split("X=")[1].split()[0])
numbers = sorted(xdo("search", "--onlyvisible", "--name", "^Question$").split(), key=left_of)
keep, delete = numbers if pick("sides", 2) else numbers[::-1]
for number, verb, answer in [(keep, "keep", "Yes"), (delete, "delete", "No")]:
    places = [60, 320] if pick(f"buttons-{verb}", 2) else [320, 60]
    xdo("windowactivate", "--sync", number)
    click(number, places[["Yes", "No"].index(answer)] + 90, 160)
END
