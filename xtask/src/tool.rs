//! Programs in Rust that tasks use: the one of the system, or our own in target/tools.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::process::{cargo, run, succeeds, target};

/// A program that crates.io has.
pub(crate) struct Tool {
    /// The program, and its package.
    pub(crate) name: &'static str,
    /// What `cargo install` takes beside the name, to build no more of it than is used.
    pub(crate) options: &'static [&'static str],
}

impl Tool {
    /// Where it is, if it is.
    pub(crate) fn installed(&self) -> Result<Option<PathBuf>> {
        let candidates = [PathBuf::from(self.name), self.own()?];
        Ok(candidates
            .into_iter()
            .find(|program| succeeds(Command::new(program).arg("--version"))))
    }

    /// Where it is, built first where it is not.
    pub(crate) fn provide(&self) -> Result<PathBuf> {
        self.installed()?.map_or_else(|| self.install(), Ok)
    }

    fn own(&self) -> Result<PathBuf> {
        let name = format!("{}{}", self.name, std::env::consts::EXE_SUFFIX);
        Ok(target()?.join("tools").join("bin").join(name))
    }

    fn install(&self) -> Result<PathBuf> {
        let tools = target()?.join("tools");
        run(cargo(&["install", self.name, "--locked"])
            .args(self.options)
            .arg("--root")
            .arg(tools))?;
        self.own()
    }
}
