#!/bin/sh
# Types the command.
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


trees = ["birch", "cedar", "hazel", "linden", "maple", "rowan", "walnut", "willow"]
words = ["two boxes", "one sack", "six crates", "four pallets", "nine bundles"]
window("^Terminal$")
write(f"sh deliver.sh --tree={trees[pick('tree', 8)]} --order=K{1000 + pick('order', 9000)} \"{words[pick('words', 5)]}\"")
xdo("key", "Return")
time.sleep(0.5)
END
