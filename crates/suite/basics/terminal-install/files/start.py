# Opens a terminal in which an installer asks its questions.
import os, sys, zlib


def pick(word, n):
    """Returns a number from 0 to n-1 that depends only on the seed and the word."""
    return zlib.crc32(f"{os.environ['SUITE_SEED']}/{word}".encode()) % 65521 % n


place = f"76x22+{20 + pick('x', 600)}+{20 + pick('y', 280)}"
os.execvp("xterm", ["xterm", "-T", "Terminal", "-fa", "DejaVu Sans Mono", "-fs", "14", "-geometry", place,
                    "-e", sys.executable, "install.py"])
