"""Reads the log of a run with Inspect: `run.py LOG TURNS`."""

import sys

from inspect_ai.log import read_eval_log, resolve_sample_attachments

log, turns = read_eval_log(sys.argv[1]), int(sys.argv[2])
assert log.status == "success", log.status
[sample] = log.samples
sample = resolve_sample_attachments(sample)
roles = [message.role for message in sample.messages]
assert roles == ["system"] + ["user", "assistant"] * turns, roles
for message in sample.messages[1::2]:
    kinds = [content.type for content in message.content]
    assert kinds == ["text", "image"], kinds
    assert message.content[1].image.startswith("data:image/png;base64,iVBOR"), message.content[1].image[:40]
assert sample.output.completion == sample.messages[-1].text
assert log.stats.model_usage["franz-demo"].output_tokens > 0
print(f"Inspect reads the log of a run: {len(roles)} messages, {turns} pictures")
