#!/bin/sh
# Solved if the cart holds only the cheapest tent.
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
tents = {13: "Family tent", 14: "Beach tent", 15: "Storm tent", 16: "Pop-up tent", 17: "Winter tent"}
cents = {i: 100 * (8 + pick(f"price-{i}", 90)) + i for i in tents}
wanted = tents[min(cents, key=cents.get)]
if cart == [wanted]:
    end(1, "the cheapest tent is in the cart")
if not cart:
    end(0, "the cart is empty")
end(0.5 if wanted in cart else 0.2 if set(cart) & set(tents.values()) else 0, "the cart does not hold exactly the cheapest tent")
END
