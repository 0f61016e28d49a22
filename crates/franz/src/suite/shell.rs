//! The shell around a program of a suite: it limits the program, and marks that it has started.
//!
//! If bubblewrap cannot set up the sandbox, it ends with 1, as a check does that finds its task not solved. So the shell
//! first writes to its standard input, a file that nothing else in the sandbox can reach.

use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use super::process::{self, EndedProgram, HowEnded};
use super::scratch::file;

/// The largest file that a program may write, in the blocks of 512 bytes that `ulimit` counts: 1 GB.
const MOST_BLOCKS: u64 = 1 << 21;

/// The name of the file with the mark.
const STARTED: &str = "started.txt";

/// Marks the start, and takes the file away from the program.
const MARKS: &str = "echo started >&0; exec </dev/null; ";

/// How much is read of what a program printed.
const PRINTED: u64 = 4 << 10;

/// A file that the shell of one program writes to.
pub(super) struct StartMark(PathBuf);

impl StartMark {
    /// Names the file in a folder that the program cannot read.
    pub(super) fn new(folder: &Path) -> StartMark {
        StartMark(folder.join(STARTED))
    }

    /// Returns the standard input of the shell.
    pub(super) fn stdin(&self) -> Result<File> {
        Ok(file(&self.0)?)
    }

    /// Fails if the program has ended without having started. The reason is at the end of what it printed.
    pub(super) fn check(&self, ended: EndedProgram, printed: &Path) -> Result<()> {
        let has_started = self.0.metadata().is_ok_and(|status| status.len() > 0);
        if has_started || ended.how == HowEnded::Stopped || cfg!(windows) {
            return Ok(());
        }
        let printed = process::tail(printed, PRINTED);
        let reason = printed.lines().last().unwrap_or("its sandbox gave no reason");
        bail!("{reason}")
    }
}

/// Returns the beginning of a command line like [`limited`], whose shell marks the start in its standard input.
pub(super) fn limited_and_marked(program: OsString, processes: Option<usize>) -> Vec<OsString> {
    let mut arguments = limited(program, processes);
    if let Some(script) = arguments.get_mut(2) {
        let mut marking = OsString::from(MARKS);
        marking.push(&script);
        *script = marking;
    }
    arguments
}

/// Returns the beginning of a command line that limits the size of files, and the number of processes if one is given.
/// Without `ulimit`, nothing is limited.
pub(crate) fn limited(program: OsString, processes: Option<usize>) -> Vec<OsString> {
    if cfg!(windows) {
        return vec![program];
    }
    // Shells disagree about the option's name.
    let processes = processes.map(|most| format!("{{ ulimit -u {most} || ulimit -p {most}; }} 2>/dev/null; "));
    let limit = format!(
        "ulimit -f {MOST_BLOCKS} 2>/dev/null; {}exec \"$@\"",
        processes.unwrap_or_default()
    );
    vec!["sh".into(), "-c".into(), limit.into(), "sh".into(), program]
}
