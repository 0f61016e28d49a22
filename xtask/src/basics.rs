//! Plays the built-in suite with two simulated models: one that finds its targets in the pictures that it is sent, and
//! the same one with every picture black.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::process::{cargo, root, run, target};
use crate::{desktop, packages, python};

/// The folder of the models.
const MODELS: &str = "crates/suite/tests/simulated";

/// The words that the model knows.
const DICTIONARY: &str = "/usr/share/hunspell/en_US.dic";

/// Plays each task this many times with each model, and prints the report. Fails unless the model that sees solves every
/// attempt, and the blind one none.
pub(crate) fn play(repeat: u32, tasks: Option<&str>) -> Result<()> {
    desktop::provide()?;
    if !Path::new(DICTIONARY).exists() {
        packages::install("the simulated model needs a dictionary", &["hunspell-en-us"])?;
    }
    run(&mut cargo(&["build", "--release", "--package", "franz-agent"]))?;
    let python = python::environment("simulated", &root().join(MODELS).join("requirements.txt"))?;
    let place = target()?.join("basics");
    let _ = fs::remove_dir_all(&place);
    fs::create_dir_all(&place).with_context(|| format!("cannot create {}", place.display()))?;
    let (seeing, blind) = (Model::start(&python, &[])?, Model::start(&python, &["--blind"])?);
    let franz = |words: &[&str]| {
        let mut command = Command::new(root().join("target/release/franz"));
        command.current_dir(&place).args(words);
        command
    };
    let (repeat, models) = (
        repeat.to_string(),
        [
            format!("competent={}", seeing.address),
            format!("blind={}", blind.address),
        ],
    );
    let plan = [
        "suite",
        "plan",
        "basics",
        "--upstream",
        &models[0],
        "--upstream",
        &models[1],
    ];
    let mut plan = franz(&plan);
    plan.args(["--repeat", &repeat, "-o", "results"]);
    plan.args(tasks.iter().flat_map(|tag| ["--tag", tag]));
    run(&mut plan)?;
    run(&mut franz(&["suite", "run", "results"]))?;
    run(&mut franz(&["suite", "report", "results"]))?;
    judge(&place.join("results"))
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

/// A simulated model as a server, which ends when this value is dropped.
struct Model {
    process: Child,
    address: String,
}

impl Model {
    fn start(python: &Path, more: &[&str]) -> Result<Model> {
        let mut command = Command::new(python);
        command.arg("-B").arg(root().join(MODELS).join("model.py")).args(more);
        let mut process = command.stdout(Stdio::piped()).spawn()?;
        let mut line = String::new();
        BufReader::new(process.stdout.take().context("no stdout")?).read_line(&mut line)?;
        let address = line.split_whitespace().find(|word| word.starts_with("http://"));
        let address = address.context("the model said no address")?.to_owned();
        Ok(Model { process, address })
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        // Neither of these is needed if the server has already ended.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
