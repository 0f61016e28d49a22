//! A real llama.cpp server with made-up weights.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::process::{root, target};

const SCRIPTS: &str = "crates/franz/tests/it/real_server";

/// The server, which ends when this value is dropped.
pub(super) struct LlamaServer {
    process: Child,
    pub(super) url: String,
}

impl LlamaServer {
    /// Starts a server with a model described in the form that `parrot.py` expects. The server's log is written to
    /// `place`.
    pub(super) fn start(place: &Path, wanted: &Value) -> Result<LlamaServer> {
        let mut process = python()?
            .arg(root().join(SCRIPTS).join("parrot.py"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(fs::File::create(place.join("server.log"))?)
            .spawn()?;
        let input = process.stdin.as_mut().context("the server has no input")?;
        writeln!(input, "{wanted}")?;
        let mut line = String::new();
        let output = process.stdout.as_mut().context("the server has no output")?;
        BufReader::new(output).read_line(&mut line)?;
        let log = || fs::read_to_string(place.join("server.log")).unwrap_or_default();
        let ready: Value =
            serde_json::from_str(&line).with_context(|| format!("the server did not start: {}", log()))?;
        let url = ready["url"].as_str().context("the server has no address")?.to_owned();
        Ok(LlamaServer { process, url })
    }
}

impl Drop for LlamaServer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn python() -> Result<Command> {
    let mut python = Command::new(target()?.join("model-server/bin/python"));
    python.arg("-B");
    Ok(python)
}
