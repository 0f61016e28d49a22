//! The relay between raw peers: what goes in at one end comes out at the other, byte for byte.
#![allow(clippy::disallowed_methods, reason = "tests read and write files as anybody would")]

mod aborts;
mod copies;
mod early;
mod exchanges;
mod gate;
mod limits;
mod policing;
mod stage;
mod streaming;
mod tls;
mod traffic;
mod users;
mod verbatim;
mod watching;
