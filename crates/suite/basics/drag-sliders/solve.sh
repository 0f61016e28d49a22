#!/bin/sh
# Drags each slider to its value.
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


names = ["Brightness", "Volume"]
number = window("Light and sound")
for row, i in enumerate(shuffle("order", 2)):
    wanted = 15 + pick(f"wanted-{names[i]}", 70)
    value = (wanted + 25 + pick(f"start-{names[i]}", 50)) % 101
    y = 90 + 150 * row + 30 + 55
    # The borders take 6 pixels on each side and the knob takes 40, which leaves 588 for its middle.
    place = lambda value: 30 + 6 + 20 + round(value * 588 / 100)
    x1, x2 = place(value), place(wanted)
    xdo("mousemove", "--window", number, x1, y, "sleep", 0.1, "mousedown", 1, "sleep", 0.1)
    for step in range(1, 11):
        xdo("mousemove", "--window", number, x1 + (x2 - x1) * step // 10, y, "sleep", 0.03)
    xdo("mouseup", 1)
END
