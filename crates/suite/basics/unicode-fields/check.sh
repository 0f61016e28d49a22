#!/bin/sh
# Solved if each field holds the word of its language.
exec python3 -I - <<'END'
import json, os, stat, sys, unicodedata


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


wanted = {"Greek": "Ελλάδα", "Japanese": "日本語", "Polish": "Żółć", "Russian": "Привет"}
lines = unicodedata.normalize("NFC", read("words.txt")).splitlines()
if not lines:
    end(0, "nothing was saved")
wrong = [name for name, word in wanted.items() if f"{name}: {word}" not in lines]
end(1 - len(wrong) / 4, "wrong: " + ", ".join(wrong) if wrong else "all words are right")
END
