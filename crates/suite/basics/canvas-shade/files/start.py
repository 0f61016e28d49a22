# Prints the stroke of a frame.
import os, zlib


def pick(word, n):
    """Returns a number from 0 to n-1 that depends only on the seed and the word."""
    return zlib.crc32(f"{os.environ['SUITE_SEED']}/{word}".encode()) % 65521 % n


def frame():
    """Returns the sides of the frame to fill: left, top, right and bottom."""
    left, top = 60 + pick("left", 500), 60 + pick("top", 400)
    return left, top, left + 280 + pick("width", 100), top + 320 + pick("height", 120)


left, top, right, bottom = frame()
corners = [[left, top], [right, top], [right, bottom], [left, bottom]]
print(f"drag(points={[*corners, corners[0]]})")
