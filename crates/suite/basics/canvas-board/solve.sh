#!/bin/sh
# Replies with the two lines of the X.
exec python3 -I - <<'END'
import json, os, zlib


def pick(word, n):
    """Returns a number from 0 to n-1 that depends only on the seed and the word."""
    return zlib.crc32(f"{os.environ['SUITE_SEED']}/{word}".encode()) % 65521 % n


def shuffle(word, n):
    """Returns the numbers from 0 to n-1 in an order that depends only on the seed and the word."""
    return sorted(range(n), key=lambda i: pick(f"{word}-{i}", 65521))


ROWS = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


def game():
    """Returns the fields with an X, the fields with an O, and the empty field that completes a row of three X."""
    row = ROWS[pick("row", 8)]
    last = row[pick("last", 3)]
    crosses = [field for field in row if field != last]
    others = [field for field in shuffle("circle", 9) if field not in row]
    wins = lambda circles: any(len(set(circles) & set(line)) == 2 and not set(crosses) & set(line) for line in ROWS)
    for second in others[1:]:
        if not wins([others[0], second]):
            return crosses, [others[0], second], last
    return crosses, others[:1], last


def middle(field):
    """Returns the middle of a field."""
    return 250 + field % 3 * 250, 250 + field // 3 * 250


def say(words, *calls):
    """Prints a reply with these calls."""
    calls = [{"id": f"call_{i}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
             for i, (name, arguments) in enumerate(calls)]
    print(json.dumps({"content": words, "tool_calls": calls}))


x, y = middle(game()[2])
say("I draw the X.", ("drag", {"from": [x - 70, y - 70], "to": [x + 70, y + 70]}),
    ("drag", {"from": [x - 70, y + 70], "to": [x + 70, y - 70]}))
say("The X is drawn.", ("finish", {"answer": "The X completes the row."}))
END
