"""A llama.cpp server with the chat template of a model family, whose model says what it is told to.

Reads one line of JSON from stdin: the `template`, by the name of a model in Xinference; the `model`, as the server
lists it; a `folder` for weights; the `replies`, none with a `seed` for a model that says anything; optionally a file with a `vocabulary`, a `context` in tokens, and a
template's own text, `template_text`. Prints a line of JSON once it answers, and ends when stdin does.
"""

import importlib.util
import json
import os
import sys
from pathlib import Path

import weights
import xllamacpp


def template_of(model):
    """Returns the chat template of a model in Xinference, which is not run: it only carries the text."""
    (package,) = importlib.util.find_spec("xinference").submodule_search_locations
    versions = json.loads((Path(package) / "model/llm/models" / f"{model}.json").read_text("utf-8"))
    newest = versions[0] if isinstance(versions, list) else versions
    return newest["chat_template"]


def serve(model, folder, context):
    """Returns once the model is loaded; the server chooses a free port."""
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
