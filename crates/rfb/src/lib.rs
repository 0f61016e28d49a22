//! A client for the VNC protocol (RFB, RFC 6143), which gives access to the screen, mouse and keyboard of another
//! machine.
//!
//! In reading order: [`address`] says where a server listens, `handshake` opens the connection, with a [`password`] if
//! one is required, and [`client`] requests pictures and sends input. [`framebuffer`] keeps what the server draws;
//! `wire` and `zrle` read it from the connection. [`keysym`] names keys, and [`clipboard`] exchanges text.
//!
//! The client trusts nothing that a server sends: it checks sizes, lengths and positions before it allocates or writes
//! anything, and limits how much it decompresses. The caller owns the connection, whose timeouts limit each read and
//! write.
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
