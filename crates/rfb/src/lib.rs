//! A client for the VNC protocol (RFB, RFC 6143), which gives access to the screen, mouse and keyboard of another
//! machine.
//!
//! In reading order: [`address`] is where a server listens, `handshake` gets in, with a [`password`] if need be, and
//! [`client`] asks for pictures and sends input. What the server draws is kept in a [`framebuffer`]; `wire` and `zrle`
//! read it from the connection. [`keysym`] is how keys are named, [`clipboard`] exchanges texts.
//!
//! The client trusts nothing that a server sends: it checks sizes, lengths and positions before it allocates or writes
//! anything, and limits what it unpacks. The connection belongs to the caller and decides how long a read or a write
//! can take.
//!
//! Deliberately absent: TLS. Pictures and keys travel unencrypted, so reach a server on another machine through a
//! tunnel.
#![forbid(unsafe_code)]

pub mod address;
pub mod client;
pub mod clipboard;
pub mod error;
pub mod framebuffer;
pub mod keysym;
pub mod password;

mod handshake;
mod wire;
mod zrle;

pub use address::{VncAddress, VncAddressError};
pub use client::{UpdateSummary, VncClient};
pub use clipboard::ServerClipboard;
pub use error::RfbError;
pub use framebuffer::{Framebuffer, Rectangle, ServerCursor};
pub use password::VncPassword;

#[cfg(test)]
mod tests;
