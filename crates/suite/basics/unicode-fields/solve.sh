#!/bin/sh
# Types each word into the field of its language.
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


def paste(text):
    """Pastes a text: not every keyboard has keys for it."""
    subprocess.run(["xclip", "-selection", "clipboard"], input=text, check=True, text=True, stdout=subprocess.DEVNULL)
    xdo("key", "ctrl+v", "sleep", 0.5)


def click(number, x, y):
    """Clicks at a place in a window."""
    xdo("mousemove", "--window", number, int(x), int(y), "sleep", 0.1, "click", 1, "sleep", 0.2)


words = ["Ελλάδα", "日本語", "Żółć", "Привет"]
number = window("Words in four languages")
for row, i in enumerate(shuffle("order", 4)):
    click(number, 390, 25 + 66 * row + 24)
    paste(words[i])
click(number, 280, 328)
END
