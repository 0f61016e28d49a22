//! A program that must end: within its time, or when the person stops the suite.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use crate::stop::Stop;

/// How often to see whether a program has ended.
const LOOK: Duration = Duration::from_millis(10);

/// How long a program that is asked to end may take.
const GRACE: Duration = Duration::from_secs(5);

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HowEnded {
    /// With this exit code: 128 plus the signal's number if a signal ended it.
    Exited(u8),
    /// It was ended because its time was over.
    TooLate,
    /// It was ended because the person stops the suite.
    Stopped,
}

/// A program that has ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EndedProgram {
    pub(crate) how: HowEnded,
    pub(crate) seconds: f64,
}

/// Runs a program until it ends or its time is over. A program that is `asked` may then end in order; any other is
/// killed.
pub(crate) fn run(command: &mut Command, most: Duration, asked: bool, stop: &Stop) -> io::Result<EndedProgram> {
    let began = Instant::now();
    let mut child = command.spawn()?;
    let how = loop {
        if let Some(status) = child.try_wait()? {
            break HowEnded::Exited(code(status));
        }
        let stopped = stop.ending().is_some();
        if stopped || began.elapsed() >= most {
            end(&mut child, asked)?;
            break if stopped { HowEnded::Stopped } else { HowEnded::TooLate };
        }
        stop.sleep_until_over(LOOK);
    };
    kill_group(&child);
    Ok(EndedProgram {
        how,
        seconds: began.elapsed().as_secs_f64(),
    })
}

/// Returns the end of a file that a program wrote, as text.
#[expect(
    clippy::disallowed_methods,
    reason = "the suite made the file for the program's output"
)]
pub(crate) fn tail(file: &Path, most: u64) -> String {
    let read = || -> io::Result<Vec<u8>> {
        let mut file = File::open(file)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(most)))?;
        let mut bytes = Vec::new();
        file.take(most).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    String::from_utf8_lossy(&read().unwrap_or_default()).into_owned()
}

#[cfg(unix)]
fn code(status: std::process::ExitStatus) -> u8 {
    use std::os::unix::process::ExitStatusExt as _;
    let signal = status.signal().map(|signal| 128 + signal);
    status
        .code()
        .or(signal)
        .and_then(|code| u8::try_from(code).ok())
        .unwrap_or(u8::MAX)
}

#[cfg(not(unix))]
fn code(status: std::process::ExitStatus) -> u8 {
    status
        .code()
        .and_then(|code| u8::try_from(code).ok())
        .unwrap_or(u8::MAX)
}

/// Ends the program: asks it first, if it is to be asked.
fn end(child: &mut Child, asked: bool) -> io::Result<()> {
    if asked {
        ask(child);
        let deadline = Instant::now() + GRACE;
        while Instant::now() < deadline {
            if child.try_wait()?.is_some() {
                return Ok(());
            }
            std::thread::sleep(LOOK);
        }
    }
    kill_group(child);
    child.kill()?;
    child.wait().map(drop)
}

/// Asks a program to end. In a sandbox, the program is the child of the process that was started.
#[cfg(unix)]
fn ask(child: &Child) {
    use rustix::process::{Pid, Signal, kill_process};

    let own = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let inner = inner(child.id()).and_then(Pid::from_raw);
    if let Some(process) = inner.or(own) {
        let _ = kill_process(process, Signal::TERM);
    }
}

#[cfg(not(unix))]
fn ask(_: &Child) {}

/// Returns the process that a process of bubblewrap has started; `None` for any other.
#[cfg(unix)]
#[expect(clippy::disallowed_methods, reason = "the kernel's files, not those of a run")]
fn inner(process: u32) -> Option<i32> {
    let name = std::fs::read_to_string(format!("/proc/{process}/comm")).ok()?;
    if name.trim() != "bwrap" {
        return None;
    }
    let children = std::fs::read_to_string(format!("/proc/{process}/task/{process}/children")).ok()?;
    children.split_whitespace().next()?.parse().ok()
}

/// Kills what is left of the program's process group.
#[cfg(unix)]
fn kill_group(child: &Child) {
    use rustix::process::{Pid, Signal, kill_process_group};

    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        let _ = kill_process_group(group, Signal::KILL);
    }
}

#[cfg(not(unix))]
fn kill_group(_: &Child) {}
