//! A real browser, used as a screen.
#![allow(
    clippy::disallowed_methods,
    reason = "tests start programs and write files as anybody would"
)]

mod acting;
mod dialogs;
mod elements;
mod ends;
mod pages;
mod pictures;
mod stage;
