//! `franz herd`: runs a program without a sandbox. Once it has ended, or the process that wants it is gone, everything
//! that it started ends, too, whatever group or session it is in.

use std::ffi::OsString;
use std::os::unix::process::CommandExt as _;
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use franz_screen::child::{self, Environment};
use rustix::process::{Pid, WaitOptions, getpgrp, getpid, getppid, set_child_subreaper, wait};

use super::descendants;
use crate::closed;
use crate::exit::Unusable;

/// The interval for checking whether the program has ended.
const LOOK: Duration = Duration::from_millis(5);

/// How long to keep killing processes that the program left behind. It may start processes as fast as they are killed.
const ENDING: Duration = Duration::from_secs(10);

/// Runs a program for the process `parent`. Returns its exit code: 128 plus the signal's number if a signal ended it.
pub(crate) fn herd(parent: u32, command: &[OsString]) -> Result<u8> {
    let (program, arguments) = command.split_first().context("no command to run")?;
    closed::close();
    let own = getpid();
    // Processes that the program leaves behind become children of this process.
    set_child_subreaper(Some(own)).context("cannot adopt processes")?;
    let mut child = child::command(program, &Environment::helper());
    child
        .args(arguments)
        .envs(std::env::vars_os())
        .stdin(Stdio::inherit())
        .process_group(getpgrp().as_raw_nonzero().get());
    let child = child
        .spawn()
        .map_err(|error| Unusable::usage(format!("{} cannot be started: {error}", program.display())))?;
    let program = Pid::from_child(&child);
    let mut code = None;
    while code.is_none() && is_parent(parent) {
        sleep(LOOK);
        code = reap(program);
    }
    let deadline = Instant::now() + ENDING;
    while descendants::kill(own) && Instant::now() < deadline {
        code = reap(program).or(code);
        std::thread::yield_now();
    }
    Ok(code.unwrap_or(1))
}

fn is_parent(parent: u32) -> bool {
    getppid().and_then(|now| u32::try_from(now.as_raw_nonzero().get()).ok()) == Some(parent)
}

/// Reaps all children that have ended. Returns the exit code of this one, if it is among them.
fn reap(program: Pid) -> Option<u8> {
    let mut code = None;
    while let Ok(Some((child, status))) = wait(WaitOptions::NOHANG) {
        if child == program {
            let signal = status.terminating_signal().map(|signal| 128 + signal);
            let exit = status.exit_status().or(signal);
            code = Some(exit.and_then(|exit| u8::try_from(exit).ok()).unwrap_or(u8::MAX));
        }
    }
    code
}
