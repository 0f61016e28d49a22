#!/bin/sh
# Requests the code, waits for it, and confirms it.
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


def write(text):
    """Types a text, slowly enough for every program."""
    xdo("type", "--delay", 30, text)
    time.sleep(0.3)


number = window("Log in")
click(number, 150, 53)
time.sleep(4 + pick("seconds", 5) + 0.5)
click(number, 230, 184)
write(str(100000 + pick("high", 900) * 1000 + pick("low", 1000)))
click(number, 115, 273)
END
