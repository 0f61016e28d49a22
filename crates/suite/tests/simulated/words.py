"""English words, from the spelling dictionary of the system, and the likeliest correction of a misspelled one."""
import re
from functools import lru_cache
from pathlib import Path

FOLDER = Path("/usr/share/hunspell")
LETTERS = "abcdefghijklmnopqrstuvwxyz"
JOINING = set("and or but if whether while because when than that though of in to for with from at by on".split())
BEFORE_NOUNS = set("the a an our my your his her their its this that".split())


def endings():
    """For each flag of the dictionary, its rules: what to take off a word, what to add, and for which words."""
    rules = {}
    for line in (FOLDER / "en_US.aff").read_text("utf-8", "replace").splitlines():
        parts = line.split()
        if len(parts) >= 5 and parts[0] in ("SFX", "PFX"):
            kind, flag, off, on, where = parts[:5]
            off, on = off.replace("0", ""), on.split("/")[0].replace("0", "")
            pattern = re.compile(where + "$" if kind == "SFX" else where)
            rules.setdefault(flag, []).append((kind, off, on, pattern))
    return rules


def forms(stem, flags, rules):
    """A stem and what its flags make of it."""
    yield stem
    for flag in flags:
        for kind, off, on, pattern in rules.get(flag, []):
            if kind == "SFX" and pattern.search(stem) and stem.endswith(off):
                yield stem[:len(stem) - len(off)] + on
            elif kind == "PFX" and pattern.match(stem):
                yield on + stem[len(off):]


@lru_cache(maxsize=1)
def known():
    """All known words in small letters."""
    rules, words = endings(), set()
    for line in (FOLDER / "en_US.dic").read_text("utf-8", "replace").splitlines()[1:]:
        stem, _, flags = line.split("\t")[0].strip().partition("/")
        words.update(form.lower() for form in forms(stem, flags, rules))
    return words


def is_word(word):
    """Whether this is a word, in American or British spelling."""
    word = word.lower()
    return word in known() or word.replace("our", "or") in known() or word.replace("is", "iz") in known()


def changes(word):
    """All words that differ from a word by one change."""
    halves = [(word[:i], word[i:]) for i in range(len(word) + 1)]
    swaps = {a + b[1] + b[0] + b[2:] for a, b in halves if len(b) > 1}
    others = {a + b[1:] for a, b in halves if b} | {a + c + b for a, b in halves for c in LETTERS}
    return swaps | others | {a + c + b[1:] for a, b in halves if b for c in LETTERS}


def correction(word, before=""):
    """The likeliest correction of a word; `before` is the word that stands before it."""
    near = {w for w in changes(word.lower()) if is_word(w)}
    near = near or {w for change in changes(word.lower()) for w in changes(change) if is_word(w)}
    if before.lower() in BEFORE_NOUNS:
        near -= JOINING
    if not near:
        return None
    same = sorted(word.lower())
    best = min(near, key=lambda w: (sorted(w) != same, w[0] != word[0].lower(), abs(len(w) - len(word)), w))
    return best.capitalize() if word[0].isupper() else best
