//! The processes of this machine, as `/proc` lists them.

use std::fs;
use std::process::Command;

use anyhow::Result;

use crate::process::run;

/// A process.
pub(super) struct Process {
    pub(super) id: u32,
    /// The process that started it, or that took it over.
    pub(super) parent: u32,
    /// Its program and arguments, each followed by a zero.
    words: Vec<u8>,
}

impl Process {
    /// Lists all processes.
    pub(super) fn all() -> Result<Vec<Process>> {
        let entries = fs::read_dir("/proc")?.collect::<Result<Vec<_>, _>>()?;
        let ids = entries
            .iter()
            .filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        Ok(ids.filter_map(Process::read).collect())
    }

    /// Reads a process; `None` if it has ended in the meantime.
    fn read(id: u32) -> Option<Process> {
        let status = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        // The program's name stands in parentheses and can contain anything; its state and parent follow.
        let (_, after) = status.rsplit_once(')')?;
        Some(Process {
            id,
            parent: after.split_whitespace().nth(1)?.parse().ok()?,
            words: fs::read(format!("/proc/{id}/cmdline")).ok()?,
        })
    }

    /// Returns whether its command contains these words in a row.
    pub(super) fn has(&self, words: &[&str]) -> bool {
        let sought = words.join("\0");
        let mut windows = self.words.windows(sought.len());
        windows.any(|window| window == sought.as_bytes())
    }

    /// Returns whether it is one of Slurm's own processes, or has ended and waits for its parent.
    pub(super) fn is_of_slurm(&self) -> bool {
        self.words.is_empty() || self.words.starts_with(b"slurm")
    }

    /// Returns whether it was started with this environment variable.
    pub(super) fn has_variable(&self, variable: &str) -> bool {
        let environment = fs::read(format!("/proc/{}/environ", self.id)).unwrap_or_default();
        environment
            .split(|byte| *byte == 0)
            .any(|one| one == variable.as_bytes())
    }

    /// Returns whether it descends from another.
    pub(super) fn descends_from(&self, ancestor: u32, all: &[Process]) -> bool {
        let mut parent = self.parent;
        while parent > 1 {
            if parent == ancestor {
                return true;
            }
            parent = all
                .iter()
                .find(|process| process.id == parent)
                .map_or(0, |process| process.parent);
        }
        false
    }
}

/// Sends a signal to a process.
pub(super) fn end(id: u32, signal: &str) -> Result<()> {
    run(Command::new("kill").args(["-s", signal, &id.to_string()]))
}
