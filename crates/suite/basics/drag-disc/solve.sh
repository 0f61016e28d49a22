#!/bin/sh
# Drags the red disc into the box.
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


fields = shuffle("field", 12)


def middle(field):
    return field % 4 * 180 + 90, field // 4 * 172 + 86


number = window("Discs and a box")
xdo("mousemove", "--window", number, *middle(fields[1]), "sleep", 0.1, "mousedown", 1)
(x1, y1), (x2, y2) = middle(fields[1]), middle(fields[0])
for step in range(1, 11):
    xdo("mousemove", "--window", number, x1 + (x2 - x1) * step // 10, y1 + (y2 - y1) * step // 10, "sleep", 0.03)
xdo("mouseup", 1)
END
