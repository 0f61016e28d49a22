//! Plays MiniWoB++ with an oracle: a model that knows the position of everything on a page, and acts only through
//! FRANZ's actions. A model with good vision can solve whatever the oracle solves.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::desktop;
use crate::process::{agree, cargo, output, root, run, target};
use crate::python;
use crate::simulated::SimulatedModel;

/// The package, as pip names it.
const PACKAGE: &str = "miniwob==1.1.0";

const ORACLE: &str = "miniwob/oracle.py";

/// How the partner tests call it, and how often and how fast they play it.
pub(crate) const NAME: &str = "miniwob";
pub(crate) const SEEDS: u32 = 5;
pub(crate) const JOBS: u32 = 2;

/// The part of a page's episodes that must be solved, and on how many pages.
const ENOUGH: f64 = 0.95;
const PAGES: usize = 107;

/// Plays the pages that have a rule, or only these, with the seeds from 1 to `seeds`, and prints how many episodes of
/// each page are solved. Fails if that is too few.
pub(crate) fn play(seeds: u32, jobs: u32, tasks: Option<&str>) -> Result<()> {
    run(&mut cargo(&["build", "--release", "--package", "franz-agent"]))?;
    play_with(&target()?.join("release/franz"), seeds, jobs, tasks)
}

/// Plays them with this `franz`.
pub(crate) fn play_with(program: &Path, seeds: u32, jobs: u32, tasks: Option<&str>) -> Result<()> {
    desktop::provide()?;
    let place = target()?.join(NAME);
    fs::create_dir_all(&place).with_context(|| format!("cannot create {}", place.display()))?;
    let wheel = wheel(&place)?;
    for old in ["suite", "results", "all"] {
        let _ = fs::remove_dir_all(place.join(old));
    }
    let python = Path::new("python3");
    let chosen = match tasks {
        Some(tasks) => tasks.to_owned(),
        None => with_a_rule(python)?,
    };
    let oracle = SimulatedModel::start(python, ORACLE, &[])?;
    let franz = |words: &[&str]| {
        let mut command = Command::new(program);
        // The person's trusted suites and plans on this machine stay unchanged.
        command.current_dir(&place).env("XDG_STATE_HOME", place.join("state"));
        command.args(words);
        command
    };
    run(franz(&["suite", "import", NAME]).arg(&wheel).args(["-o", "all"]))?;
    compare_list(&place.join("all/suite.toml"))?;
    let (seeds, jobs) = (seeds.to_string(), jobs.to_string());
    let mut import = franz(&["suite", "import", NAME]);
    import.arg(&wheel).args(["--tasks", &chosen, "--seeds", &seeds]);
    import.args(["--oracle", &oracle.address, "-o", "suite"]);
    run(&mut import)?;
    agree(&mut franz(&["trust", "suite"]))?;
    let model = format!("oracle={}", oracle.address);
    let plan = [
        "suite",
        "plan",
        "suite",
        "--upstream",
        &model,
        "--repeat",
        "1",
        "-o",
        "results",
    ];
    run(&mut franz(&plan))?;
    run(&mut franz(&["suite", "run", "results", "--jobs", &jobs]))?;
    let solved = solved(&place.join("results"))?;
    judge(&solved, if tasks.is_some() { 0 } else { PAGES })
}

/// Returns the package's wheel. Downloads it if it is not there.
fn wheel(place: &Path) -> Result<PathBuf> {
    let prefix = format!("{}-", PACKAGE.replace("==", "-"));
    let found = || -> Result<Option<PathBuf>> {
        let files = fs::read_dir(place)?.collect::<Result<Vec<_>, _>>()?;
        let is_wheel = |file: &PathBuf| {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with(&prefix) && file.extension().is_some_and(|end| end == "whl")
        };
        Ok(files.into_iter().map(|file| file.path()).find(is_wheel))
    };
    if found()?.is_none() {
        let own = place.join("pip");
        python::create(&own)?;
        let mut pip = Command::new(own.join("bin/python"));
        pip.args(["-m", "pip", "download", "--quiet", "--disable-pip-version-check"]);
        run(pip
            .args(["--no-deps", "--only-binary", ":all:", "--dest"])
            .arg(place)
            .arg(PACKAGE))?;
    }
    found()?.context("pip downloaded no wheel")
}

/// Checks that the document lists exactly the pages of a suite that has all of them.
fn compare_list(suite: &Path) -> Result<()> {
    let document = fs::read_to_string(root().join("docs/miniwob.md"))?;
    let rows = document.lines().filter(|line| line.starts_with("| "));
    // The reasons in the last column name other pages.
    let cells = rows.filter_map(|row| row.split('|').find(|cell| cell.contains('`')));
    let listed: BTreeSet<&str> = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect();
    let suite: toml::Table = toml::from_str(&fs::read_to_string(suite)?)?;
    let tasks = suite.get("task").and_then(toml::Value::as_array);
    let names = tasks
        .into_iter()
        .flatten()
        .filter_map(|task| task.get("name")?.as_str());
    let pages: BTreeSet<&str> = names.filter_map(|name| Some(name.rsplit_once('.')?.0)).collect();
    let difference: Vec<&&str> = pages.symmetric_difference(&listed).collect();
    ensure!(
        difference.is_empty(),
        "docs/miniwob.md does not list exactly the pages of {PACKAGE}: {difference:?}"
    );
    println!("docs/miniwob.md lists all {} pages", pages.len());
    Ok(())
}

/// Returns the tasks for which the oracle has a rule, separated by commas.
fn with_a_rule(python: &Path) -> Result<String> {
    let oracle = root().join("crates/suite/tests").join(ORACLE);
    let names = output(Command::new(python).arg("-B").arg(oracle).arg("--list"))?;
    let names: Vec<&str> = std::str::from_utf8(&names)?.lines().collect();
    Ok(names.join(","))
}

/// The outcomes of a page's episodes.
#[derive(Default)]
struct PageEpisodes {
    all: u32,
    solved: u32,
    /// The others, with their reasons.
    failed: Vec<String>,
}

/// Reads all results, by page.
fn solved(results: &Path) -> Result<BTreeMap<String, PageEpisodes>> {
    let mut pages: BTreeMap<String, PageEpisodes> = BTreeMap::new();
    for entry in fs::read_dir(results)? {
        let file = entry?.path().join("result.json");
        if !file.exists() {
            continue;
        }
        let result: Value = serde_json::from_slice(&fs::read(file)?)?;
        let text = |key: &str| result[key].as_str().unwrap_or_default();
        let task = text("task");
        let (page, _) = task.rsplit_once('.').context("a task without a seed")?;
        let page = pages.entry(page.to_owned()).or_default();
        page.all += 1;
        if text("outcome") == "solved" {
            page.solved += 1;
        } else {
            page.failed
                .push(format!("{task}: {} ({})", text("outcome"), text("why")));
        }
    }
    Ok(pages)
}

/// Prints a table, and fails if too few episodes are solved or too few pages were played.
fn judge(pages: &BTreeMap<String, PageEpisodes>, least: usize) -> Result<()> {
    println!("| page | solved |\n|---|---|");
    for (name, page) in pages {
        println!("| `{name}` | {} of {} |", page.solved, page.all);
    }
    let all: u32 = pages.values().map(|page| page.all).sum();
    let solved: u32 = pages.values().map(|page| page.solved).sum();
    println!("{solved} of {all} episodes of {} pages are solved", pages.len());
    let is_bad = |page: &&PageEpisodes| f64::from(page.solved) < ENOUGH * f64::from(page.all);
    let bad: Vec<&str> = pages
        .values()
        .filter(is_bad)
        .flat_map(|page| &page.failed)
        .map(String::as_str)
        .collect();
    ensure!(
        bad.is_empty(),
        "below {:.0} % on some pages:\n{}",
        ENOUGH * 100.0,
        bad.join("\n")
    );
    ensure!(
        pages.len() >= least,
        "only {} pages were played, of {least}",
        pages.len()
    );
    Ok(())
}
