//! The directory of a run. FRANZ claims it as a whole, and opens its files by name and never through a link.
//!
//! In reading order:
//!
//! - [`view`]: reads the files of a directory and changes nothing.
//! - [`home`]: writes the files of a claimed directory.
//! - [`lines`]: reads the lines of a file that somebody else may have written.
//! - [`append`] and [`torn_line`]: appends to files by whole entries, after any line that a crash cut short.
//! - [`claim`]: checks that a directory is safe before anything is written into it.
//! - [`names`]: lists every file that a run writes.
//! - [`unfinished`]: names the files that are still being written.
//! - [`mod@file`]: reads a file that the user names, outside of any run.
//! - [`shell`]: quotes the words of a command for the person.
//! - [`error`]: describes a failure and how to fix it.
//!
//! The path is used only once, to open the directory. From then on, files are opened by name relative to its
//! descriptor, so nobody can redirect a component of the path. No other crate in the project opens a run's files;
//! clippy enforces this (`disallowed-methods`).
//!
//! ```
//! use franz_home::Home;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let runs = tempfile::tempdir()?;
//! let home = Home::create(&runs.path().join("run"))?;
//! home.replace("state.json", b"{}", false)?;
//! assert_eq!(home.read("state.json", 100)?, b"{}");
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]
#![allow(
    clippy::disallowed_methods,
    reason = "this is the crate that opens the files of a run"
)]

pub mod append;
pub mod claim;
pub mod error;
pub mod file;
pub mod home;
pub mod lines;
pub mod names;
pub mod shell;
pub mod torn_line;
pub mod unfinished;
pub mod view;

mod entry;
#[cfg(any(test, feature = "faults"))]
pub mod faults;
mod handle;

pub use append::AppendFile;
pub use claim::ClaimError;
pub use entry::{Entry, EntryKind};
pub use error::DiskError;
pub use home::Home;
pub use lines::BoundedLines;
pub use torn_line::cut_unterminated;
pub use view::View;

/// The suffix of an incomplete file.
const UNFINISHED: &str = "tmp";

/// The largest number of bytes to read from a file, or a line, with one or two stories. A reply has at most 64 MB, and
/// escapes can make it longer.
pub const LARGEST: u64 = 256 << 20;
