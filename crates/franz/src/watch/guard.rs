//! `franz guard`: watches over a foreign agent, and cleans up when the agent or its panel has gone.

use std::ffi::OsString;
use std::io::Read as _;
use std::process::{Child, Command};
#[cfg(windows)]
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
#[cfg(windows)]
use franz_screen::child::ProcessJob;
use franz_screen::child::{self, Environment};

#[cfg(windows)]
use super::program_file;
use crate::exit::Unusable;
#[cfg(windows)]
use crate::stop::Stop;

/// How long the guard waits between asking a process to end and killing it.
pub(super) const GRACE: Duration = Duration::from_secs(2);

/// The variable in which a foreign agent finds the run's directory.
pub(super) const RUN_DIR: &str = "FRANZ_RUN_DIR";

/// Returns the agent's environment.
pub(super) fn environment() -> Environment {
    Environment::foreign_agent().inheriting(&[RUN_DIR])
}

/// Runs a program in its own process group until it ends or this process's stdin is closed, then ends the whole group.
/// Returns the program's exit code. On Linux, the program ends even if this process is killed; on Windows, everything
/// that it has started does, too.
pub(crate) fn guard(command: &[OsString]) -> Result<u8> {
    // Closing the console would end this process before it can end the group.
    #[cfg(windows)]
    Stop::default().listen().context("cannot listen for signals")?;
    let program = command.first().context("no command to guard")?;
    let mut command = leashed(command)?;
    let mut child = command
        .spawn()
        .map_err(|error| Unusable::usage(format!("{} cannot be started: {error}", program.display())))?;
    let group = ProcessGroup::of(&child);
    let watched = group.clone();
    std::thread::spawn(move || {
        let mut nothing = [0; 64];
        while matches!(std::io::stdin().read(&mut nothing), Ok(1..)) {}
        watched.end();
    });
    let status = child.wait()?;
    group.end();
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
}

/// Returns the command, tied to this process. When the thread that started it ends, which here is the main thread, the
/// system sends it a signal.
#[cfg(target_os = "linux")]
fn leashed(command: &[OsString]) -> Result<Command> {
    let itself = std::env::current_exe().context("cannot find the FRANZ executable to hold the agent")?;
    let mut leash = child::command(itself, &environment());
    leash
        .arg("leash")
        .arg(std::process::id().to_string())
        .arg("--")
        .args(command);
    Ok(leash)
}

/// Returns the command without a leash, because only Linux has one.
#[cfg(not(target_os = "linux"))]
fn leashed(command: &[OsString]) -> Result<Command> {
    let (program, arguments) = command.split_first().context("no command to guard")?;
    // Windows itself looks only for programs, not for scripts such as npm.cmd.
    #[cfg(windows)]
    let program = &program_file::find(program, &std::env::var_os("PATH").unwrap_or_default())
        .map_or_else(|| program.clone(), OsString::from);
    let mut command = child::command(program, &environment());
    command.args(arguments);
    Ok(command)
}

/// A program and everything that it has started.
#[derive(Clone)]
struct ProcessGroup {
    leader: u32,
    /// `None` if Windows refuses to make one.
    #[cfg(windows)]
    job: Option<Arc<ProcessJob>>,
}

#[cfg(unix)]
impl ProcessGroup {
    fn of(child: &Child) -> ProcessGroup {
        ProcessGroup { leader: child.id() }
    }

    /// Asks every process in the group to end, and after a while kills those that are left.
    fn end(&self) {
        use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};

        let group = i32::try_from(self.leader).ok().and_then(Pid::from_raw);
        let Some(group) = group else { return };
        let _ = kill_process_group(group, Signal::TERM);
        let deadline = std::time::Instant::now() + GRACE;
        while test_kill_process_group(group).is_ok() {
            if std::time::Instant::now() > deadline {
                let _ = kill_process_group(group, Signal::KILL);
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

#[cfg(windows)]
impl ProcessGroup {
    fn of(child: &Child) -> ProcessGroup {
        let job = ProcessJob::new().and_then(|job| job.add(child).map(|()| Arc::new(job)));
        ProcessGroup {
            leader: child.id(),
            job: job.ok(),
        }
    }

    /// Ends every process in the group. Without a job, it ends them only if the program itself is still running.
    fn end(&self) {
        if self.job.as_ref().is_some_and(|job| job.end().is_ok()) {
            return;
        }
        let mut command = child::command("taskkill", &Environment::helper());
        command.args(["/T", "/F", "/PID", &self.leader.to_string()]);
        let null = std::process::Stdio::null;
        let _ = command.stdout(null()).stderr(null()).status();
    }
}
