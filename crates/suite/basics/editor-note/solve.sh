#!/bin/sh
# Writes the message into the editor and saves it.
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


def write(text):
    """Types a text, slowly enough for every program."""
    xdo("type", "--delay", 30, text)
    time.sleep(0.3)


names = ["Alvarez", "Bennett", "Castell", "Dubois", "Erikson", "Fischer", "Gallo", "Horvat"]
days = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
window("note.txt")
for line in [
    f"{names[pick('name', 8)]} called at {8 + pick('hour', 10)}:{10 + pick('minute', 50)}.",
    f"New date: {days[pick('day', 6)]}, room {100 + pick('room', 800)}",
    f"Reference #{1000 + pick('first', 9000)}/{10 + pick('second', 90)}-B",
]:
    write(line)
    xdo("key", "Return")
xdo("key", "ctrl+s")
time.sleep(0.7)
END
