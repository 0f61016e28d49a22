"""A llama.cpp server with the chat template of a model family and a model that gives scripted replies.

Reads one line of JSON from stdin: the `template`, named after a model in Xinference; the name of the `model`, as the
server lists it; a `folder` for the weights; the `replies`, empty if there is a `seed` for a model that writes random
text; optionally a file with a `vocabulary`, a `context` length in tokens, and the text of a template, `template_text`.
Prints a line of JSON as soon as the server is ready, and ends when stdin is closed.
"""

import importlib.util
import json
import os
import sys
from pathlib import Path

import weights
import xllamacpp


def template_of(model):
    """Returns the chat template of a model in Xinference, which only provides the text and is not run."""
    (package,) = importlib.util.find_spec("xinference").submodule_search_locations
    versions = json.loads((Path(package) / "model/llm/models" / f"{model}.json").read_text("utf-8"))
    newest = versions[0] if isinstance(versions, list) else versions
    return newest["chat_template"]


def serve(model, folder, context):
    """Returns once the model is loaded. The server chooses a free port."""
    params = xllamacpp.CommonParams()
    params.model.path, params.mmproj.path = f"{folder}/model.gguf", f"{folder}/eyes.gguf"
    params.model_alias = [model]
    params.hostnames, params.port = ["127.0.0.1"], 0
    params.n_ctx, params.n_parallel, params.n_threads_http = context, 1, 2
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.use_jinja, params.warmup, params.verbosity = True, False, 1
    return xllamacpp.Server(params)


def main():
    wanted = json.loads(sys.stdin.readline())
    folder, template = wanted["folder"], wanted.get("template_text") or template_of(wanted["template"])
    weights.write_model(
        f"{folder}/model.gguf", template, wanted["replies"], wanted.get("vocabulary"), wanted.get("seed")
    )
    weights.write_eyes(f"{folder}/eyes.gguf")
    server = serve(wanted["model"], folder, wanted.get("context", weights.LONGEST))
    ready = {"url": server.listening_address, "template_shows_tools": "tools" in template}
    print(json.dumps(ready), flush=True)
    sys.stdin.read()
    os._exit(0)


main()
