#!/bin/sh
# Goes to the end of the text, types the keyword and presses the button.
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


trees = ["maple", "cedar", "birch", "hazel", "aspen", "linden", "walnut", "willow"]
number = window("Terms of use")
click(number, 300, 200)
xdo("mousemove", "--window", number, 666, 20, "mousedown", 1)
xdo("mousemove", "--window", number, 666, 555, "sleep", 0.2, "mouseup", 1, "sleep", 0.2)
xdo("mousemove", "--window", number, 300, 200, "click", "--repeat", 100, "--delay", 5, 5, "sleep", 0.3)
click(number, 250, 427)
write(f"{trees[pick('tree', 8)]}-{100 + pick('code', 900)}")
click(number, 80, 495)
END
