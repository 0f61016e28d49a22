# Prints the strokes of some boxes.
import os, zlib


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


def box(x, y, half):
    """Prints the stroke that draws a box around a place."""
    corners = [[x - half, y - half], [x + half, y - half], [x + half, y + half], [x - half, y + half]]
    print(f"drag(points={[*corners, corners[0]]})")


for x, y in places():
    box(x, y, 50)
