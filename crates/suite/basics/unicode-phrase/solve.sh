#!/bin/sh
# Types the phrase and saves it.
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


def paste(text):
    """Pastes a text: not every keyboard has keys for it."""
    subprocess.run(["xclip", "-selection", "clipboard"], input=text, check=True, text=True, stdout=subprocess.DEVNULL)
    xdo("key", "ctrl+v", "sleep", 0.5)


def click(number, x, y):
    """Clicks at a place in a window."""
    xdo("mousemove", "--window", number, int(x), int(y), "sleep", 0.1, "click", 1, "sleep", 0.2)


starts = ["Grüße aus Köln", "Ça va très bien", "Señor Muñoz", "Žluťoučký kůň", "Łódź i Kraków", "Smørrebrød på Fanø"]
ends = ["über Nürnberg", "à la crème brûlée", "mañana en Cádiz", "příští týden", "żółta gęś", "från Västerås"]
number = window("Phrase")
click(number, 300, 164)
paste(f"{starts[pick('start', 6)]}, {ends[pick('end', 6)]}, {10 + pick('price', 90)} €")
click(number, 115, 243)
END
