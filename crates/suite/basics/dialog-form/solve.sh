#!/bin/sh
# Fills in the form and sends it.
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


def click(number, x, y):
    """Clicks at a place in a window."""
    xdo("mousemove", "--window", number, int(x), int(y), "sleep", 0.1, "click", 1, "sleep", 0.2)


def write(text):
    """Types a text, slowly enough for every program."""
    xdo("type", "--delay", 30, text)
    time.sleep(0.3)


people = ["Ada Berger", "Noel Winter", "Ruth Keller", "Omar Haddad", "Lena Novak", "Ivo Petrov", "Mia Larsen", "Hugo Costa"]
towns = ["Salzburg", "Lyon", "Porto", "Turin", "Ghent", "Malmo", "Krakow", "Bergen"]
texts = [people[pick("name", 8)], towns[pick("town", 8)], f"0{100 + pick('area', 900)} {10000 + pick('phone', 50000)}"]
number = window("Order form")
for row, i in enumerate(shuffle("order", 3)):
    click(number, 300, 25 + 65 * row + 22)
    write(texts[i])
click(number, 150 + 155 * pick("size", 3) + 40, 244)
if pick("gift", 2):
    click(number, 200, 307)
click(number, 240, 390)
END
