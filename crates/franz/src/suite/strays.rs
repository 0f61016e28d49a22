//! What an attempt leaves behind if it kills the process that keeps it together. It becomes a child of this process, and
//! ends with the attempt.

use std::io;
use std::process::{Child, Command, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::yield_now;
use std::time::{Duration, Instant};

use rustix::io::retry_on_intr;
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, WaitOptions, getpid, kill_process, set_child_subreaper, waitid, waitpid,
};

use super::descendants;

/// How long to keep killing them. They may start processes as fast as they are killed.
const ENDING: Duration = Duration::from_secs(10);

/// Whether every child that this process did not start was left behind by an attempt.
static ADOPTS: AtomicBool = AtomicBool::new(false);

/// The programs that this process has started. No other child is started while they are locked.
static OWN: Mutex<Vec<Pid>> = Mutex::new(Vec::new());

/// Makes this process adopt what attempts leave behind. It does not if it has children already, as after `exec` in a
/// shell with jobs: it would adopt what those leave behind, too.
pub(super) fn adopt() {
    let own = getpid();
    let adopts = descendants::children(own).is_empty() && set_child_subreaper(Some(own)).is_ok();
    ADOPTS.store(adopts, Ordering::Relaxed);
}

/// Starts a program.
pub(super) fn spawn(command: &mut Command) -> io::Result<Child> {
    let mut own = own();
    let child = command.spawn()?;
    own.push(Pid::from_child(&child));
    Ok(child)
}

/// Waits for the end of a program.
pub(super) fn wait(child: &mut Child) -> io::Result<ExitStatus> {
    let program = Pid::from_child(child);
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    retry_on_intr(|| waitid(WaitId::Pid(program), options))?;
    // Until it is reaped, no other process can have its number.
    let mut own = own();
    own.retain(|one| *one != program);
    child.wait()
}

/// Kills all that was left behind, and waits until it is gone.
pub(super) fn end() {
    let deadline = Instant::now() + ENDING;
    while ADOPTS.load(Ordering::Relaxed) && kill_all() && Instant::now() < deadline {
        yield_now();
    }
}

/// Returns whether there were any.
fn kill_all() -> bool {
    let own = own();
    let mut strays = descendants::children(getpid());
    strays.retain(|child| !own.contains(child));
    for stray in &strays {
        descendants::kill(*stray);
        // It may have ended by now.
        let _ = kill_process(*stray, Signal::KILL);
        let _ = waitpid(Some(*stray), WaitOptions::NOHANG);
    }
    !strays.is_empty()
}

fn own() -> MutexGuard<'static, Vec<Pid>> {
    OWN.lock().unwrap_or_else(PoisonError::into_inner)
}
