//! A turn without the model, measured as often as somebody asks on stdin; `cargo xtask bench turn` does, beside other programs.
//!
//! The argument names the desktop: `pattern` of 1920x1080, all of whose pixels are new each time, or one as people have it, of
//! 1568x896: `terminal`, `windows`, `page`, `wallpaper`. The first line on stdout tells the display and its authority file. Then
//! each line on stdin is answered by one:
//!
//! | asked | answered |
//! |---|---|
//! | `change` | `changed`, once all of the desktop is new |
//! | `desktop WIDTH HEIGHT MARKS` | the microseconds of each stage and of the whole, and the bytes of the PNG file |
//! | `canvas DIRECTORY` | the same of a turn with eight drags that is recorded there |
//! | `show FILE` | `shown`, once the last picture is in that file |
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
