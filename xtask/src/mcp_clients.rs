//! Calls `franz mcp` with two third-party clients of the Model Context Protocol: its Python library and its Inspector.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::browser;
use crate::node;
use crate::process::{cargo, output, root, run, target};
use crate::python;

/// The directory with the clients and their pinned versions.
const CLIENTS: &str = "crates/franz/tests/mcp";

/// The Inspector's command line, in the clients' directory.
const INSPECTOR: &str = "node_modules/@modelcontextprotocol/inspector/cli/build/cli.js";

/// Builds the program and calls it.
pub(crate) fn test() -> Result<()> {
    run(&mut cargo(&["build", "--quiet", "--package", "franz-agent"]))?;
    call(&browser::program()?)
}

/// Installs the clients if necessary, and calls this program with each.
pub(crate) fn call(franz: &Path) -> Result<()> {
    let python = python::environment("mcp", &root().join(CLIENTS).join("requirements.txt"))?;
    run(Command::new(python)
        .arg("-B")
        .arg(root().join(CLIENTS).join("client.py"))
        .arg(franz))?;
    inspect(franz)
}

/// Lists the tools and then calls one, each in a separate session.
fn inspect(franz: &Path) -> Result<()> {
    let runs = target()?.join("mcp/runs");
    let _ = fs::remove_dir_all(&runs);
    fs::create_dir_all(&runs).with_context(|| format!("cannot create {}", runs.display()))?;
    let folder = root().join(CLIENTS);
    let asked = |mut inspector: Command, run: &str, more: &[&str]| -> Result<Value> {
        inspector.arg("--cli").arg(franz);
        inspector.args(["mcp", "--screen", "canvas", "--dashboard", "127.0.0.1:0", "--run-dir"]);
        inspector.arg(runs.join(run)).args(more);
        let said = output(&mut inspector)?;
        serde_json::from_slice(&said).context("the Inspector did not print JSON")
    };
    let listed = asked(
        node::script(&folder, INSPECTOR)?,
        "listing",
        &["--method", "tools/list"],
    )?;
    let tools = listed["tools"].as_array().map_or(0, Vec::len);
    ensure!(tools > 5, "the Inspector lists {tools} tools: {listed}");
    let click = ["--method", "tools/call", "--tool-name", "click_element"];
    let place = ["--tool-arg", "label=a dot", "--tool-arg", "box=[500,500]"];
    let mut again = Command::new("node");
    again.arg(INSPECTOR).current_dir(&folder);
    let clicked = asked(again, "calling", &[&click[..], &place[..]].concat())?;
    let (words, picture) = (&clicked["content"][0]["text"], &clicked["content"][1]["mimeType"]);
    ensure!(
        clicked["isError"] == false && words.as_str().is_some_and(|words| words.contains("clicked_at")),
        "the Inspector's click failed: {words}"
    );
    ensure!(picture == "image/png", "the Inspector received no picture: {clicked}");
    println!("the Inspector lists {tools} tools and calls one");
    Ok(())
}
