//! `franz guard`: watches over a foreign agent, and cleans up when the agent or its panel has gone.

use std::ffi::OsString;
use std::io::Read as _;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};
use franz_screen::child::{self, Environment};

use crate::exit::Unusable;

/// How long the guard waits between asking a process to end and killing it.
pub(super) const GRACE: Duration = Duration::from_secs(2);

/// The variable in which a foreign agent finds the run's directory.
pub(super) const RUN_DIR: &str = "FRANZ_RUN_DIR";

/// Returns the agent's environment.
pub(super) fn environment() -> Environment {
    Environment::foreign_agent().inheriting(&[RUN_DIR])
}

/// Runs a program in its own process group until it ends or this process's stdin is closed, then ends the whole group.
/// Returns the program's exit code. On Linux, the program ends even if this process is killed.
pub(crate) fn guard(command: &[OsString]) -> Result<u8> {
    let program = command.first().context("no command to guard")?;
    let mut command = leashed(command)?;
    let mut child = command
        .spawn()
        .map_err(|error| Unusable::usage(format!("{} cannot be started: {error}", program.display())))?;
    let group = child.id();
    std::thread::spawn(move || {
        let mut nothing = [0; 64];
        while matches!(std::io::stdin().read(&mut nothing), Ok(1..)) {}
        end_group(group);
    });
    let status = child.wait()?;
    end_group(group);
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

/// Returns the command unchanged. Only Linux can end a program together with the one that started it.
#[cfg(not(target_os = "linux"))]
fn leashed(command: &[OsString]) -> Result<Command> {
    let (program, arguments) = command.split_first().context("no command to guard")?;
    let mut command = child::command(program, &environment());
    command.args(arguments);
    Ok(command)
}

/// Asks every process in the group to end, and after a while kills those that are left.
#[cfg(unix)]
fn end_group(leader: u32) {
    use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};

    let group = i32::try_from(leader).ok().and_then(Pid::from_raw);
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

/// Ends the program and everything it has started, if the program itself is still running.
#[cfg(not(unix))]
fn end_group(leader: u32) {
    let mut command = child::command("taskkill", &Environment::helper());
    command.args(["/T", "/F", "/PID", &leader.to_string()]);
    let null = std::process::Stdio::null;
    let _ = command.stdout(null()).stderr(null()).status();
}
