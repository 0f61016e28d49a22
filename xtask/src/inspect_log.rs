//! Reads exported logs with Inspect itself.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::browser;
use crate::process::{root, run, target};
use crate::python;

/// The directory with Inspect's pinned version and the scripts that read the logs.
const READERS: &str = "crates/franz/tests/inspect";

const TURNS: &str = "5";

/// Builds the program, and reads its logs.
pub(crate) fn test() -> Result<()> {
    read(&browser::build()?)
}

/// Plays a run and a suite with the built-in model, exports them with this program, and reads them with Inspect, which
/// is installed first if necessary.
pub(crate) fn read(program: &Path) -> Result<()> {
    let python = python::environment("inspect", &root().join(READERS).join("requirements.txt"))?;
    let runs = target()?.join("inspect/runs");
    let _ = fs::remove_dir_all(&runs);
    fs::create_dir_all(&runs).with_context(|| format!("cannot create {}", runs.display()))?;
    let reader = |script: &str| {
        let mut reader = Command::new(&python);
        reader.arg("-B").arg(root().join(READERS).join(script));
        reader
    };
    let franz = |arguments: &str| {
        let mut franz = Command::new(program);
        // The person's list of runs stays unchanged.
        franz.env("XDG_STATE_HOME", runs.join("state"));
        franz.args(arguments.split(' ')).current_dir(&runs);
        franz
    };
    run(franz("run --upstream demo --no-panel --quiet --run-dir run --max-turns").arg(TURNS))?;
    run(&mut franz("export run --inspect run.json"))?;
    run(reader("run.py").arg(runs.join("run.json")).arg(TURNS))?;
    let plan = "suite plan basics --tag canvas --repeat 2 --upstream a=demo --upstream b=demo -o results";
    run(&mut franz(plan))?;
    run(&mut franz("suite run results"))?;
    run(&mut franz("suite report results --inspect logs"))?;
    run(reader("suite.py").arg(runs.join("logs/b.json")))
}
