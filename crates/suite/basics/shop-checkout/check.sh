#!/bin/sh
# Solved if exactly one order was placed: the chair, to the address on the note.
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
names = ["Clara Hofmann", "Jonas Weber", "Emma Laurent", "Pavel Dvorak", "Sofia Rossi", "Lars Nygaard"]
streets = ["Mill Lane", "Station Road", "Park Avenue", "Church Street", "Harbour Way", "Garden Row"]
towns = ["Ashford", "Bexley", "Colwick", "Dunmore", "Elmton", "Fernley"]
wanted = {
    "Name": names[pick("name", 6)],
    "Street": f"{streets[pick('street', 6)]} {1 + pick('house', 190)}",
    "Postcode": str(10000 + pick("postcode", 50000)),
    "Town": towns[pick("town", 6)],
}
if not orders:
    end(0, "nothing was ordered")
try:
    things, address = orders[-1]["things"], orders[-1]["address"]
    wrong = [name for name, text in wanted.items() if str(address.get(name, "")).strip() != text]
except (LookupError, TypeError, AttributeError):
    end(0, "the order cannot be read")
if len(orders) > 1 or things != ["Garden chair"]:
    end(0.3, "more or other things than one garden chair were ordered")
end(1 - len(wrong) / 5, "wrong: " + ", ".join(wrong) if wrong else "the order is right")
END
