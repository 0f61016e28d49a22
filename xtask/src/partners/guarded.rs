//! A program that ends when this task does.

use std::fs::File;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context as _, Result};

/// A program and everything that it started. Dropping this value ends them all. If this task is killed, `franz guard`
/// ends them.
pub(super) struct Guarded(Child);

impl Guarded {
    /// Starts a program by its name and arguments. Its output goes to `log`.
    pub(super) fn start(franz: &Path, command: &[&str], environment: &[(&str, &str)], log: &Path) -> Result<Guarded> {
        let output = File::create(log).with_context(|| format!("cannot create {}", log.display()))?;
        let mut guard = Command::new(franz);
        guard
            .args(["guard", "--"])
            .args(command)
            .envs(environment.iter().copied());
        guard.stdin(Stdio::piped()).stdout(output.try_clone()?).stderr(output);
        Ok(Guarded(guard.spawn().context("cannot start franz guard")?))
    }

    /// Returns the process that ends the program.
    pub(super) fn id(&self) -> u32 {
        self.0.id()
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}
