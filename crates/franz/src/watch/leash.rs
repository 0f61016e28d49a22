//! `franz leash`: becomes a program that the system ends together with its guard, even if the guard is killed.

use std::ffi::OsString;
use std::os::unix::process::CommandExt as _;

use anyhow::{Context, Result};
use franz_screen::child;
use rustix::process::{Pid, Signal, getppid, set_parent_process_death_signal};

use super::guard;
use crate::exit::Unusable;

/// Becomes the program. Returns only if it cannot be started, or if `parent`, its guard, is already gone.
pub(crate) fn leash(parent: u32, command: &[OsString]) -> Result<u8> {
    let (program, arguments) = command.split_first().context("no command to hold")?;
    set_parent_process_death_signal(Some(Signal::KILL)).context("cannot tie the agent to its guard")?;
    // If the guard was killed before this point, the signal will never come.
    let guard = getppid().map(Pid::as_raw_nonzero);
    if guard.and_then(|guard| u32::try_from(guard.get()).ok()) != Some(parent) {
        return Ok(1);
    }
    let error = child::command(program, &guard::environment()).args(arguments).exec();
    Err(Unusable::usage(format!("{} cannot be started: {error}", program.display())).into())
}
