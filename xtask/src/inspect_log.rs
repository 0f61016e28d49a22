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
    run(command(&python).args(["-c", READ]).arg(&log).arg(TURNS))
}
