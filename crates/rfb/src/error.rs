//! The reasons why a VNC server cannot be used.

use std::io;

/// Why a VNC server cannot be used, or can no longer be used.
#[derive(Debug, thiserror::Error)]
pub enum RfbError {
    /// Something other than a VNC server listens at the address.
    #[error("that is not a VNC server; it answered {0:?}")]
    NotVnc(String),
    /// The server refuses the connection.
    #[error("the VNC server refused the connection: {0}")]
    Refused(String),
    /// The server asks for a password, and none was given.
    #[error("the VNC server asks for a password")]
    PasswordWanted,
    /// The server rejects the password.
    #[error("the VNC server does not accept the password: {0}")]
    WrongPassword(String),
    /// The server offers only security types that this client does not support.
    #[error("the VNC server offers only {0}, which FRANZ does not support")]
    NoWayIn(String),
    /// The server sent something that the protocol forbids.
    #[error("the VNC server violated the protocol: it sent {0}; update the server")]
    Invalid(&'static str),
    /// The connection failed or ended.
    #[error(transparent)]
    Io(io::Error),
}

impl From<io::Error> for RfbError {
    fn from(error: io::Error) -> RfbError {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => {
                RfbError::Io(io::Error::new(error.kind(), "the VNC server closed the connection"))
            }
            _ => RfbError::Io(error),
        }
    }
}
