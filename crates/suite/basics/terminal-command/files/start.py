# Opens a terminal that shows a command to type.
import os, zlib
from pathlib import Path


def pick(word, n):
    """Returns a number from 0 to n-1 that depends only on the seed and the word."""
    return zlib.crc32(f"{os.environ['SUITE_SEED']}/{word}".encode()) % 65521 % n


trees = ["birch", "cedar", "hazel", "linden", "maple", "rowan", "walnut", "willow"]
words = ["two boxes", "one sack", "six crates", "four pallets", "nine bundles"]
text = f"""Good morning!

Today, please type this command and press Enter:

    sh deliver.sh --tree={trees[pick('tree', 8)]} --order=K{1000 + pick('order', 9000)} "{words[pick('words', 5)]}"

"""
Path("welcome.txt").write_text(text)
os.environ["PS1"] = "$ "
place = f"76x18+{20 + pick('x', 600)}+{20 + pick('y', 380)}"
# The command can only be read on the screen: the shell knows neither the text nor what it is made from.
del os.environ["SUITE_SEED"]
os.execvp("xterm", ["xterm", "-T", "Terminal", "-fa", "DejaVu Sans Mono", "-fs", "14", "-geometry", place,
                    "-e", "sh", "-c", "cat welcome.txt; rm welcome.txt; exec bash --norc --noprofile"])
