"""Holds the job that `argv[1] suite submit` prints to the published schemas of Kubernetes. `argv[2]` is an empty folder."""

import copy
import json
import os
import re
import subprocess
import sys

import kubernetes_validate

FRANZ, PLACE = sys.argv[1:]

# Retries for each index are on by default since 1.29, and stable since 1.33.
RELEASES = ["1.29", "1.33", "1.37"]

# The name of a pod of an indexed job, without its last random part, is also its host name, a label of at most 63
# characters. Kubernetes adds 5 to the name, and the index with a hyphen.
LONGEST = 63 - 5 - len("-1000")


def franz(*words, **more):
    return subprocess.run([FRANZ, *words], check=True, stdout=subprocess.PIPE, **more).stdout


def job(name, more):
    """The job of a suite with this name."""
    suite = f"{PLACE}/{name}"
    os.makedirs(suite)
    with open(f"{suite}/suite.toml", "w") as file:
        file.write(f'name = "{name}"\n[[task]]\nname = "cat"\ngoal = "Draw a cat"\nscreen = "canvas"\ncheck = "check.sh"\n')
        file.write('[[model]]\nname = "one"\nupstream = "http://one:8080"\n')
        file.write('key_env = "OUR_KEY"\n' if "--secret" in more else "")
    with open(f"{suite}/check.sh", "w") as file:
        file.write("exit 1\n")
    results = f"{PLACE}/results-{name}"
    franz("trust", suite, input=b"y\n")
    franz("suite", "plan", suite, "-o", results)
    words = ["--engine", "kubernetes", "--image", "franz:1", "--claim", "results", *more, "--dry-run"]
    return json.loads(franz("suite", "submit", results, *words))


def is_valid(job, release):
    try:
        kubernetes_validate.validate(job, release, strict=True)
    except kubernetes_validate.ValidationError:
        return False
    return True


jobs = [
    job("shop", []),
    job("shop.q4_k-m", ["--secret", "keys", "--shards", "24", "--jobs", "4", "--keep", "all"]),
    job(10 * "long.-" + "-end", ["--secret", "keys"]),
]
for release in RELEASES:
    for one in jobs:
        kubernetes_validate.validate(one, release, strict=True)
        prefix = one["metadata"]["generateName"]
        assert len(prefix) <= LONGEST and re.fullmatch(r"[a-z]([a-z0-9-]*[a-z0-9])?-", prefix), prefix
    # The schemas refuse what is wrong.
    for key, wrong in [("completions", "8"), ("parallel", 3), ("podFailurePolicy", {"rules": [{}]})]:
        broken = copy.deepcopy(jobs[0])
        broken["spec"][key] = wrong
        assert not is_valid(broken, release), (release, key)
print(f"valid jobs for Kubernetes {', '.join(RELEASES)}")
