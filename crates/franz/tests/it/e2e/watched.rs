//! A run with its panel, as people start it. The tests watch, pause, kill and replay it.

mod dying;
mod foreign;
mod forged;
mod opening;
mod pausing;
mod permission;
mod replaying;
mod several;
mod standing;
mod stopping;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;

use franz_demo::DemoHandle;
use franz_home::View;
use franz_record::{TurnLine, TurnLines};
use serde_json::Value;

use crate::dashboard::Dashboard;
use crate::e2e::settings::SMALL;
use crate::harness::{Running, Workplace, spawn, url, wait_until};

/// Starts `franz run --run-dir run` with its panel and small pictures, on free ports.
pub(crate) fn start(place: &Workplace, server: &DemoHandle, more: &[&str]) -> Running {
    let url = url(server);
    let common = [
        "run",
        "--run-dir",
        "run",
        "--upstream",
        &url,
        "--dashboard",
        "127.0.0.1:0",
    ];
    spawn(place.program(&[&common, &SMALL[..], &["--set", "panel.restart_s=0"], more].concat()))
}

/// Continues that run.
pub(crate) fn resume(place: &Workplace, server: &DemoHandle, more: &[&str]) -> Running {
    let url = url(server);
    let common = [
        "run",
        "--resume",
        "run",
        "--upstream",
        &url,
        "--dashboard",
        "127.0.0.1:0",
    ];
    spawn(place.program(&[&common, more].concat()))
}

/// Returns the verifier's verdicts, one per request.
pub(crate) fn verdicts(place: &Workplace) -> Vec<Value> {
    verdicts_in(&place.file(""))
}

/// Returns the verdicts in this directory.
fn verdicts_in(directory: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(directory.join("verdicts.jsonl")).unwrap_or_default();
    let complete = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
    complete.map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Returns the turns that are recorded in this directory.
fn turn_lines(directory: &Path) -> Vec<TurnLine> {
    TurnLines::open(&View::open(directory).unwrap())
        .unwrap()
        .map(Result::unwrap)
        .collect()
}

/// Sends a request as a foreign agent does, on a separate connection. Returns the reply.
fn post(relay: &str, body: &Value) -> Value {
    let address = relay.strip_prefix("http://").unwrap();
    let body = body.to_string();
    let head = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let json = &answer[answer.find("\r\n\r\n{").expect("an answer that is JSON") + 4..];
    serde_json::from_str(json).unwrap()
}

/// Returns the kinds of the verdicts.
pub(crate) fn kinds(place: &Workplace) -> Vec<String> {
    let kinds = verdicts(place);
    kinds
        .iter()
        .map(|line| line["verdict"].as_str().unwrap().to_owned())
        .collect()
}

/// Returns a process's children.
pub(crate) fn children(parent: u32) -> Vec<u32> {
    let processes = std::fs::read_dir("/proc").unwrap().filter_map(|entry| {
        let id: u32 = entry.ok()?.file_name().to_str()?.parse().ok()?;
        (parent_of(id)? == parent).then_some(id)
    });
    processes.collect()
}

fn parent_of(process: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The program's name is in parentheses and can contain anything.
    let (_, behind) = stat.rsplit_once(')')?;
    behind.split_whitespace().nth(1)?.parse().ok()
}

/// Returns whether the process is running, and not a zombie.
pub(crate) fn lives(process: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let state = stat
        .rsplit_once(')')
        .and_then(|(_, behind)| behind.split_whitespace().next().map(str::to_owned));
    state.is_some_and(|state| state != "Z" && state != "X")
}

/// Waits for a panel's agent.
pub(crate) fn agent_of(running: &Running) -> u32 {
    wait_until("the agent's process", || children(running.id()).first().copied())
}

/// Kills a panel's agent, and waits for the next one.
fn replace_agent(running: &Running) {
    let agent = agent_of(running);
    kill(agent);
    wait_until("another agent", || {
        children(running.id())
            .first()
            .is_some_and(|child| *child != agent)
            .then_some(())
    });
}

/// Kills a process immediately.
pub(crate) fn kill(process: u32) {
    let killed = std::process::Command::new("kill")
        .args(["-9", &process.to_string()])
        .status();
    assert!(killed.unwrap().success());
}

/// Returns the names of the files in a directory.
pub(crate) fn listing(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}
