//! A second process beside one that presses keys and buttons. It releases them when the first one is killed.

use std::io::{Read as _, Write as _};
use std::process::{Child, ChildStdin, Stdio};
#[cfg(unix)]
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use franz_screen::child::{self, Environment};
use franz_screen::{Target, desktop};

use crate::exit::Unusable;

/// What the guardian is told once everything is released.
const RELEASED: u8 = b'r';

/// The longest wait for the end of an agent that has closed its end of stdin.
#[cfg(unix)]
const DYING: Duration = Duration::from_secs(10);

/// The guardian of a display. It stays as long as this value lives.
pub(crate) struct Guardian {
    child: Child,
    line: Option<ChildStdin>,
}

impl Guardian {
    /// Starts a guardian for this desktop.
    pub(crate) fn of(target: &Target) -> Result<Guardian> {
        let program = std::env::current_exe().context("cannot find the FRANZ executable to start the guardian")?;
        // A group of its own keeps it from a signal that ends the agent's group.
        let mut command = child::command(program, &Environment::session());
        command.args(["release", "--when-closed"]);
        if let Target::X11(name) = target {
            command.args(["--display", name]);
        }
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let mut child = command
            .spawn()
            .context("cannot start the guardian of mouse and keyboard")?;
        let line = child.stdin.take();
        Ok(Guardian { child, line })
    }
}

/// A process that lives long enough to say so has released everything.
impl Drop for Guardian {
    fn drop(&mut self) {
        if let Some(mut line) = self.line.take() {
            let _ = line.write_all(&[RELEASED]);
        }
        let _ = self.child.wait();
    }
}

/// `franz release`: frees every key and button that is held down on a desktop. With `when_closed`, it does so only
/// after stdin is closed without a word.
pub(crate) fn release(target: &Target, when_closed: bool) -> Result<u8> {
    let agent = parent();
    if when_closed && !is_abandoned() {
        return Ok(0);
    }
    let mut display = desktop::open(target).map_err(Unusable::screen)?;
    let mut freed = display.release().map_err(Unusable::screen)?;
    if when_closed {
        // Until a dying agent has closed everything, the keys that it lent symbols to are taken for its own.
        wait_until_gone(agent);
        freed.extend(display.release().map_err(Unusable::screen)?);
    }
    if freed.is_empty() {
        println!("nothing is held down on {}", display.name());
    } else {
        println!("released on {}: {}", display.name(), freed.join(", "));
    }
    Ok(0)
}

/// Waits for the end of stdin. Returns whether it came without the word that everything is released.
fn is_abandoned() -> bool {
    let mut word = [0];
    !matches!(std::io::stdin().read(&mut word), Ok(1) if word == [RELEASED])
}

#[cfg(unix)]
fn parent() -> u32 {
    std::os::unix::process::parent_id()
}

/// Waits, for a while, until the parent has ended and this process has another one.
#[cfg(unix)]
fn wait_until_gone(process: u32) {
    let began = Instant::now();
    while parent() == process && began.elapsed() < DYING {
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[cfg(not(unix))]
fn parent() -> u32 {
    0
}

/// Nothing to wait for: symbols are lent to keys only on X servers.
#[cfg(not(unix))]
fn wait_until_gone(_: u32) {}
