#!/bin/sh
# Replies with a click in the middle of each box.
exec python3 -I - <<'END'
import json, os, zlib


def pick(word, n):
    """Returns a number from 0 to n-1 that depends only on the seed and the word."""
    return zlib.crc32(f"{os.environ['SUITE_SEED']}/{word}".encode()) % 65521 % n


def shuffle(word, n):
    """Returns the numbers from 0 to n-1 in an order that depends only on the seed and the word."""
    return sorted(range(n), key=lambda i: pick(f"{word}-{i}", 65521))


def places():
    """Returns the middles of the boxes, each in a field of its own."""
    fields = shuffle("field", 12)[:3 + pick("count", 4)]
    left, top = [110 + field % 4 * 250 for field in fields], [140 + field // 4 * 330 for field in fields]
    return [(x + pick(f"x-{x}-{y}", 30), y + pick(f"y-{x}-{y}", 60)) for x, y in zip(left, top)]


def say(words, *calls):
    """Prints a reply with these calls."""
    calls = [{"id": f"call_{i}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
             for i, (name, arguments) in enumerate(calls)]
    print(json.dumps({"content": words, "tool_calls": calls}))


say("I draw the dots.", *[("click_element", {"label": "a box", "box": [x, y]}) for x, y in places()])
say("The dots are drawn.", ("finish", {"answer": "Each box has its dot."}))
END
