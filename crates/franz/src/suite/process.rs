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
        if has_ended(&mut child)? {
            break None;
        }
        let stopped = stop.ending().is_some();
        if stopped || began.elapsed() >= most {
            if asked {
                ask_to_end(&mut child)?;
            }
            break Some(if stopped { HowEnded::Stopped } else { HowEnded::TooLate });
        }
        stop.sleep_until_over(LOOK);
    };
    let seconds = began.elapsed().as_secs_f64();
    // Before the program is reaped, no other process can have its number.
    kill_group(&child);
    child.kill()?;
    let status = child.wait()?;
    let how = how.unwrap_or_else(|| HowEnded::Exited(code(status)));
    Ok(EndedProgram { how, seconds })
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

/// Asks the program to end, and waits a while for it.
fn ask_to_end(child: &mut Child) -> io::Result<()> {
    ask(child);
    let deadline = Instant::now() + GRACE;
    while Instant::now() < deadline && !has_ended(child)? {
        std::thread::sleep(LOOK);
    }
    Ok(())
}

/// Returns whether the program has ended. It is not reaped.
#[cfg(unix)]
fn has_ended(child: &mut Child) -> io::Result<bool> {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    Ok(waitid(WaitId::Pid(Pid::from_child(child)), options)?.is_some())
}

#[cfg(not(unix))]
fn has_ended(child: &mut Child) -> io::Result<bool> {
    Ok(child.try_wait()?.is_some())
}

/// Asks a program to end. In a sandbox, the program is the child of the process that was started.
#[cfg(unix)]
fn ask(child: &Child) {
    use rustix::process::{Pid, Signal, kill_process};

    let inner = inner(child.id()).and_then(Pid::from_raw);
    let _ = kill_process(inner.unwrap_or_else(|| Pid::from_child(child)), Signal::TERM);
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

    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
}

#[cfg(not(unix))]
fn kill_group(_: &Child) {}
