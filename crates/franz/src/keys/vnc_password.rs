//! The password of a VNC server: where it comes from, and how it reaches the agent and its guardian.

use std::fmt;
use std::io;

use anyhow::Result;
use franz_rfb::{VncAddress, VncPassword};
use serde::{Deserialize, Serialize};

use super::{file, variable};
use crate::closed;
use crate::exit::Unusable;

/// The variable that holds the password, and the variable that names a file with the password.
const PASSWORD: &str = "FRANZ_VNC_PASSWORD";
const PASSWORD_FILE: &str = "FRANZ_VNC_PASSWORD_FILE";

/// A password on its way to another process of ours. It is never shown.
#[derive(Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct HeldPassword(String);

impl HeldPassword {
    pub(crate) fn of(password: &VncPassword) -> HeldPassword {
        HeldPassword(password.text().to_owned())
    }

    pub(crate) fn password(&self) -> Option<VncPassword> {
        VncPassword::new(&self.0)
    }
}

impl fmt::Debug for HeldPassword {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HeldPassword")
    }
}

/// Returns the password from the environment, if there is one. From then on, no other program of the person can read
/// this process.
pub(crate) fn vnc_password() -> Result<Option<VncPassword>> {
    let text = match (variable(PASSWORD), variable(PASSWORD_FILE)) {
        (Some(_), Some(_)) => {
            return Err(Unusable::usage(format!(
                "{PASSWORD} and {PASSWORD_FILE} are both set; unset one of them"
            ))
            .into());
        }
        (Some(text), None) => text,
        (None, Some(path)) => file::read("the VNC password", path.as_ref())?,
        (None, None) => return Ok(None),
    };
    closed::close();
    // A line break at the end belongs to the file.
    Ok(VncPassword::new(text.trim_end_matches(['\r', '\n'])))
}

/// Asks the person for the password in their terminal, without showing what they type. `None` if nobody can be asked.
pub(crate) fn ask_for_vnc_password(server: &VncAddress) -> io::Result<Option<VncPassword>> {
    let Some(typed) = unseen(&format!("Password of {server}: "))? else {
        return Ok(None);
    };
    closed::close();
    Ok(VncPassword::new(typed.trim_end_matches(['\r', '\n'])))
}

/// Reads a line without showing it in the terminal.
#[cfg(unix)]
fn unseen(question: &str) -> io::Result<Option<String>> {
    use std::io::{IsTerminal as _, Write as _};

    use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};

    let (stdin, mut stderr) = (io::stdin(), io::stderr());
    if !stdin.is_terminal() || !stderr.is_terminal() {
        return Ok(None);
    }
    let shown = tcgetattr(&stdin)?;
    let mut hidden = shown.clone();
    hidden.local_modes.remove(LocalModes::ECHO);
    write!(stderr, "{question}")?;
    stderr.flush()?;
    tcsetattr(&stdin, OptionalActions::Flush, &hidden)?;
    let mut line = String::new();
    let read = stdin.read_line(&mut line);
    tcsetattr(&stdin, OptionalActions::Now, &shown)?;
    writeln!(stderr)?;
    read?;
    Ok(Some(line))
}

/// Returns `None`: on other systems, a password comes only from the environment.
#[cfg(not(unix))]
fn unseen(_: &str) -> io::Result<Option<String>> {
    Ok(None)
}
