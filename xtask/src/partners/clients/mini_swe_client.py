"""Uses a model server with mini-swe-agent: mini_swe_client.py ADDRESS."""

import json
import pathlib
import sys

import minisweagent
import yaml
from minisweagent.agents.default import DefaultAgent
from minisweagent.environments.local import LocalEnvironment
from minisweagent.models import get_model

package = pathlib.Path(minisweagent.__file__).parent
config = yaml.safe_load((package / "config" / "mini.yaml").read_text())
options = config["agent"]
for name in ("mode", "confirm_exit", "whitelist_actions"):
    options.pop(name, None)
settings = {"api_base": f"{sys.argv[1]}/v1", "api_key": "sk-tests-0123456789", "num_retries": 0}
model = get_model(config={**config.get("model", {}), "model_name": "openai/stand-in", "model_kwargs": settings, "cost_tracking": "ignore_errors"})
agent = DefaultAgent(model, LocalEnvironment(**config.get("environment", {})), **options)
agent.run("Say hello.")
print([message["role"] for message in agent.messages])
print(json.dumps([2]))
