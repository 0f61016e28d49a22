//! Tests the relay between raw peers: bytes must leave one end exactly as they entered the other.
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
