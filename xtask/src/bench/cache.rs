//! Measures how much of each request a model server reads despite its cache. The `operator` profile runs for sixty
//! turns on a real llama.cpp server whose model gives scripted replies. The server counts the tokens, using Qwen2's
//! vocabulary.

use std::fmt;
use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Result, ensure};
use serde::Serialize;
use serde_json::{Value, json};

use super::build;
use super::goal::Row;
use super::llama_server::LlamaServer;
use crate::model_server;
use crate::process::{root, run, target};

/// The number of turns in a run.
const TURNS: usize = 60;
/// The server's context length, in tokens.
const CONTEXT: u64 = 16_384;
/// The maximum share of the sent tokens that the server may read.
const MOST_SHARE: f64 = 0.33;
/// The maximum number of tokens that the server may read, as a share of the tokens that it reads for the program to
/// compare with.
const MOST_OF_BEFORE: f64 = 0.6;
/// The environment variable that names a program to compare with.
const BEFORE: &str = "BENCH_BEFORE";

const COMMAND: &str = "cargo xtask bench cache";

/// The tokens of one request.
#[derive(Clone, Copy, Default, Serialize)]
struct Prompt {
    sent: u64,
    anew: u64,
}

/// The tokens of all requests that one program made.
#[derive(Serialize)]
struct Course(Vec<Prompt>);

/// The outcomes of each turn's actions.
type Outcomes = Vec<Vec<Value>>;

/// Measures this program and the one named by `BENCH_BEFORE`, both with the same replies.
pub(super) fn bench() -> Result<Vec<Row>> {
    model_server::provide()?;
    let words = target()?.join("model-server/qwen2.json");
    let (here, outcomes) = course(&build::release(&["--package", "franz-agent"], "franz")?, &words)?;
    print!("{here}");
    ensure!(
        here.prunes(),
        "the run did not forget anything, so the measurement shows too little"
    );
    let mut rows = vec![Row {
        what: format!("{TURNS} turns of operator, context {CONTEXT}: tokens read, of those sent"),
        goal: "0.33",
        measured: here.share(),
        met: here.share_anew() <= MOST_SHARE,
        ..Row::of(COMMAND)
    }];
    if let Some(before) = std::env::var_os(BEFORE) {
        let (before, outcomes_before) = course(Path::new(&before), &words)?;
        print!("the program before:\n{before}");
        ensure!(
            outcomes == outcomes_before,
            "the two programs did not do the same work: {:?}",
            outcomes
                .iter()
                .zip(&outcomes_before)
                .find(|(here, before)| here != before)
        );
        let ratio = here.sum().anew as f64 / before.sum().anew as f64;
        rows.push(Row {
            what: "the same, of what the program before reads".to_owned(),
            goal: "0.6",
            measured: format!("{ratio:.2}"),
            peers: format!("the program before {}", before.share()),
            met: ratio <= MOST_OF_BEFORE,
            ..Row::of(COMMAND)
        });
    }
    let directory = root().join("target/bench");
    fs::create_dir_all(&directory)?;
    fs::write(directory.join("cache.json"), serde_json::to_vec_pretty(&here)?)?;
    Ok(rows)
}

/// Runs a program for all turns. Returns the server's token counts for each request, and the outcomes of the actions.
fn course(program: &Path, words: &Path) -> Result<(Course, Outcomes)> {
    let place = root().join("target/bench/cache");
    let _ = fs::remove_dir_all(&place);
    fs::create_dir_all(&place)?;
    let server = LlamaServer::start(
        &place,
        &json!({
            "template": "Qwen3-VL-Instruct", "model": "qwen3-vl-8b-instruct", "folder": place, "replies": replies(),
            "vocabulary": words, "context": CONTEXT,
        }),
    )?;
    let turns = TURNS.to_string();
    let mut franz = Command::new(program);
    franz.args([
        "run",
        "--no-panel",
        "--profile",
        "operator",
        "--screen",
        "canvas",
        "--max-turns",
        &turns,
    ]);
    for setting in ["loop.executing_delay_s=0", "loop.stop_on_answer=false"] {
        franz.args(["--set", setting]);
    }
    franz
        .args(["--upstream", &server.url, "--run-dir"])
        .arg(place.join("run"));
    franz.arg("Draw sixty lines, each from another place, and say what you see.");
    franz.env("XDG_STATE_HOME", &place).current_dir(&place);
    run(franz.stdin(Stdio::null()).stdout(Stdio::null()))?;
    let log = fs::read_to_string(place.join("run/exchange.log"))?;
    let answers = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let prompts: Vec<Prompt> = answers.filter_map(|line| prompt(&line)).collect();
    ensure!(prompts.len() == TURNS, "the server answered {} times", prompts.len());
    Ok((Course(prompts), outcomes(&place.join("run"))?))
}

/// Returns the recorded outcomes of a run's actions, turn by turn.
fn outcomes(run: &Path) -> Result<Outcomes> {
    let files = fs::read_dir(run)?.collect::<io::Result<Vec<_>>>()?;
    let mut files: Vec<_> = files.into_iter().map(|file| file.path()).collect();
    files.retain(|path| {
        path.file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with("turns_"))
    });
    files.sort();
    let mut outcomes = Vec::new();
    for file in files {
        for line in fs::read_to_string(file)?.lines() {
            let line: Value = serde_json::from_str(line)?;
            let acted = line["acted"].as_array().cloned().unwrap_or_default();
            outcomes.push(
                acted
                    .iter()
                    .map(|acted| json!([acted["action"], acted["outcome"]]))
                    .collect(),
            );
        }
    }
    ensure!(outcomes.len() == TURNS, "{} turns were recorded", outcomes.len());
    Ok(outcomes)
}

/// Returns how many tokens llama.cpp counted for a request.
fn prompt(line: &Value) -> Option<Prompt> {
    let streamed = line["text"].as_str().unwrap_or_default().lines();
    let events = streamed.filter_map(|line| serde_json::from_str::<Value>(line.strip_prefix("data: ")?).ok());
    let mut answers = events.chain([line["response"].clone()]);
    let timings = answers.find_map(|answer| answer.get("timings").cloned())?;
    let (cached, anew) = (timings["cache_n"].as_u64()?, timings["prompt_n"].as_u64()?);
    Some(Prompt {
        sent: cached + anew,
        anew,
    })
}

/// Returns the replies. Each has its own text and a drag at a different position.
fn replies() -> Vec<Value> {
    let reply = |number: usize| {
        let mark = format!("This is step {number} of the drawing.");
        let [x, y] = [number * 37 % 900, number * 53 % 900];
        let says = "The picture shows the lines that I have drawn so far, and none of them is missing. The next one begins \
            further to the right, so that the drawing grows evenly; then I look whether it is where I meant it to be.";
        // llama.cpp makes a model keep the order of the function's parameters.
        let end = format!("[{}, {}]", x + 90, y + 60);
        let call = format!(
            r#"{{"name": "computer_use", "arguments": {{"action": "left_click_drag", "coordinate": {end}, "start_coordinate": [{x}, {y}]}}}}"#
        );
        json!({ "mark": mark, "text": format!("{mark} {says}\n<tool_call>\n{call}\n</tool_call>") })
    };
    (1..=TURNS).map(reply).collect()
}

impl Course {
    fn sum(&self) -> Prompt {
        self.0.iter().fold(Prompt::default(), |sum, prompt| Prompt {
            sent: sum.sent + prompt.sent,
            anew: sum.anew + prompt.anew,
        })
    }

    /// Returns whether any request was shorter than the previous one.
    fn prunes(&self) -> bool {
        self.0.windows(2).any(|pair| pair[1].sent < pair[0].sent)
    }

    fn share_anew(&self) -> f64 {
        self.sum().anew as f64 / self.sum().sent as f64
    }

    fn share(&self) -> String {
        let (sum, turns) = (self.sum(), self.0.len() as u64);
        let (anew, sent) = (sum.anew / turns, sum.sent / turns);
        format!("{:.2} ({anew} of {sent} a turn)", self.share_anew())
    }
}

/// Writes the token counts of all turns, several turns per line.
impl fmt::Display for Course {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "| turns | sent a turn | read a turn |\n|---|---|---|")?;
        for (number, turns) in self.0.chunks(6).enumerate() {
            let (first, count) = (number * 6 + 1, turns.len() as u64);
            let sum = Course(turns.to_vec()).sum();
            let last = first + turns.len() - 1;
            writeln!(f, "| {first} to {last} | {} | {} |", sum.sent / count, sum.anew / count)?;
        }
        Ok(())
    }
}
