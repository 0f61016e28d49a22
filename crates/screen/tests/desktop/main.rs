//! Tests with real X servers and real programs.
#![allow(
    clippy::disallowed_methods,
    reason = "tests start programs and write files as anybody would"
)]

mod acting;
#[allow(dead_code, reason = "shared by two test programs, neither of which uses all of it")]
mod bare;
mod browser;
mod capture;
#[allow(dead_code, reason = "shared by two test programs, neither of which uses all of it")]
mod client;
mod clipboard;
mod elements;
mod frozen;
mod kill;
mod masked;
mod mute_compositor;
mod paint;
#[allow(dead_code, reason = "shared by two test programs, neither of which uses all of it")]
mod person;
mod private;
mod random;
mod server;
mod stage;
#[allow(dead_code, reason = "shared by two test programs, neither of which uses all of it")]
mod sway_host;
mod texts;
mod typing;
mod vnc;
mod vnc_clipboard;
#[allow(dead_code, reason = "shared by two test programs, neither of which uses all of it")]
mod vnc_host;
mod watching;
mod wayland;
#[allow(dead_code, reason = "shared by two test programs, neither of which uses all of it")]
mod wayland_client;
mod windows;
mod witness;
