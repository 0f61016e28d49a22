//! Measures what people share: a run of 500 turns on a private desktop with an editor, a calculator and a page, exported
//! as one HTML file and as a GIF.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Result, ensure};
use serde_json::json;

use super::build;
use super::goal::Row;
use super::page::numbers_behind;
use super::scripted_model::ScriptedModel;
use crate::browser;
use crate::process::{output, root, run, succeeds};

const COMMAND: &str = "cargo xtask bench shared";

const TURNS: usize = 500;
const GIF_TURNS: usize = 40;

/// A page that is longer than the screen.
const PAGE: &str =
    "<!doctype html><title>Report</title><style>body{font:16px sans-serif;max-width:60em;margin:2em auto}
td{border:1px solid #aaa;padding:.3em .8em}</style><h1>Report</h1><script>
for (let n = 1; n <= 200; n++) {
  const [heading, text, table] = ['h2', 'p', 'table'].map((name) => document.createElement(name));
  heading.textContent = `Section ${n}`;
  text.textContent = `In week ${n}, ${n * 37 % 91} orders came in and ${n * 53 % 89} went out. `.repeat(6);
  for (let row = 0; row < 4; row++) {
    const cells = table.insertRow();
    for (let cell = 0; cell < 5; cell++) cells.insertCell().textContent = (n * 131 + row * 17 + cell * 7) % 1000;
  }
  document.body.append(heading, text, table);
}
</script>";

pub(super) fn bench() -> Result<Vec<Row>> {
    for program in ["chromium", "galculator", "mousepad"] {
        ensure!(
            succeeds(Command::new("which").arg(program).stdout(Stdio::null())),
            "{program} is missing: install it, so that the run shows all of its programs"
        );
    }
    let program = build::release(&["--package", "franz-agent"], "franz")?;
    let directory = root().join("target/bench/shared");
    if directory.exists() {
        fs::remove_dir_all(&directory)?;
    }
    fs::create_dir_all(&directory)?;
    record(&program, &directory)?;
    let pictures = different_pictures(&directory.join("run"))?;
    ensure!(
        pictures * 10 >= TURNS * 9,
        "only {pictures} of {TURNS} pictures differ, which flatters the size"
    );
    let (html, gif) = (directory.join("run.html"), directory.join("run.gif"));
    let began = Instant::now();
    run(export(&program, &directory).arg("--html").arg(&html))?;
    let exported = began.elapsed();
    let turns = format!("1..{GIF_TURNS}");
    run(export(&program, &directory)
        .arg("--gif")
        .arg(&gif)
        .args(["--turns", &turns, "--width", "640"]))?;
    let text = output(
        browser::node("opening.mjs", &program)?
            .arg(&html)
            .arg(TURNS.to_string()),
    )?;
    let text = String::from_utf8(text)?;
    print!("{text}");
    let megabytes = |file: &Path| -> Result<f64> { Ok(fs::metadata(file)?.len() as f64 / 1e6) };
    let (html, gif) = (megabytes(&html)?, megabytes(&gif)?);
    let opened = numbers_behind(&text, "picture, ms: ")?;
    let median = opened.get(opened.len() / 2).copied().unwrap_or(u32::MAX);
    Ok(vec![
        Row {
            what: format!("{TURNS} turns on a desktop of 1568x896 as one HTML file, every pixel kept"),
            goal: "25 MB",
            measured: format!("{html:.1} MB (exported in {:.1} s)", exported.as_secs_f64()),
            met: html <= 25.0,
            ..Row::of(COMMAND)
        },
        Row {
            what: "from opening that file to its last picture".to_owned(),
            goal: "1,000 ms",
            measured: format!("{median} ms (most {})", opened.last().copied().unwrap_or_default()),
            met: median <= 1000,
            ..Row::of(COMMAND)
        },
        Row {
            what: format!("{GIF_TURNS} turns of it as a GIF, 640 pixels wide"),
            goal: "1.5 MB",
            measured: format!("{gif:.2} MB"),
            met: gif <= 1.5,
            ..Row::of(COMMAND)
        },
    ])
}

/// Returns how many different pictures a run has.
fn different_pictures(run: &Path) -> Result<usize> {
    let mut different = HashSet::new();
    for turn in 1..=TURNS {
        different.insert(fs::read(run.join(format!("turn_{turn:04}.plain.png")))?);
    }
    Ok(different.len())
}

fn export(program: &Path, directory: &Path) -> Command {
    let mut command = Command::new(program);
    command.arg("export").arg(directory.join("run"));
    command
        .env("XDG_STATE_HOME", directory.join("state"))
        .current_dir(directory);
    command
}

/// Records the run.
fn record(program: &Path, directory: &Path) -> Result<()> {
    let page = directory.join("report.html");
    fs::write(&page, PAGE)?;
    let script = directory.join("replies.jsonl");
    fs::write(&script, script_lines())?;
    let model = ScriptedModel::start(program, &script)?;
    let home = directory.join("home");
    fs::create_dir_all(&home)?;
    let home = home.display();
    let starts = json!([
        format!(
            "HOME={home} chromium --no-sandbox --no-first-run --disable-gpu --password-store=basic --disable-sync --app=file://{}",
            page.display()
        ),
        format!("HOME={home} NO_AT_BRIDGE=1 galculator"),
        format!("HOME={home} NO_AT_BRIDGE=1 dbus-run-session mousepad --disable-server"),
    ]);
    let mut command = Command::new(program);
    command.args(["run", "--no-panel", "--screen", "virtual", "--profile", "draw"]);
    command.args(["--max-turns", &TURNS.to_string()]);
    for setting in [
        "image.width=1568",
        "image.height=896",
        "loop.patience=0",
        "loop.rest_s=0",
        "record.keep_pictures=all",
        "protocol.tools.focus=true",
        "protocol.tools.press=true",
        &format!("screen.start={starts}"),
    ] {
        command.args(["--set", setting]);
    }
    command
        .args(["--upstream", &model.url, "--run-dir"])
        .arg(directory.join("run"));
    command
        .env("XDG_STATE_HOME", directory.join("state"))
        .current_dir(directory);
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).status()?;
    ensure!(status.success(), "the run ended with {status}");
    Ok(())
}

/// The model's replies: it writes a paragraph, looks into a menu, calculates, and reads on.
fn script_lines() -> String {
    let replies = (0..TURNS).map(|turn| {
        let said = format!("Turn {turn}: I continue with the report and write down what I found.");
        let (window, calls) = match turn % 10 {
            0..=5 => (
                "Mousepad",
                format!(
                    "type('Section {turn}: {} orders, {} open.\\n')",
                    turn * 37 % 91,
                    turn * 53 % 89
                ),
            ),
            6 => ("Mousepad", "press('alt+f')".to_owned()),
            7 => ("Mousepad", "press('escape')".to_owned()),
            8 => ("galculator", format!("type('{turn}*{}=')", turn % 17 + 2)),
            _ => ("Report", "press('pagedown')".to_owned()),
        };
        let calls = format!("focus('{window}')\n{calls}");
        json!({ "text": format!("{said}\n```python\n{calls}\n```") })
    });
    replies.fold(String::new(), |mut lines, line| {
        // Writing to a `String` cannot fail.
        let _ = writeln!(lines, "{line}");
        lines
    })
}
