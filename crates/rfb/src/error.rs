//! Why a VNC server cannot be used.

use std::io;

/// Why a VNC server cannot be used, or no longer.
#[derive(Debug, thiserror::Error)]
pub enum RfbError {
    /// Something else listens there.
    #[error("no VNC server answers there; the answer was {0:?}")]
    NotVnc(String),
    /// The server lets nobody in.
    #[error("the VNC server refuses the connection: {0}")]
    Refused(String),
    /// The server asks for a password, and there is none.
    #[error("the VNC server asks for a password")]
    PasswordWanted,
    /// The password is not the server's.
    #[error("the VNC server does not accept the password: {0}")]
    WrongPassword(String),
    /// The server lets nobody in without a way that this client lacks.
    #[error("the VNC server offers only {0}, which FRANZ does not support")]
    NoWayIn(String),
    /// The server sent what no server may send.
    #[error("the VNC server broke the protocol: {0}")]
    Invalid(&'static str),
    /// The connection failed, or its end was reached.
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
