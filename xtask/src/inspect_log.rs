//! Reads an exported log with Inspect itself.

use std::fs;

use anyhow::{Context, Result};

use crate::process::{cargo, root, run, target};

/// The Inspect release that must be able to read the log.
const INSPECT: &str = "inspect-ai==0.3.285";

const TURNS: &str = "5";

/// Reads the log at `argv[1]`, and compares its contents with those expected for a run of `argv[2]` turns.
const READ: &str = r#"
import sys
from inspect_ai.log import read_eval_log, resolve_sample_attachments
log = read_eval_log(sys.argv[1])
turns = int(sys.argv[2])
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
print(f"Inspect reads the log: {len(roles)} messages, {turns} pictures")
"#;

/// Reads the log of a suite at `argv[1]`: three tasks, played twice by a model that solves none of them.
const READ_SUITE: &str = r#"
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
"#;

/// Exports a run with the built-in model, and reads it with Inspect. Installs Inspect in the target directory first if
/// necessary.
pub(crate) fn check() -> Result<()> {
    run(&mut cargo(&["build", "--package", "franz-agent"]))?;
    let place = target()?.join("inspect");
    let (python, runs) = (place.join("venv/bin/python"), place.join("runs"));
    let command = |program: &std::path::Path| {
        let mut command = std::process::Command::new(program);
        command.current_dir(root());
        command
    };
    if !python.exists() {
        run(command("python3".as_ref()).args(["-m", "venv"]).arg(place.join("venv")))?;
    }
    run(command(&python).args(["-m", "pip", "install", "--quiet", INSPECT]))?;
    let _ = fs::remove_dir_all(&runs);
    fs::create_dir_all(&runs).with_context(|| format!("cannot create {}", runs.display()))?;
    let franz = target()?.join("debug/franz");
    let (record, log) = (runs.join("run"), runs.join("log.json"));
    run(command(&franz)
        .args([
            "run",
            "--upstream",
            "demo",
            "--no-panel",
            "--quiet",
            "--max-turns",
            TURNS,
            "--run-dir",
        ])
        .arg(&record))?;
    run(command(&franz).arg("export").arg(&record).arg("--inspect").arg(&log))?;
    run(command(&python).args(["-c", READ]).arg(&log).arg(TURNS))?;
    let results = runs.join("results");
    let plan = [
        "suite",
        "plan",
        "basics",
        "--tag",
        "canvas",
        "--repeat",
        "2",
        "--upstream",
        "a=demo",
        "--upstream",
        "b=demo",
    ];
    run(command(&franz).args(plan).arg("-o").arg(&results))?;
    run(command(&franz).args(["suite", "run"]).arg(&results))?;
    let logs = runs.join("logs");
    run(command(&franz)
        .args(["suite", "report"])
        .arg(&results)
        .arg("--inspect")
        .arg(&logs))?;
    run(command(&python).args(["-c", READ_SUITE]).arg(logs.join("b.json")))
}
