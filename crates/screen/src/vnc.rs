//! Uses a screen on another machine over VNC: a virtual machine, a container or another computer.
//!
//! The screen is a desktop with one monitor. In reading order: `connection` reaches the server and never waits forever,
//! `remote_display` captures and acts, `keyboard` knows what can be typed there, `clipboard` exchanges text, and
//! `claim` keeps a second agent out.

mod claim;
mod clipboard;
mod connection;
mod keyboard;
mod remote_display;
#[cfg(test)]
mod tests;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Instant;

use franz_rfb::{RfbError, VncAddress, VncClient, VncPassword};

use crate::desktop::{Display, DisplayError, IsOver};
use connection::{ANSWER, PatientStream, connect};
pub use keyboard::RemoteKeyboard;
use remote_display::RemoteDisplay;

/// A VNC server, and how to use it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VncServer {
    /// The address at which it listens.
    pub address: VncAddress,
    /// Its password, if there is one.
    pub password: Option<VncPassword>,
    /// Whether pictures, keys and the password may travel to another machine unencrypted, readable by every machine on
    /// the way.
    pub unencrypted: bool,
    /// Which characters the server can type.
    pub keyboard: RemoteKeyboard,
    /// The directory for the locks that keep a second agent out.
    pub locks: PathBuf,
}

impl VncServer {
    /// Creates a server without a password and without a claim.
    pub fn at(address: VncAddress) -> VncServer {
        VncServer {
            address,
            password: None,
            unencrypted: false,
            keyboard: RemoteKeyboard::Auto,
            locks: PathBuf::new(),
        }
    }

    /// Opens the server's screen like [`open_until`](crate::desktop::open_until).
    pub(crate) fn open(&self, is_over: IsOver) -> Result<Box<dyn Display>, DisplayError> {
        let (stream, peer) = connect(self, is_over)?;
        match VncClient::connect(stream, self.password.as_ref()) {
            Ok(client) => Ok(Box::new(RemoteDisplay::new(client, self.clone(), peer))),
            Err(error) => Err(self.shut_out(error)),
        }
    }

    /// Explains why the server does not let FRANZ in, and what to do about it.
    fn shut_out(&self, error: RfbError) -> DisplayError {
        let at = &self.address;
        match error {
            RfbError::PasswordWanted => DisplayError::PasswordWanted(format!(
                "{at} asks for a password: set FRANZ_VNC_PASSWORD, or name a file that holds it in FRANZ_VNC_PASSWORD_FILE"
            )),
            RfbError::WrongPassword(why) => DisplayError::Refused(format!(
                "{at} does not accept the password ({why}); check FRANZ_VNC_PASSWORD or the file that FRANZ_VNC_PASSWORD_FILE names: \
                 only the first 8 bytes count"
            )),
            RfbError::NotVnc(said) => DisplayError::Unavailable(format!(
                "{at} is not a VNC server: it answered {said:?}; check the host and port"
            )),
            RfbError::Refused(why) => DisplayError::Unavailable(format!(
                "{at} refused the connection ({why}); check its settings, or wait a minute after wrong passwords"
            )),
            RfbError::NoWayIn(offered) => DisplayError::Unavailable(format!(
                "{at} offers only {offered}, which FRANZ does not support; enable VNC password authentication on the server, and connect to it through ssh"
            )),
            RfbError::Invalid(what) => DisplayError::Unavailable(format!(
                "{at} violated the VNC protocol: it sent {what}; check the port, or update the server"
            )),
            RfbError::Io(error) => DisplayError::Unavailable(format!(
                "there is no VNC server at {at} ({error}); check the host and port, and that the server is running"
            )),
        }
    }
}

/// Restarts the time limit for the server's answers.
fn wait_from_now(client: &mut VncClient<PatientStream>) {
    client.connection_mut().wait_until(Instant::now() + ANSWER);
}

/// Returns whether traffic to this address stays on this machine.
fn is_here(peer: SocketAddr) -> bool {
    peer.ip().to_canonical().is_loopback()
}
