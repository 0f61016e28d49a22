//! Measures what a standing panel adds to the requests of twenty agents that ask at the same time, and how much memory
//! it uses.
//!
//! Each agent sends its last reply back with a picture of 200 kB, as FRANZ does, and waits a quarter of a second
//! between two requests. Every other request goes directly to the server, so that both kinds meet the same load.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use super::build;
use super::figures::Samples;
use super::goal::Row;
use super::model::Model;
use super::started::most_resident_mb;
use crate::http;
use crate::process::root;

const COMMAND: &str = "cargo xtask bench panel";

const AGENTS: usize = 20;
/// How many requests of each kind an agent sends, after the first of each.
const ROUNDS: usize = 50;
const PAUSE: Duration = Duration::from_millis(250);
/// How long the panel may take to record the last turns.
const PATIENCE: Duration = Duration::from_secs(30);
/// The beginning of a picture of 1568x896, and the length of a whole one; both as base64.
const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAABiAAAAOACAIAAAB";
const PICTURE: usize = 266_704;

const GOAL_MS: f64 = 5.0;
const GOAL_MB: f64 = 150.0;

const DIRECT: &str = "direct";
const PANEL: &str = "panel";

/// Lets all agents ask, and compares.
pub(super) fn bench() -> Result<Vec<Row>> {
    let program = build::release(&["--package", "franz-agent"], "franz")?;
    let directory = root().join("target/bench/panel");
    if directory.exists() {
        fs::remove_dir_all(&directory)?;
    }
    fs::create_dir_all(&directory)?;
    let model = Model::answering(u64::MAX)?;
    let mut command = Command::new(&program);
    command
        .args([
            "panel",
            "--quiet",
            "--relay",
            "127.0.0.1:0",
            "--dashboard",
            "127.0.0.1:0",
        ])
        .args(["--upstream", &format!("http://{}", model.address), "--run-dir"])
        .arg(directory.join("runs"))
        .env("XDG_STATE_HOME", directory.join("state"))
        .env_remove("XDG_RUNTIME_DIR")
        .current_dir(&directory);
    let panel = Panel::start(&mut command)?;
    let (sender, samples) = channel();
    let agents: Vec<_> = (0..AGENTS)
        .map(|number| {
            let (sender, targets) = (sender.clone(), [(DIRECT, model.address), (PANEL, panel.relay)]);
            thread::spawn(move || {
                ask_in_turns(number, targets, &mut |kind, took| {
                    // The receiver is there until all agents have ended.
                    let _ = sender.send((kind, took));
                })
            })
        })
        .collect();
    drop(sender);
    let mut all = Samples::default();
    for (kind, took) in samples {
        all.add(kind, "", u64::try_from(took.as_micros())?);
    }
    for agent in agents {
        agent.join().ok().context("an agent of the measurement failed")??;
    }
    wait_for_turns(&directory.join("runs/runs"))?;
    let spread = |kind| all.spread(kind, "").context("nothing was measured");
    let added = spread(PANEL)?.over(spread(DIRECT)?);
    let resident = most_resident_mb(panel.child.id()).context("the system does not report memory")?;
    Ok(vec![
        Row {
            what: format!("added by a panel with {AGENTS} agents at once, p50 / p99: a request of 270 kB"),
            goal: "- / 5 ms",
            measured: format!("{:.2} / {:.2} ms", added.p50, added.p99),
            met: added.p99 <= GOAL_MS,
            ..Row::of(COMMAND)
        },
        Row {
            what: "the same: the panel's memory, at most".to_owned(),
            goal: "150 MB",
            measured: format!("{resident:.0} MB"),
            met: resident <= GOAL_MB,
            ..Row::of(COMMAND)
        },
    ])
}

/// Waits until every turn of every agent is recorded.
fn wait_for_turns(runs: &Path) -> Result<()> {
    let began = Instant::now();
    loop {
        let counts = turns_of(runs)?;
        if counts.len() == AGENTS && counts.iter().all(|count| *count == ROUNDS + 1) {
            return Ok(());
        }
        ensure!(began.elapsed() < PATIENCE, "the panel recorded {counts:?} turns");
        thread::sleep(PAUSE);
    }
}

/// Returns how many turns are recorded in each conversation.
fn turns_of(runs: &Path) -> Result<Vec<usize>> {
    let conversations = fs::read_dir(runs)?.map(|entry| Ok(entry?.path()));
    let conversations: Vec<_> = conversations.collect::<Result<_>>()?;
    let turns = |conversation: &PathBuf| {
        let files = fs::read_dir(conversation)?.filter_map(|entry| Some(entry.ok()?.path()));
        let records = files.filter(|file| {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with("turns_")
        });
        let mut count = 0;
        for record in records {
            count += fs::read_to_string(record)?.lines().count();
        }
        Ok(count)
    };
    conversations.iter().map(turns).collect()
}

/// Asks each target in turn, and reports how long each answer took.
fn ask_in_turns(
    number: usize,
    targets: [(&'static str, SocketAddr); 2],
    report: &mut dyn FnMut(&'static str, Duration),
) -> Result<()> {
    // The agents begin one after the other.
    thread::sleep(PAUSE * u32::try_from(number)? / u32::try_from(AGENTS)?);
    let mut stories = [String::new(), String::new()];
    for round in 0..=ROUNDS {
        for (place, (kind, address)) in targets.into_iter().enumerate() {
            let (picture, began) = (picture(number * 1000 + round), Instant::now());
            let story = ask(address, &format!("You are agent {number}."), &stories[place], &picture)?;
            if round > 0 {
                report(kind, began.elapsed());
            }
            stories[place] = story;
            thread::sleep(PAUSE);
        }
    }
    Ok(())
}

/// Returns a different picture for each seed, as base64.
fn picture(seed: usize) -> String {
    let seed = seed.to_string();
    format!("{PNG}{}{seed}", "A".repeat(PICTURE - PNG.len() - seed.len()))
}

/// Asks over a new connection, and returns the reply.
fn ask(address: SocketAddr, system: &str, story: &str, picture: &str) -> Result<String> {
    let url = format!("data:image/png;base64,{picture}");
    let body = json!({ "model": "bench", "messages": [
        { "role": "system", "content": system },
        { "role": "user", "content": story },
        { "role": "user", "content": [
            { "type": "text", "text": "done" }, { "type": "image_url", "image_url": { "url": url } },
        ] },
    ] });
    let body = body.to_string();
    let mut stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    let head = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all((head + &body).as_bytes())?;
    let mut reader = BufReader::new(&stream);
    reader.read_line(&mut String::new())?;
    let length = http::length(&mut reader)?;
    let mut answer = Vec::new();
    reader.take(length).read_to_end(&mut answer)?;
    let answer: Value = serde_json::from_slice(&answer)?;
    let reply = answer["choices"][0]["message"]["content"].as_str();
    Ok(reply.context("the answer contains no reply")?.to_owned())
}

/// A running panel, which ends when this value is dropped.
struct Panel {
    child: Child,
    relay: SocketAddr,
}

impl Panel {
    fn start(command: &mut Command) -> Result<Panel> {
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
        let mut lines = BufReader::new(child.stdout.take().context("stdout is piped")?).lines();
        let relay = lines.find_map(|line| Some(line.ok()?.strip_prefix("relay")?.trim().to_owned()));
        let relay = relay.context("the panel did not say where its relay is")?;
        let address = relay.split_whitespace().next().unwrap_or_default();
        let relay = address.trim_start_matches("http://").parse()?;
        // A panel that nobody reads must not wait.
        thread::spawn(move || lines.count());
        Ok(Panel { child, relay })
    }
}

impl Drop for Panel {
    fn drop(&mut self) {
        // Neither of these is needed if the panel has already ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
