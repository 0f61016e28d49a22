//! Plays the built-in suite with three simulated models: one finds its targets in the pictures that it is sent, one is
//! the same with every picture black, and one repeats what the first did with another seed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::process::{cargo, root, run, target};
use crate::simulated::SimulatedModel;
use crate::{desktop, packages, python};

/// The packages that the models need, and their program in the folder of all simulated models.
const REQUIREMENTS: &str = "crates/suite/tests/simulated/requirements.txt";
const MODEL: &str = "simulated/model.py";

/// The program that makes the documentation's pictures.
const SHEETS: &str = "crates/suite/tests/simulated/sheets.py";

/// The words that the model knows.
const DICTIONARY: &str = "/usr/share/hunspell/en_US.dic";

/// Plays each task this many times with each model, and prints the reports. Fails unless the model that sees solves every
/// attempt, and the others none.
pub(crate) fn play(repeat: u32, tasks: Option<&str>) -> Result<()> {
    let (python, place) = prepare()?;
    let program = target()?.join("release/franz");
    let start = |more: &[&str]| SimulatedModel::start(&python, MODEL, more);
    let replies = place.join("replies.jsonl").display().to_string();
    let measure = |results: &str, models: &[(&str, &SimulatedModel)]| {
        let franz = |words: &[&str]| {
            let mut command = suite(&program, &place);
            command.args(words);
            command
        };
        let mut plan = franz(&["plan", "basics", "--repeat", &repeat.to_string(), "-o", results]);
        for (name, model) in models {
            plan.arg("--upstream").arg(format!("{name}={}", model.address));
        }
        run(plan.args(tasks.iter().flat_map(|tag| ["--tag", tag])))?;
        run(&mut franz(&["run", results]))?;
        run(&mut franz(&["report", results]))?;
        judge(&place.join(results))
    };
    let (seeing, blind) = (start(&["--record", &replies])?, start(&["--blind"])?);
    measure("results", &[("competent", &seeing), ("blind", &blind)])?;
    let rote = start(&["--rote", &replies])?;
    measure("by-rote", &[("rote", &rote)])
}

/// Makes the documentation's pictures: each task at its start, and after its solution.
pub(crate) fn picture() -> Result<()> {
    let (python, place) = prepare()?;
    let mut test = suite(&target()?.join("release/franz"), &place);
    run(test.args(["test", "basics", "--seed", "3", "--pictures", "pictures"]))?;
    let mut sheets = Command::new(&python);
    sheets.arg("-B").arg(root().join(SHEETS));
    run(sheets.arg(place.join("pictures")).arg(root().join("docs/basics")))
}

/// Returns a command for suites that leaves the person's trusted plans unchanged.
fn suite(program: &Path, place: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .current_dir(place)
        .env("XDG_STATE_HOME", place.join("state"))
        .arg("suite");
    command
}

/// Serves the model that sees. It prints its address.
pub(crate) fn serve() -> Result<()> {
    let python = provide()?;
    let model = root().join("crates/suite/tests").join(MODEL);
    run(Command::new(python).arg("-B").arg(model))
}

/// Installs what the models need. Returns their Python.
fn provide() -> Result<PathBuf> {
    if !Path::new(DICTIONARY).exists() {
        packages::install("the simulated model needs a dictionary", &["hunspell-en-us"])?;
    }
    python::environment("simulated", &root().join(REQUIREMENTS))
}

/// Installs and builds what the tasks and models need. Returns the models' Python and an empty folder.
fn prepare() -> Result<(PathBuf, PathBuf)> {
    desktop::provide()?;
    run(&mut cargo(&["build", "--release", "--package", "franz-agent"]))?;
    let python = provide()?;
    let place = target()?.join("basics");
    let _ = fs::remove_dir_all(&place);
    fs::create_dir_all(&place).with_context(|| format!("cannot create {}", place.display()))?;
    Ok((python, place))
}

/// Reads all results.
fn judge(results: &Path) -> Result<()> {
    let mut wrong = Vec::new();
    for entry in fs::read_dir(results)? {
        let file = entry?.path().join("result.json");
        if !file.exists() {
            continue;
        }
        let result: Value = serde_json::from_slice(&fs::read(file)?)?;
        let text = |key: &str| result[key].as_str().unwrap_or_default().to_owned();
        let (task, is_solved) = (text("task"), text("outcome") == "solved");
        let expected = text("model") == "competent";
        if is_solved != expected {
            wrong.push(format!(
                "{task} by {}: {} ({})",
                text("model"),
                text("outcome"),
                text("why")
            ));
        }
    }
    ensure!(wrong.is_empty(), "other than expected:\n{}", wrong.join("\n"));
    Ok(())
}
