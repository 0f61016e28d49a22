//! The Windows desktop, with programs that every Windows has. `cargo xtask windows` runs these tests under Wine.
#![cfg(windows)]
#![allow(
    clippy::disallowed_methods,
    reason = "tests start programs and write files as anybody would"
)]

#[expect(unsafe_code, reason = "the clipboard is opened as another program would")]
mod clipboard;
mod editor;
mod events;
mod held;
mod mouse;
mod person;
mod picture;
#[expect(unsafe_code, reason = "a window procedure is called by Windows")]
mod recorder;
mod stage;
mod typing;
#[expect(
    unsafe_code,
    reason = "what programs show is asked of Windows itself, by handles that are checked there"
)]
mod window;
mod windows;
