//! Rust programs that tasks use. They are either installed on the system or kept in target/tools.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::process::{cargo, run, succeeds, target};

/// A program available on crates.io.
pub(crate) struct Tool {
    /// The name of the program and of its package.
    pub(crate) name: &'static str,
    /// Further options for `cargo install`, so that it builds only the parts that are used.
    pub(crate) options: &'static [&'static str],
}

impl Tool {
    /// Returns the program's path, if it is installed.
    pub(crate) fn installed(&self) -> Result<Option<PathBuf>> {
        let candidates = [PathBuf::from(self.name), self.own()?];
        Ok(candidates
            .into_iter()
            .find(|program| succeeds(Command::new(program).arg("--version"))))
    }

    /// Returns the program's path. Builds the program first if necessary.
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
