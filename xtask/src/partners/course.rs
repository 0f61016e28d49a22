//! The result of a run.

use std::fmt;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use super::REPLY;

const TURNS: usize = 3;

/// Facts that the run learned about the server, or the error.
pub(super) struct Course(Result<String, String>);

impl Course {
    /// Runs a profile. FRANZ knows nothing about the server beforehand.
    pub(super) fn of(
        franz: &Path,
        url: &str,
        model: &Path,
        profile: &str,
        bound_by: Option<&str>,
        place: &Path,
    ) -> Course {
        Course(learned(franz, url, model, profile, bound_by, place).map_err(|why| format!("{why:#}")))
    }

    pub(super) fn failed(why: &str) -> Course {
        Course(Err(why.to_owned()))
    }

    pub(super) fn is_good(&self) -> bool {
        self.0.is_ok()
    }
}

fn learned(
    franz: &Path,
    url: &str,
    model: &Path,
    profile: &str,
    bound_by: Option<&str>,
    place: &Path,
) -> Result<String> {
    std::fs::create_dir_all(place)?;
    let most = TURNS.to_string();
    let mut run = Command::new(franz);
    run.args(["run", "--no-open", "--profile", profile, "--upstream", url, "--model"])
        .arg(model);
    run.args([
        "--screen",
        "canvas",
        "--max-turns",
        &most,
        "--set",
        "loop.executing_delay_s=0",
    ]);
    run.arg("--run-dir").arg(place.join("run")).arg("Draw lines");
    run.env("XDG_STATE_HOME", place)
        .env("XDG_CONFIG_HOME", place)
        .stdin(Stdio::null());
    let output = run.current_dir(place).output().context("cannot start franz")?;
    let told = [output.stdout, output.stderr].concat();
    let told = String::from_utf8_lossy(&told);
    std::fs::write(place.join("told.txt"), told.as_bytes())?;
    let last = told.lines().next_back().unwrap_or("it printed nothing");
    ensure!(output.status.success(), "{}: {last}", output.status);
    let turns = turns(&place.join("run"))?;
    ensure!(turns.len() == TURNS, "{} turns: {last}", turns.len());
    for turn in &turns {
        ensure!(turn["status"] == "ok", "turn {}: {}", turn["turn"], turn["errors"]);
    }
    let binds = bound_by.filter(|_| profile == "companion");
    check_bound(&turns, binds)?;
    ensure!(
        !told.contains("model.constrain"),
        "the server does not bind replies: {last}"
    );
    // The second turn performs the first reply. A bound reply can contain any actions, so look only at replies that
    // were not bound.
    let free = turns.windows(2).filter(|pair| bound(&pair[0]).is_none());
    for turn in free.map(|pair| &pair[1]) {
        let acted = turn["acted"].as_array().map_or(&[][..], Vec::as_slice);
        ensure!(
            acted.iter().any(|acted| acted["outcome"] == "done"),
            "nothing was drawn: {}",
            turn["feedback"]
        );
    }
    let tried = told.lines().filter_map(|line| line.split_once("trying "));
    let tried = tried.map(|(_, setting)| format!("`{setting}`"));
    let held = binds.map(|field| format!("replies are bound by `{field}`"));
    Ok(tried.chain(held).collect::<Vec<_>>().join(", "))
}

/// Checks that this field bound every reply, and that no bound reply equals the model's reply without a grammar.
fn check_bound(turns: &[Value], field: Option<&str>) -> Result<()> {
    for turn in turns {
        let number = &turn["turn"];
        ensure!(
            field.is_none() || bound(turn) == field,
            "turn {number}: the reply was not bound"
        );
        // The model's reply without a grammar fits no grammar.
        let same = turn["reply"].as_str().is_some_and(|reply| reply.trim() == REPLY.trim());
        ensure!(
            bound(turn).is_none() || !same,
            "turn {number}: the server does not bind the reply"
        );
    }
    Ok(())
}

/// Returns the field that bound a turn's reply.
fn bound(turn: &Value) -> Option<&str> {
    turn["sampling"]["bound"].as_str()
}

/// Returns the lines of a run's record.
fn turns(run: &Path) -> Result<Vec<Value>> {
    let record = run.join("turns_0001_1000.jsonl");
    let lines = std::fs::read_to_string(&record).with_context(|| format!("cannot read {}", record.display()))?;
    lines.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
}

/// Writes two table cells.
impl fmt::Display for Course {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Ok(learned) if learned.is_empty() => write!(f, "well | nothing"),
            Ok(learned) => write!(f, "well | {learned}"),
            Err(why) => write!(f, "**badly**: {} | ", why.replace('\n', " ")),
        }
    }
}
