#!/bin/sh
# Solved if the cart holds only the lamp with the most stars.
exec python3 -I - <<'END'
import json, os, stat, sys, zlib


def pick(word, n):
    """Returns a number from 0 to n-1 that depends only on the seed and the word."""
    return zlib.crc32(f"{os.environ['SUITE_SEED']}/{word}".encode()) % 65521 % n


def shuffle(word, n):
    """Returns the numbers from 0 to n-1 in an order that depends only on the seed and the word."""
    return sorted(range(n), key=lambda i: pick(f"{word}-{i}", 65521))


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
lamps = ["Desk lamp Vega", "Desk lamp Lyra", "Floor lamp Orion", "Floor lamp Cora", "Table lamp Mira", "Table lamp Juno",
         "Wall lamp Nova"]
stars = shuffle("stars", 28)[3:10]
wanted = lamps[stars.index(max(stars))]
if cart == [wanted]:
    end(1, "the right lamp is in the cart")
if not cart:
    end(0, "the cart is empty")
end(0.5 if wanted in cart else 0.2 if set(cart) & set(lamps) else 0, "the cart does not hold exactly the right lamp")
END
