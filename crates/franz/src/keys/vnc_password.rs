//! A VNC server's password: where it comes from, and how it gets to the agent and its guardian.

use std::fmt;
#[cfg(unix)]
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

/// A password to be sent to another of our processes. It is never shown.
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

/// Returns the password from the environment, if there is one. After that, the person's other programs cannot read this
/// process.
pub(crate) fn vnc_password() -> Result<Option<VncPassword>> {
    // Spaces can belong to a password.
    let password = std::env::var(PASSWORD).ok().filter(|text| !text.is_empty());
    let text = match (password, variable(PASSWORD_FILE)) {
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
    // A line break at the end is part of the file, not of the password.
    Ok(VncPassword::new(text.trim_end_matches(['\r', '\n'])))
}

/// Asks the person for the password in their terminal, without echoing it. `None` if there is no terminal to ask in.
pub(crate) fn ask_for_vnc_password(server: &VncAddress) -> Result<Option<VncPassword>> {
    let Some(typed) = unseen(&format!("Password of {server}: "))? else {
        return Ok(None);
    };
    closed::close();
    Ok(VncPassword::new(typed.trim_end_matches(['\r', '\n'])))
}

/// Reads a line without echoing it in the terminal.
#[cfg(unix)]
fn unseen(question: &str) -> Result<Option<String>> {
    use std::io::{IsTerminal as _, Write as _};

    use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, tcgetattr, tcsetattr};

    let (stdin, mut stderr) = (io::stdin(), io::stderr());
    if !stdin.is_terminal() || !stderr.is_terminal() {
        return Ok(None);
    }
    let shown = tcgetattr(&stdin)?;
    let mut hidden = shown.clone();
    // Read all keys here, including Ctrl+C, because a signal would leave the terminal hiding typed text.
    hidden
        .local_modes
        .remove(LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG);
    hidden.special_codes[SpecialCodeIndex::VMIN] = 1;
    hidden.special_codes[SpecialCodeIndex::VTIME] = 0;
    // Switch the echo off before asking, so that no answer comes too early.
    tcsetattr(&stdin, OptionalActions::Flush, &hidden)?;
    let asked = write!(stderr, "{question}").and_then(|()| stderr.flush());
    let typed = asked.and_then(|()| line_of(stdin.lock()));
    tcsetattr(&stdin, OptionalActions::Now, &shown)?;
    writeln!(stderr)?;
    let stopped = || Unusable::stopped("no password was given");
    Ok(Some(typed?.ok_or_else(stopped)?))
}

/// Reads a line key by key; `None` at Ctrl+C.
#[cfg(unix)]
fn line_of(keys: impl io::BufRead) -> io::Result<Option<String>> {
    const CTRL_C: u8 = 3;
    const CTRL_D: u8 = 4;
    const CTRL_U: u8 = 21;
    let mut line = Vec::new();
    for key in keys.bytes() {
        match key? {
            b'\r' | b'\n' | CTRL_D => break,
            CTRL_C => return Ok(None),
            CTRL_U => line.clear(),
            // Backspace removes a whole character.
            0x08 | 0x7f => while line.pop().is_some_and(|byte| byte & 0xc0 == 0x80) {},
            byte => line.push(byte),
        }
    }
    Ok(Some(String::from_utf8_lossy(&line).into_owned()))
}

/// Returns `None`, because on other systems a password can come only from the environment.
#[cfg(not(unix))]
fn unseen(_: &str) -> Result<Option<String>> {
    Ok(None)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_edited_as_it_is_typed() {
        for (keys, line) in [
            ("secret12\r", Some("secret12")),
            ("secret12", Some("secret12")),
            ("wrong\u{15}secret13\u{7f}2\nmore", Some("secret12")),
            ("gr\u{fc}\u{7f}\u{7f}\u{7f}\u{7f}\u{7f}ok\n", Some("ok")),
            ("\u{4}", Some("")),
            ("secret\u{3}", None),
        ] {
            assert_eq!(line_of(keys.as_bytes()).unwrap().as_deref(), line, "{keys:?}");
        }
    }
}
