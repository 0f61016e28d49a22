"""Runs a client against a model server, first directly and then through a standing panel: harness.py FRANZ CLIENT...

Both runs must print the same. The client's last line says how many turns each of its conversations has; the panel must
have recorded exactly these."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

import stand_in

TIMEOUT_S = 180


def run(client: list[str], address: str, directory: str) -> str:
    variables = {"OPENAI_BASE_URL": f"{address}/v1", "OPENAI_API_KEY": "sk-tests-0123456789", "HOME": directory}
    # LiteLLM otherwise looks for prices on the network.
    variables["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    variables["NO_PROXY"] = "127.0.0.1"
    done = subprocess.run(
        [*client, address], env={**os.environ, **variables}, stdout=subprocess.PIPE, text=True, timeout=TIMEOUT_S, cwd=directory
    )
    if done.returncode:
        sys.exit(f"{client[-1]} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def recorded(directory: pathlib.Path) -> tuple[list[int], list[str]]:
    """Returns how many turns each conversation has, and what is wrong with any of them."""
    counts, wrong = [], []
    for conversation in sorted((directory / "runs").iterdir()):
        lines = [json.loads(line) for file in sorted(conversation.glob("turns_*.jsonl")) for line in file.open()]
        counts.append(len(lines))
        for line in lines:
            if line["status"] != "ok" or not line["feedback"] or not (line["reply"] or line["tool_calls"]):
                wrong.append(f"{conversation.name}, turn {line['turn']}: {json.dumps(line)[:600]}")
        asked = (conversation / "exchange.log").read_text().count('"request":')
        if asked != len(lines):
            wrong.append(f"{conversation.name}: {asked} requests in the log")
    return sorted(counts), wrong


def main(franz: str, client: list[str], directory: str) -> None:
    server = stand_in.start()
    direct = run(client, server, directory)
    place = pathlib.Path(directory) / "panel"
    options = ["--relay", "127.0.0.1:0", "--dashboard", "127.0.0.1:0", "--run-dir", str(place)]
    state = {"XDG_STATE_HOME": f"{directory}/state", "XDG_CONFIG_HOME": f"{directory}/config"}
    # Without its folder, the panel is not the person's own, to which their runs would go.
    environment = {name: value for name, value in os.environ.items() if name != "XDG_RUNTIME_DIR"}
    panel = subprocess.Popen(
        [franz, "panel", "--no-open", "--upstream", server, *options],
        env={**environment, **state},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        cwd=directory,
    )
    try:
        relay = next((line.split()[1] for line in panel.stdout if line.startswith("relay")), None)
        if not relay:
            sys.exit(f"{franz} panel did not start")
        relayed = run(client, relay.rstrip("/"), directory)
    finally:
        panel.terminate()
        try:
            panel.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            panel.kill()
            raise
    name = pathlib.Path(client[-1]).name
    assert relayed == direct, f"{name}, directly:\n{direct}\nthrough the panel:\n{relayed}"
    *lines, last = direct.splitlines()
    counts, wrong = recorded(place)
    assert not wrong, "\n".join(wrong)
    assert counts == sorted(json.loads(last)), f"{name}: {counts} turns are recorded, not {last}"
    print(f"{name}: {len(lines)} results are the same through the panel, which recorded {counts} turns")


with tempfile.TemporaryDirectory() as directory:
    main(sys.argv[1], sys.argv[2:], directory)
