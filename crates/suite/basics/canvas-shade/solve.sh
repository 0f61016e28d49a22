#!/bin/sh
# Replies with ten lines from side to side.
exec python3 -I - <<'END'
import json, os, zlib


def pick(word, n):
    """Returns a number from 0 to n-1 that depends only on the seed and the word."""
    return zlib.crc32(f"{os.environ['SUITE_SEED']}/{word}".encode()) % 65521 % n


def frame():
    """Returns the sides of the frame to fill: left, top, right and bottom."""
    left, top = 60 + pick("left", 500), 60 + pick("top", 400)
    return left, top, left + 280 + pick("width", 100), top + 320 + pick("height", 120)


def say(words, *calls):
    """Prints a reply with these calls."""
    calls = [{"id": f"call_{i}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
             for i, (name, arguments) in enumerate(calls)]
    print(json.dumps({"content": words, "tool_calls": calls}))


left, top, right, bottom = frame()
lines = [top + (bottom - top) * step // 9 for step in range(10)]
drags = [("drag", {"from": [left, y], "to": [right, y]}) for y in lines]
say("I fill the upper half.", *drags[:5])
say("I fill the lower half.", *drags[5:])
say("The frame is full.", ("finish", {"answer": "The frame is filled with lines."}))
END
