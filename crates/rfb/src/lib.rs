//! A client of the VNC protocol (RFB, RFC 6143): a screen elsewhere, its mouse and its keyboard.
//!
//! In reading order: [`address`] is where a server listens, `handshake` gets in, with a [`password`] if need be, and
//! [`client`] asks for pictures and sends input. What the server draws is kept in a [`framebuffer`]; `wire` and `zrle`
//! read it from the connection. [`keysym`] is how keys are named.
//!
//! Nothing that a server sends is believed: sizes, lengths and places are checked before anything is made or written,
//! and what is unpacked has a limit. How long a read or a write may take is up to the connection, which belongs to the
//! caller.
//!
//! Deliberately absent: TLS. Pictures and keys are sent as they are, so a server beyond this machine is for a tunnel.
#![forbid(unsafe_code)]

pub mod address;
pub mod client;
pub mod error;
pub mod framebuffer;
pub mod keysym;
pub mod password;

mod handshake;
mod wire;
mod zrle;

pub use address::{VncAddress, VncAddressError};
pub use client::{UpdateSummary, VncClient};
pub use error::RfbError;
pub use framebuffer::{Framebuffer, Rectangle, ServerCursor};
pub use password::VncPassword;

#[cfg(test)]
mod tests;
