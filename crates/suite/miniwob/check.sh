#!/bin/sh
# Solved if the page gave almost the full reward. Tasks in which a position counts never give all of it.
exec python3 -I - <<'CHECK'
import json, os, stat, sys

ENOUGH = 0.9


def end(score, why):
    """Reports the score, from 0 to 1, and ends."""
    print(json.dumps({"score": round(min(max(score, 0), 1), 2), "why": why}))
    sys.exit(0 if score >= ENOUGH else 1)


try:
    if not stat.S_ISREG(os.lstat("reward.json").st_mode):
        raise OSError("it is not a file")
    with open("reward.json", encoding="utf-8") as file:
        given = json.loads(file.read(10_000))
    reward, reason = float(given["reward"]), str(given["reason"])
except FileNotFoundError:
    end(0, "the episode was not ended")
except (OSError, ValueError, TypeError, KeyError, RecursionError) as wrong:
    end(0, f"the reward cannot be read: {wrong}")
end(reward, f"the page gave a reward of {reward:g}" + (f": {reason}" if reason else ""))
CHECK
