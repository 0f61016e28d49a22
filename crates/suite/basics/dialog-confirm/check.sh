#!/bin/sh
# Solved if the first answers were Yes to the question about keeping and No to the question about deleting.
exec python3 -I - <<'END'
import json, os, stat, sys


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


lines = read("answers.txt").splitlines()[:10]
if not lines:
    end(0, "no question was answered")
if "keep No" in lines or "delete Yes" in lines:
    end(0, "a question got the wrong answer")
good = ("keep Yes" in lines) + ("delete No" in lines)
end(good / 2, "both answers are right" if good == 2 else "only one question was answered")
END
