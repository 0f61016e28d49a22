//! On macOS, a browser ends when its pipes are closed, which also happens when this process dies. A shell waits for the
//! browser to end and then removes its directory.

use std::fs::File;
use std::io::{self, PipeReader, PipeWriter};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use super::pipes;
use crate::child::{self, Environment};

/// How long a browser may take to end after its pipes are closed.
const FAREWELL: Duration = Duration::from_secs(3);

/// The shell script, which gets the directory, the program and its arguments.
const SCRIPT: &str = r#""$@" & exec 3<&- 4>&-; wait; rm -rf -- "$0""#;

pub(super) struct ProcessGuard(Child);

pub(super) fn start(
    program: &Path,
    arguments: &[String],
    environment: &Environment,
    folder: &Path,
    said: File,
) -> io::Result<(ProcessGuard, PipeReader, PipeWriter)> {
    let mut command = child::command("/bin/sh", environment);
    command
        .arg("-c")
        .arg(SCRIPT)
        .arg(folder)
        .arg(program)
        .arg("--remote-debugging-pipe")
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(said);
    let (pipes, hears, says) = pipes::connect(&mut command)?;
    let child = command.spawn()?;
    drop(pipes);
    Ok((ProcessGuard(child), hears, says))
}

impl Drop for ProcessGuard {
    fn drop(&mut self) {
        let until = Instant::now() + FAREWELL;
        while matches!(self.0.try_wait(), Ok(None)) && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(10));
        }
        end_group(self.0.id());
        let _ = self.0.wait();
    }
}

#[expect(unsafe_code, reason = "ending a process group")]
fn end_group(leader: u32) {
    // SAFETY: The call touches no memory; the group was made for this child, which has not been waited for.
    unsafe { libc::kill(-leader.cast_signed(), libc::SIGKILL) };
}
