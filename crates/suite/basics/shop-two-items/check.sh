#!/bin/sh
# Solved if the cart holds the two things of the note, one of each, and nothing else.
exec python3 -I - <<'END'
import json, os, stat, sys, zlib


def pick(word, n):
    """Returns a number from 0 to n-1 that depends only on the seed and the word."""
    return zlib.crc32(f"{os.environ['SUITE_SEED']}/{word}".encode()) % 65521 % n


def read(path, most=100_000):
    """Returns the beginning of a file as text; the text is empty if there is no such file."""
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            return ""
        with open(path, "rb") as file:
            return file.read(most).decode("utf-8", "replace")
    except OSError:
        return ""


def end(score, why):
    """Reports the score and ends. Only the full score of 1 counts as solved."""
    print(json.dumps({"score": round(score, 2), "why": why}))
    sys.exit(0 if score == 1 else 1)


try:
    state = json.loads(read("shop.json") or "{}")
    cart = sorted(str(thing) for thing in state.get("cart", []))
    orders = state.get("orders", [])
except (ValueError, TypeError, AttributeError, RecursionError):
    end(0, "the state of the shop cannot be read")
THINGS = ["Red mug", "Blue mug", "Green mug", "Desk lamp Vega", "Desk lamp Lyra", "Floor lamp Orion", "Floor lamp Cora",
          "Table lamp Mira", "Table lamp Juno", "Wall lamp Nova", "Red notebook", "Blue notebook", "Green notebook",
          "Family tent", "Beach tent", "Storm tent", "Pop-up tent", "Winter tent", "Tent pegs", "Tent bag", "Garden chair",
          "Folding chair", "Camping stove", "Sleeping bag", "Hand torch", "Wool blanket", "Water bottle", "Umbrella"]
first = pick("first", 28)
wanted = sorted([THINGS[first], THINGS[(first + 1 + pick("second", 27)) % 28]])
if cart == wanted:
    end(1, "both things are in the cart")
good = len(set(cart) & set(wanted))
end(good * 0.4, f"{good} of 2 things are in the cart" if good < 2 else "the cart holds more than the two things")
END
