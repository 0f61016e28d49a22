//! Measures a turn without the model, once per command on stdin. `cargo xtask bench turn` uses it to compare FRANZ with
//! other programs.
//!
//! The argument names the desktop. `pattern` has 1920x1080 pixels, all of which are new each time. `terminal`,
//! `windows`, `page` and `wallpaper` are typical desktops of 1568x896 pixels. The first line on stdout contains the
//! display and its authority file. After that, each line on stdin is answered with one line:
//!
//! | asked | answered |
//! |---|---|
//! | `change` | `changed`, once the whole desktop is new |
//! | `desktop WIDTH HEIGHT MARKS` | the microseconds that each stage and the whole turn took, and the size of the PNG
//! file in bytes |
//! | `canvas DIRECTORY` | the same for a turn with eight drags that is recorded in this directory |
//! | `show FILE` | `shown`, once the last picture is in this file |
#![forbid(unsafe_code)]
#![allow(
    clippy::disallowed_methods,
    reason = "an example starts programs and writes files as anybody would"
)]

#[cfg(target_os = "linux")]
mod bench;

type Failure = Box<dyn std::error::Error>;

#[cfg(target_os = "linux")]
fn main() -> Result<(), Failure> {
    bench::answer(&std::env::args().nth(1).unwrap_or_else(|| "pattern".to_owned()))
}

#[cfg(not(target_os = "linux"))]
fn main() -> Result<(), Failure> {
    Err("turns are measured on private desktops, which only Linux has".into())
}
