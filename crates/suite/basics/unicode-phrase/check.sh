#!/bin/sh
# Solved if the saved phrase is the one that was shown, letter by letter.
exec python3 -I - <<'END'
import json, os, stat, sys, unicodedata, zlib


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


starts = ["Grüße aus Köln", "Ça va très bien", "Señor Muñoz", "Žluťoučký kůň", "Łódź i Kraków", "Smørrebrød på Fanø"]
ends = ["über Nürnberg", "à la crème brûlée", "mañana en Cádiz", "příští týden", "żółta gęś", "från Västerås"]
wanted = f"{starts[pick('start', 6)]}, {ends[pick('end', 6)]}, {10 + pick('price', 90)} €"
saved = unicodedata.normalize("NFC", read("phrase.txt").strip())
if not saved:
    end(0, "nothing was saved")
if saved == wanted:
    end(1, "the phrase is right")
plain = lambda text: unicodedata.normalize("NFD", text).encode("ascii", "ignore")
end(0.5 if plain(saved) == plain(wanted) else 0.1, "the phrase is not exactly the one that was shown")
END
