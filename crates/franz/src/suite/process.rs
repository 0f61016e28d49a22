//! A program that ends at its time limit at the latest, or when the person stops the suite.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

#[cfg(unix)]
use super::descendants;
use super::limits::ProgramLimits;
#[cfg(target_os = "linux")]
use super::strays::{end as end_strays, spawn, wait};
use crate::stop::Stop;

/// The command of FRANZ that runs a program without a sandbox.
pub(super) const HERD: &str = "herd";

/// The interval for checking whether a program has ended.
const LOOK: Duration = Duration::from_millis(10);

/// The interval for checking its resource usage, and the least pause between checks, as a multiple of the time one
/// takes.
const MEASURE: Duration = Duration::from_millis(250);
const REST: u32 = 10;

/// How long a program that is asked to end may take to shut down.
pub(super) const GRACE: Duration = Duration::from_secs(5);

/// How long everything that a killed program started may take to end.
#[cfg(unix)]
const CLEANING: Duration = Duration::from_secs(20);

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HowEnded {
    /// With this exit code: 128 plus the signal's number if a signal ended it.
    Exited(u8),
    /// It was ended at its time limit.
    TooLate,
    /// It was ended because it had too many processes.
    TooMany,
    /// It wrote too much.
    TooMuch,
    /// It was ended because the person stops the suite.
    Stopped,
}

/// A program that has ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EndedProgram {
    pub(crate) how: HowEnded,
    pub(crate) seconds: f64,
}

/// Runs a program until it ends or its time is over. With a `grace`, the program is then asked to end, and may take
/// that long to shut down; otherwise it is killed.
pub(crate) fn run(
    command: &mut Command,
    most: Duration,
    grace: Option<Duration>,
    stop: &Stop,
) -> io::Result<EndedProgram> {
    run_within(command, ProgramLimits::of_time(most), grace, stop)
}

/// Runs a program until it ends or exceeds a limit.
pub(crate) fn run_within(
    command: &mut Command,
    limits: ProgramLimits<'_>,
    grace: Option<Duration>,
    stop: &Stop,
) -> io::Result<EndedProgram> {
    let began = Instant::now();
    let mut measured = began;
    // Just after the start, the kernel may not show the child's own command line yet.
    let is_herded = command.get_args().next() == Some(OsStr::new(HERD));
    let mut child = spawn(command)?;
    let how = loop {
        if has_ended(&mut child)? {
            break None;
        }
        if is_stopped(stop) || began.elapsed() >= limits.time {
            if let Some(grace) = grace {
                ask_to_end(&mut child, grace, stop)?;
            }
            break Some(if is_stopped(stop) {
                HowEnded::Stopped
            } else {
                HowEnded::TooLate
            });
        }
        let now = Instant::now();
        if now >= measured {
            if let Some(excess) = excess(&child, limits) {
                break Some(excess);
            }
            measured = Instant::now() + MEASURE.max(now.elapsed() * REST);
        }
        stop.sleep_until_over(LOOK);
    };
    let seconds = began.elapsed().as_secs_f64();
    end(&mut child)?;
    // Before the program is reaped, no other process can have its number.
    kill_group(&child);
    child.kill()?;
    let status = wait(&mut child)?;
    if is_herded && status.code().is_none() {
        // The program killed what kept it together, and may have left others behind.
        end_strays();
    }
    let how = how.unwrap_or_else(|| HowEnded::Exited(code(status)));
    let wrote_too_much = matches!(how, HowEnded::Exited(_)) && is_full(limits);
    Ok(EndedProgram {
        how: if wrote_too_much { HowEnded::TooMuch } else { how },
        seconds,
    })
}

#[cfg(not(target_os = "linux"))]
fn spawn(command: &mut Command) -> io::Result<Child> {
    command.spawn()
}

#[cfg(not(target_os = "linux"))]
fn wait(child: &mut Child) -> io::Result<std::process::ExitStatus> {
    child.wait()
}

#[cfg(not(target_os = "linux"))]
fn end_strays() {}

fn is_stopped(stop: &Stop) -> bool {
    stop.ending().is_some()
}

/// Returns the limit that a running program exceeds.
fn excess(child: &Child, limits: ProgramLimits<'_>) -> Option<HowEnded> {
    if limits.processes.is_some_and(|most| processes(child, limits) > most) {
        return Some(HowEnded::TooMany);
    }
    is_full(limits).then_some(HowEnded::TooMuch)
}

fn is_full(limits: ProgramLimits<'_>) -> bool {
    limits.folder.is_some_and(|folder| folder.is_exceeded())
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

/// Asks the program to end, and waits for it. A person who stops the suite waits for the shortest time.
fn ask_to_end(child: &mut Child, grace: Duration, stop: &Stop) -> io::Result<()> {
    ask(child);
    let asked = Instant::now();
    let is_over = || asked.elapsed() >= if is_stopped(stop) { grace.min(GRACE) } else { grace };
    while !is_over() && !has_ended(child)? {
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

/// Returns how many processes count towards a limit.
#[cfg(unix)]
fn processes(child: &Child, limits: ProgramLimits<'_>) -> usize {
    if limits.is_for_attempt {
        return of_attempt();
    }
    descendants::of(rustix::process::Pid::from_child(child)).len()
}

#[cfg(not(unix))]
fn processes(_: &Child, _: ProgramLimits<'_>) -> usize {
    0
}

/// Returns how many processes the attempt around this run has: all in its sandbox, or all below the process that keeps
/// them together.
#[cfg(unix)]
pub(super) fn of_attempt() -> usize {
    let first = rustix::process::getppid().unwrap_or_else(rustix::process::getpid);
    descendants::of(first).len()
}

#[cfg(not(unix))]
pub(super) fn of_attempt() -> usize {
    0
}

/// Kills a program, and waits until all its descendants are gone. The process around it sees to that: with the first
/// process of a sandbox, the system ends all others.
#[cfg(unix)]
fn end(child: &mut Child) -> io::Result<()> {
    use rustix::process::{Signal, kill_process};

    let deadline = Instant::now() + CLEANING;
    while is_around(child) && Instant::now() < deadline && !has_ended(child)? {
        if let Some(inner) = inner(child) {
            // It may have ended by now.
            let _ = kill_process(inner, Signal::KILL);
        }
        std::thread::sleep(LOOK);
    }
    Ok(())
}

#[cfg(not(unix))]
fn end(_: &mut Child) -> io::Result<()> {
    Ok(())
}

/// Asks a program to end.
#[cfg(unix)]
fn ask(child: &Child) {
    use rustix::process::{Pid, Signal, kill_process};

    let program = inner(child).unwrap_or_else(|| Pid::from_child(child));
    let _ = kill_process(program, Signal::TERM);
}

#[cfg(not(unix))]
fn ask(_: &Child) {}

/// Returns the program that runs inside the process that was started.
#[cfg(unix)]
fn inner(child: &Child) -> Option<rustix::process::Pid> {
    let children = || descendants::children(rustix::process::Pid::from_child(child));
    is_around(child).then(children)?.first().copied()
}

/// Returns whether the started process is a wrapper around the program: bubblewrap, or `franz herd`.
#[cfg(unix)]
#[expect(clippy::disallowed_methods, reason = "the kernel's files, not those of a run")]
fn is_around(child: &Child) -> bool {
    let read = |name: &str| std::fs::read(format!("/proc/{}/{name}", child.id())).unwrap_or_default();
    read("comm").trim_ascii() == b"bwrap" || read("cmdline").split(|&byte| byte == 0).nth(1) == Some(HERD.as_bytes())
}

/// Kills the remaining processes in the program's group.
#[cfg(unix)]
fn kill_group(child: &Child) {
    use rustix::process::{Pid, Signal, kill_process_group};

    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
}

#[cfg(not(unix))]
fn kill_group(_: &Child) {}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::super::limits::FolderLimit;
    use super::*;

    /// Runs a shell script in a folder. Returns how it ended.
    #[expect(clippy::disallowed_methods, reason = "the tests start programs")]
    fn ran(script: &str, folder: &Path, limits: ProgramLimits<'_>) -> HowEnded {
        use std::os::unix::process::CommandExt as _;

        let mut command = Command::new("sh");
        command.args(["-c", script]).current_dir(folder).process_group(0);
        run_within(&mut command, limits, None, &Stop::default()).unwrap().how
    }

    /// The time is too long for a test to wait for.
    const LONG: Duration = Duration::from_mins(10);

    #[test]
    fn a_program_with_too_many_processes_is_ended() {
        let folder = tempfile::tempdir().unwrap();
        let limits = |most| ProgramLimits {
            processes: Some(most),
            ..ProgramLimits::of_time(LONG)
        };
        let script = "for i in 1 2 3 4 5 6 7 8; do sleep 600 & done; wait";
        assert_eq!(ran(script, folder.path(), limits(5)), HowEnded::TooMany);
        let script = "for i in 1 2 3 4 5 6 7 8; do sleep 0.5 & done; wait";
        assert_eq!(ran(script, folder.path(), limits(50)), HowEnded::Exited(0));
    }

    #[test]
    fn a_program_that_writes_too_many_small_files_is_ended() {
        let folder = tempfile::tempdir().unwrap();
        let limits = |bytes| ProgramLimits {
            folder: Some(FolderLimit {
                folder: folder.path(),
                bytes,
                files: 100,
            }),
            ..ProgramLimits::of_time(LONG)
        };
        let writes = "for i in 1 2 3 4 5 6 7 8 9 10; do head -c 1000 /dev/zero > file$i; done";
        assert_eq!(ran(writes, folder.path(), limits(10_000)), HowEnded::Exited(0));
        // Neither a program that goes on nor one that ends at once may leave more.
        let goes_on = format!("{writes}; sleep 600");
        assert_eq!(ran(&goes_on, folder.path(), limits(9999)), HowEnded::TooMuch);
        assert_eq!(ran(writes, folder.path(), limits(9999)), HowEnded::TooMuch);
    }
}
