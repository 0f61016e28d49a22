"""Reads the log of a suite with Inspect: `suite.py LOG`. In it, a model plays three tasks twice and solves none."""

import sys

from inspect_ai.log import read_eval_log, read_eval_log_sample

log = read_eval_log(sys.argv[1])
assert (log.status, log.eval.model, log.eval.config.epochs) == ("success", "b", 2), log.eval
assert len(log.samples) == 6 and {sample.epoch for sample in log.samples} == {1, 2}
assert all(sample.scores["check"].value == "I" for sample in log.samples)
assert log.results.scores[0].metrics["accuracy"].value < 1
sample = read_eval_log_sample(sys.argv[1], id="canvas-dots", epoch=2)
assert sample.model_usage["b"].output_tokens > 0
print(f"Inspect reads the log of a suite: {len(log.samples)} samples")
