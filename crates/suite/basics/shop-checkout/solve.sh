#!/bin/sh
# Goes to the checkout, types the address and places the order.
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


def tabs(count):
    """Presses Tab this many times, then Enter."""
    for step in range(count):
        xdo("key", "Tab", "sleep", 0.05)
    xdo("key", "Return")


names = ["Clara Hofmann", "Jonas Weber", "Emma Laurent", "Pavel Dvorak", "Sofia Rossi", "Lars Nygaard"]
streets = ["Mill Lane", "Station Road", "Park Avenue", "Church Street", "Harbour Way", "Garden Row"]
towns = ["Ashford", "Bexley", "Colwick", "Dunmore", "Elmton", "Fernley"]
window("Shop: things, 1")
# The cart is the fourth place that Tab reaches. There, the button that removes the chair and the link follow it.
tabs(4)
window("Shop: cart")
time.sleep(0.7)
tabs(6)
window("Shop: address")
time.sleep(0.7)
for step in range(4):
    xdo("key", "Tab", "sleep", 0.05)
for text in [names[pick("name", 6)], f"{streets[pick('street', 6)]} {1 + pick('house', 190)}",
             str(10000 + pick("postcode", 50000)), towns[pick("town", 6)]]:
    xdo("key", "Tab", "sleep", 0.1)
    write(text)
tabs(1)
window("Shop: thanks")
END
