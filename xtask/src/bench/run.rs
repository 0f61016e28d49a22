//! Runs `franz` with its panel, and observes it from outside.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, ensure};

use super::dashboard::Dashboard;
use super::model::Model;
use super::started::resident_mb;

/// The exit code of a run that the user stops.
const STOPPED: i32 = 130;

/// A run in progress, which ends when this value is dropped.
pub(super) struct Run {
    panel: Child,
    pub(super) directory: PathBuf,
    pub(super) started: Instant,
}

impl Run {
    /// Starts a run with this model in `directory`/run. Removes any earlier run there first.
    pub(super) fn start(program: &Path, directory: &Path, model: &Model, more: &[&str]) -> Result<Run> {
        let state = directory.join("state");
        let directory = directory.join("run");
        if directory.exists() {
            fs::remove_dir_all(&directory)?;
        }
        let mut command = Command::new(program);
        command.args(["run", "--no-open", "--dashboard", "127.0.0.1:0"]);
        command.args([
            "--set",
            "loop.executing_delay_s=0",
            "--set",
            "loop.patience=0",
            "--set",
            "loop.rest_s=0",
            "--upstream",
        ]);
        command.arg(format!("http://{}", model.address));
        command.arg("--run-dir").arg(&directory).args(more);
        command.env("XDG_STATE_HOME", state);
        command.stdin(Stdio::null()).stdout(Stdio::null());
        let started = Instant::now();
        Ok(Run {
            panel: command.spawn()?,
            directory,
            started,
        })
    }

    /// Stops the run as a user would. Returns when the stop was requested and when all processes had ended.
    pub(super) fn stop(mut self) -> Result<(Instant, Instant)> {
        let dashboard = Dashboard::of_run(&self.directory)?;
        let given = Instant::now();
        dashboard.post("/api/control", r#"{"do":"stop"}"#)?;
        let status = self.panel.wait().context("cannot wait for the panel")?;
        ensure!(status.code() == Some(STOPPED), "the run ended with {status}");
        Ok((given, Instant::now()))
    }

    /// Returns the panel's resident memory in MB, or `None` if the system does not report it.
    pub(super) fn panel_mb(&self) -> Option<f64> {
        resident_mb(self.panel.id())
    }

    /// Returns the agent's resident memory, measured the same way.
    pub(super) fn agent_mb(&self) -> Option<f64> {
        child_of(self.panel.id()).and_then(resident_mb)
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        // Neither of these is needed if the run has already ended.
        let _ = self.panel.kill();
        let _ = self.panel.wait();
    }
}

/// Returns the ID of a child of the process `id`; `None` if the system does not report it.
fn child_of(id: u32) -> Option<u32> {
    let tasks = fs::read_dir(format!("/proc/{id}/task")).ok()?;
    let mut children = tasks.filter_map(|task| fs::read_to_string(task.ok()?.path().join("children")).ok());
    children.find_map(|ids| ids.split_whitespace().next()?.parse().ok())
}
