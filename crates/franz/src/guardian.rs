//! A second process beside one that presses keys and buttons: when that one is killed, it releases them.

use std::io::{Read as _, Write as _};
use std::process::{Child, ChildStdin, Stdio};

use anyhow::{Context, Result};
use franz_screen::child::{self, Environment};
use franz_screen::desktop;

use crate::exit::Unusable;

/// What the guardian is told when everything is released.
const RELEASED: u8 = b'r';

/// The guardian of a display, for as long as this value lives.
pub(crate) struct Guardian {
    child: Child,
    line: Option<ChildStdin>,
}

impl Guardian {
    /// Starts one for the display of that name, or the person's own.
    pub(crate) fn of(display: Option<&str>) -> Result<Guardian> {
        let program = std::env::current_exe().context("this program cannot find itself, to start its guardian")?;
        // A signal that ends the agent's group must leave it: it has a group of its own.
        let mut command = child::command(program, &Environment::session());
        command.args(["release", "--when-closed"]);
        command.args(display.iter().flat_map(|name| ["--display", name]));
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let mut child = command
            .spawn()
            .context("the guardian of mouse and keyboard cannot be started")?;
        let line = child.stdin.take();
        Ok(Guardian { child, line })
    }
}

/// Whoever lives to say so has released everything.
impl Drop for Guardian {
    fn drop(&mut self) {
        if let Some(mut line) = self.line.take() {
            let _ = line.write_all(&[RELEASED]);
        }
        let _ = self.child.wait();
    }
}

/// `franz release`: frees every key and button that is held down on a display; `when_closed`: once stdin is closed without a word.
pub(crate) fn release(display: Option<&str>, when_closed: bool) -> Result<u8> {
    if when_closed && !is_abandoned() {
        return Ok(0);
    }
    let mut display = desktop::open(display).map_err(Unusable::screen)?;
    let freed = display.release().map_err(Unusable::screen)?;
    if freed.is_empty() {
        println!("nothing is held down on {}", display.name());
    } else {
        println!("released on {}: {}", display.name(), freed.join(", "));
    }
    Ok(0)
}

/// Waits for the end of stdin; tells whether it came without the word that everything is released.
fn is_abandoned() -> bool {
    let mut word = [0];
    !matches!(std::io::stdin().read(&mut word), Ok(1) if word == [RELEASED])
}
