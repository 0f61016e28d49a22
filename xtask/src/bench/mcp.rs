//! Measures a call to `franz mcp`, from the line that the host sends to the complete result with its picture. Leaves
//! out the time to perform the action and to wait for the screen to settle.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use super::build;
use super::figures::Samples;
use super::goal::Row;
use crate::process::root;

/// How many calls to measure, after the warm-up.
const CALLS: usize = 100;
const WARM: usize = 5;

/// The goal in milliseconds.
const GOAL: f64 = 60.0;

const COMMAND: &str = "cargo xtask bench mcp";

/// Measures calls on the canvas and on a private desktop that shows a terminal.
pub(super) fn bench() -> Result<Vec<Row>> {
    let program = build::release(&["--package", "franz-agent"], "franz")?;
    let desktop = ["--screen", "virtual", "--set", "screen.start=[\"xterm\"]"];
    let mut samples = Samples::default();
    let mut rows = Vec::new();
    for (screen, options) in [("canvas", &["--screen", "canvas"][..]), ("private desktop", &desktop)] {
        let mut host = Host::start(&program, options)?;
        for call in 0..WARM + CALLS {
            let begun = Instant::now();
            let result = host.request("tools/call", &json!({"name": "observe_screen", "arguments": {}}))?;
            let micros = u64::try_from(begun.elapsed().as_micros())?;
            ensure!(result["isError"] == false, "the call failed: {result}");
            if call >= WARM {
                samples.add(screen, "call", micros);
            }
        }
        host.leave()?;
        let spread = samples.spread(screen, "call").context("nothing was measured")?;
        rows.push(Row {
            what: format!("a call by MCP, {screen}, 1568x896, median and 99th percentile of {CALLS}"),
            goal: "60 ms",
            measured: format!("{:.1} and {:.1} ms", spread.p50, spread.p99),
            met: spread.p50 <= GOAL,
            ..Row::of(COMMAND)
        });
    }
    Ok(rows)
}

/// The host of one server, which is killed when this value is dropped.
struct Host {
    server: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    count: u64,
}

impl Host {
    fn start(program: &std::path::Path, options: &[&str]) -> Result<Host> {
        let directory = root().join("target/bench/mcp");
        if directory.exists() {
            fs::remove_dir_all(&directory)?;
        }
        fs::create_dir_all(&directory)?;
        let mut command = Command::new(program);
        command
            .args(["mcp", "--dashboard", "127.0.0.1:0", "--run-dir"])
            .arg(directory.join("run"));
        command
            .args(["--set", "loop.executing_delay_s=0", "--set", "loop.settle_s=0"])
            .args(options);
        command.env("XDG_STATE_HOME", directory.join("state"));
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut server = command.spawn().context("cannot start franz mcp")?;
        let (input, output) = (server.stdin.take(), server.stdout.take().context("no stdout")?);
        let mut host = Host {
            server,
            input,
            output: BufReader::new(output),
            count: 0,
        };
        let client = json!({"name": "bench", "version": "1"});
        let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
        host.request("initialize", &hello)?;
        host.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(host)
    }

    fn send(&mut self, message: &Value) -> Result<()> {
        let input = self.input.as_mut().context("the connection is closed")?;
        input.write_all(format!("{message}\n").as_bytes())?;
        Ok(input.flush()?)
    }

    /// Sends a request and returns its result.
    fn request(&mut self, method: &str, params: &Value) -> Result<Value> {
        self.count += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": self.count, "method": method, "params": params}))?;
        loop {
            let mut line = String::new();
            ensure!(self.output.read_line(&mut line)? > 0, "franz mcp has ended");
            let mut message: Value = serde_json::from_str(&line)?;
            if message["id"] == self.count {
                return Ok(message["result"].take());
            }
        }
    }

    fn leave(mut self) -> Result<()> {
        drop(self.input.take());
        let status = self.server.wait()?;
        ensure!(status.success(), "franz mcp ended with {status}");
        Ok(())
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        // Neither of these is needed if the server has already ended.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
