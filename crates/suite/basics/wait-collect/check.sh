#!/bin/sh
# Solved if the bread was taken out when it was done, and the oven was never stopped.
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


events = read("oven.txt").split()
if events == ["start", "done", "take"]:
    end(1, "the bread was taken out")
if not events:
    end(0, "the oven was not started")
if "stop" in events:
    end(0.2, "the oven was stopped")
end(0.5 if "done" in events else 0.3, "the bread was not taken out")
END
