//! The window manager of a private desktop. Without one, windows have no titles, and the keyboard might reach none of
//! them.

use std::io;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use super::Xvfb;
use crate::child::{self, Environment};
use crate::desktop::{DisplayError, managed};
use crate::private_desktop::PrivateDesktop as _;

/// Window managers that need no other software, the light ones first.
const KNOWN: [(&str, &[&str]); 8] = [
    ("openbox", &[]),
    ("xfwm4", &["--compositor=off"]),
    ("metacity", &["--no-composite"]),
    ("marco", &["--no-composite"]),
    ("icewm", &[]),
    ("fluxbox", &[]),
    ("mutter", &["--x11"]),
    ("kwin_x11", &[]),
];

/// Returns the window managers in the order in which they are tried.
pub(in crate::private_desktop) fn names() -> Vec<&'static str> {
    KNOWN.iter().map(|(name, _)| *name).collect()
}

/// How long to wait for a window manager to start, which takes seconds on a busy machine.
const START: Duration = Duration::from_secs(15);

/// Starts the first one available, and waits until it manages windows. Ends each one that does not, so that it cannot get
/// in the way of the next. Tries no more once the run is over.
pub(super) fn start(desktop: &mut Xvfb) -> Result<Option<&'static str>, DisplayError> {
    let is_over = Arc::clone(&desktop.is_over);
    for (name, arguments) in KNOWN {
        if is_over() {
            break;
        }
        let mut program = child::command(name, &Environment::helper());
        program.args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
        let failed = |error: io::Error| DisplayError::failed("starting a window manager", error);
        let id = match desktop.run(program) {
            Ok(id) => id,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(failed(error)),
        };
        let address = desktop.address();
        let is_running = &mut || !is_over() && desktop.spawner.is_running(id).unwrap_or_default();
        if managed(address, Arc::clone(&is_over), START, is_running)? {
            return Ok(Some(name));
        }
        desktop.spawner.end(id).map_err(failed)?;
    }
    Ok(None)
}
