//! Measures a run on a private desktop with a terminal, whose model answers immediately: the look before an action,
//! typing, settling, and the time from an action to the next request.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use super::build;
use super::figures::Samples;
use super::goal::Row;
use super::scripted_model::ScriptedModel;
use crate::process::root;

const COMMAND: &str = "cargo xtask bench act";

/// How many times each of the three kinds of turns is played, after the warm-up.
const ROUNDS: usize = 30;
const WARM: usize = 2;

/// The steps of a turn between its actions and its request.
const TO_PICTURE: [&str; 5] = ["settle", "capture", "mark", "scale", "encode"];

/// A script that reports how long after a key press it painted the last of ten characters, in nanoseconds.
const PROGRAM: &str = "#!/bin/bash
stty -echo -icanon
while IFS= read -rn1 key; do
    [ \"$key\" = '!' ] || continue
    start=$(date +%s%N)
    for part in 0 1 2 3 4 5 6 7 8 9; do printf %s \"$part\"; sleep 0.05; end=$(date +%s%N); done
    echo $((end - start - 50000000)) >> \"$TOOK\"
done
";

/// Plays the turns, and reads from their records how long each step took.
pub(super) fn bench() -> Result<Vec<Row>> {
    let program = build::release(&["--package", "franz-agent"], "franz")?;
    let directory = root().join("target/bench/act");
    if directory.exists() {
        fs::remove_dir_all(&directory)?;
    }
    fs::create_dir_all(&directory)?;
    let painter = directory.join("painter.sh");
    fs::write(&painter, PROGRAM)?;
    let script = directory.join("replies.jsonl");
    fs::write(&script, script_lines())?;
    let model = ScriptedModel::start(&program, &script)?;
    let took = directory.join("took");
    let terminal = format!(
        "TOOK={} xterm -geometry 120x50+40+40 -e bash {}",
        took.display(),
        painter.display()
    );
    let start = format!("screen.start=[{}]", json!(terminal));
    let turns = (1 + (WARM + ROUNDS) * 3).to_string();
    let mut run = Command::new(&program);
    run.args([
        "run",
        "--no-panel",
        "--screen",
        "virtual",
        "--profile",
        "draw",
        "--max-turns",
        &turns,
    ]);
    for setting in [
        "image.width=1568",
        "image.height=896",
        "loop.patience=0",
        "loop.rest_s=0",
        &start,
    ] {
        run.args(["--set", setting]);
    }
    run.args(["--upstream", &model.url, "--run-dir"])
        .arg(directory.join("run"));
    run.env("XDG_STATE_HOME", directory.join("state"))
        .current_dir(&directory);
    let status = run.stdin(Stdio::null()).stdout(Stdio::null()).status()?;
    ensure!(status.success(), "the run ended with {status}");
    drop(model);
    rows(&directory.join("run"), &painted(&took)?)
}

/// The model's replies: a click, a long text, and a key that makes the program paint for half a second.
fn script_lines() -> String {
    let text = "The quick brown fox jumps over the lazy dog. ".repeat(5);
    let text: String = text.chars().take(200).collect();
    let calls = [
        "left_click(300, 300)".to_owned(),
        format!("type('{text}')"),
        "type('!')".to_owned(),
    ];
    (0..WARM + ROUNDS)
        .flat_map(|_| &calls)
        .fold(String::new(), |mut lines, call| {
            let line = json!({ "text": format!("```python\n{call}\n```") });
            // Writing to a `String` cannot fail.
            let _ = writeln!(lines, "{line}");
            lines
        })
}

/// Returns how long the program painted after each key, in milliseconds.
fn painted(took: &Path) -> Result<Vec<f64>> {
    let text = fs::read_to_string(took).context("the program in the terminal got no key")?;
    let nanos = text.lines().map(|line| Ok(line.trim().parse::<f64>()? / 1e6));
    nanos.collect()
}

fn rows(run: &Path, painted: &[f64]) -> Result<Vec<Row>> {
    let turns = turns(run)?;
    ensure!(
        turns.len() > (WARM + ROUNDS) * 3,
        "the run has only {} turns",
        turns.len()
    );
    ensure!(
        painted.len() == WARM + ROUNDS,
        "the program painted {} times",
        painted.len()
    );
    let held = turns
        .iter()
        .flat_map(|turn| turn["acted"].as_array().into_iter().flatten());
    let held = held.filter(|acted| acted["outcome"] == "held").count();
    ensure!(held == 0, "{held} actions were held");
    let mut samples = Samples::default();
    let ms = |turn: &Value, step: &str| turn["ms"][step].as_f64().unwrap_or_default();
    let to_picture = |turn: &Value| TO_PICTURE.iter().map(|step| ms(turn, step)).sum::<f64>();
    let mut add = |kind: &str, ms: f64| samples.add("", kind, (ms.max(0.0) * 1000.0) as u64);
    let first = &turns[0];
    add("first", to_picture(first) - ms(first, "settle") + ms(first, "request"));
    for (round, turns) in turns[1..].chunks_exact(3).enumerate().skip(WARM) {
        let [click, text, key] = turns else { continue };
        add("look", ms(click, "look"));
        add("action", to_picture(click));
        add("request", ms(click, "act") + to_picture(click) + ms(click, "request"));
        add("text", ms(text, "act"));
        add("change", to_picture(key) - painted[round]);
    }
    let row = |kind: &str, what: &str, goal: &'static str, most: f64| -> Result<Row> {
        let spread = samples.spread("", kind).context("nothing was measured")?;
        Ok(Row {
            what: format!("private desktop 1568x896 with a terminal: {what}"),
            goal,
            measured: format!("{:.1} (99th percentile {:.1}) ms", spread.p50, spread.p99),
            met: spread.p50 <= most,
            ..Row::of(COMMAND)
        })
    };
    Ok(vec![
        row("look", "the look before a click", "5 ms", 5.0)?,
        row("text", "typing 200 characters", "300 ms", 300.0)?,
        row("action", "from the last action to the encoded picture", "280 ms", 280.0)?,
        row(
            "change",
            "from the last change, 0.5 s after the action, to the encoded picture",
            "150 ms",
            150.0,
        )?,
        row("request", "from an action to the next request", "450 ms", 450.0)?,
        row("first", "from a still screen to the first request", "200 ms", 200.0)?,
    ])
}

/// Reads all turn lines.
fn turns(run: &Path) -> Result<Vec<Value>> {
    let names = fs::read_dir(run)?.filter_map(|entry| Some(entry.ok()?.path()));
    let mut names: Vec<_> = names.filter(|path| is_record(path)).collect();
    names.sort();
    let mut turns = Vec::new();
    for name in names {
        for line in fs::read_to_string(name)?.lines() {
            turns.push(serde_json::from_str(line)?);
        }
    }
    Ok(turns)
}

fn is_record(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with("turns_") && name.ends_with(".jsonl")
}
