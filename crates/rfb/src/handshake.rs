//! The handshake: the protocol version and the authentication.

use std::io::{Read, Write};

use crate::error::RfbError;
use crate::password::VncPassword;
use crate::wire::{Wire, printable};

/// The longest reason or name that a server may send, in bytes.
const LONGEST: usize = 64 << 10;

/// How many characters of a reason an error shows.
const SHOWN: usize = 300;

/// The security types, by number.
const NONE: u8 = 1;
const PASSWORD: u8 = 2;

/// How the server describes its screen at the start.
pub(crate) struct ServerStart {
    pub(crate) width: u16,
    pub(crate) height: u16,
    pub(crate) name: String,
}

/// The protocol versions that differ from a client's point of view.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Version {
    V3,
    V7,
    V8,
}

/// Performs the handshake. Requests a shared session, so that other clients stay connected.
pub(crate) fn shake<T: Read + Write>(
    wire: &mut Wire<T>,
    password: Option<&VncPassword>,
) -> Result<ServerStart, RfbError> {
    let version = version(wire)?;
    let kind = match version {
        // The server picks the security type.
        Version::V3 => u8::try_from(wire.u32()?).map_err(|_| RfbError::Invalid("an unknown security type"))?,
        Version::V7 | Version::V8 => {
            let count = wire.u8()?;
            let mut offered = Vec::new();
            wire.append(count.into(), &mut offered)?;
            if offered.is_empty() {
                return Err(RfbError::Refused(reason(wire)?));
            }
            let kind = choose(&offered, password)?;
            wire.send(&[kind])?;
            kind
        }
    };
    match (kind, password) {
        (0, _) => return Err(RfbError::Refused(reason(wire)?)),
        (NONE, _) => {}
        (PASSWORD, Some(password)) => {
            let challenge = wire.bytes()?;
            wire.send(&password.answer(challenge))?;
        }
        (PASSWORD, None) => return Err(RfbError::PasswordWanted),
        (other, _) => return Err(RfbError::NoWayIn(named(other))),
    }
    if kind == PASSWORD || version == Version::V8 {
        let result = wire.u32()?;
        if result != 0 {
            let why = match version {
                Version::V8 => reason(wire)?,
                _ => format!("it answered {result}"),
            };
            return Err(if kind == PASSWORD {
                RfbError::WrongPassword(why)
            } else {
                RfbError::Refused(why)
            });
        }
    }
    wire.send(&[1])?;
    let (width, height) = (wire.u16()?, wire.u16()?);
    let _format_of_its_own: [u8; 16] = wire.bytes()?;
    let name = wire.text(LONGEST)?;
    Ok(ServerStart { width, height, name })
}

fn version<T: Read + Write>(wire: &mut Wire<T>) -> Result<Version, RfbError> {
    let said: [u8; 12] = wire.bytes()?;
    let number = |digits: &[u8]| std::str::from_utf8(digits).ok()?.parse::<u16>().ok();
    let numbers = (said.starts_with(b"RFB ") && said[7] == b'.' && said[11] == b'\n')
        .then(|| number(&said[4..7]).zip(number(&said[8..11])))
        .flatten();
    let version = match numbers {
        Some((3, 3..=6)) => Version::V3,
        Some((3, 7)) => Version::V7,
        // Apple's servers announce 3.889, RealVNC's 4 or 5; all of them speak 3.8.
        Some((3, 8..) | (4..=5, _)) => Version::V8,
        _ => return Err(RfbError::NotVnc(printable(&said))),
    };
    wire.send(match version {
        Version::V3 => b"RFB 003.003\n",
        Version::V7 => b"RFB 003.007\n",
        Version::V8 => b"RFB 003.008\n",
    })?;
    Ok(version)
}

fn choose(offered: &[u8], password: Option<&VncPassword>) -> Result<u8, RfbError> {
    if offered.contains(&PASSWORD) && password.is_some() {
        Ok(PASSWORD)
    } else if offered.contains(&NONE) {
        Ok(NONE)
    } else if offered.contains(&PASSWORD) {
        Err(RfbError::PasswordWanted)
    } else {
        let names: Vec<_> = offered.iter().map(|kind| named(*kind)).collect();
        Err(RfbError::NoWayIn(names.join(", ")))
    }
}

/// Reads why the server refuses. The server can also close the connection without giving a reason.
fn reason<T: Read>(wire: &mut Wire<T>) -> Result<String, RfbError> {
    let reason = match wire.text(LONGEST) {
        Ok(reason) => reason.chars().take(SHOWN).collect(),
        Err(RfbError::Io(_)) => String::new(),
        Err(error) => return Err(error),
    };
    Ok(if reason.is_empty() {
        "it gave no reason".to_owned()
    } else {
        reason
    })
}

/// Returns a security type's name.
fn named(kind: u8) -> String {
    match kind {
        5 | 6 | 13 | 129 | 130 | 133 => "RealVNC's RSA-AES".to_owned(),
        16 => "Tight".to_owned(),
        18 => "TLS".to_owned(),
        19 => "VeNCrypt".to_owned(),
        30 | 33 | 35 | 36 => "a macOS account".to_owned(),
        other => format!("type {other}"),
    }
}
