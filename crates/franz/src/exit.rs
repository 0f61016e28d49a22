//! How the process ends: exit codes, and errors that carry one.

use std::fmt;

/// Why a command could not do its work, with the exit code that says so.
#[derive(Debug)]
pub(crate) struct Unusable {
    code: u8,
    message: String,
}

impl Unusable {
    /// Wrong usage: exit code 2.
    pub(crate) fn usage(message: impl fmt::Display) -> Unusable {
        Unusable::new(2, message)
    }

    /// The model server cannot be used: exit code 3.
    pub(crate) fn server(message: impl fmt::Display) -> Unusable {
        Unusable::new(3, message)
    }

    /// The screen cannot be used: exit code 4.
    pub(crate) fn screen(message: impl fmt::Display) -> Unusable {
        Unusable::new(4, message)
    }

    fn new(code: u8, message: impl fmt::Display) -> Unusable {
        Unusable {
            code,
            message: message.to_string(),
        }
    }
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Unusable {}

/// The exit code of an error: its own, or 1.
pub(crate) fn code(error: &anyhow::Error) -> u8 {
    error.downcast_ref::<Unusable>().map_or(1, |unusable| unusable.code)
}

/// The error in one line; with all its causes when `verbose`.
pub(crate) fn describe(error: &anyhow::Error, verbose: bool) -> String {
    if verbose {
        return format!("{error:?}");
    }
    let mut parts: Vec<String> = Vec::new();
    for cause in error.chain().map(ToString::to_string) {
        // A cause that its effect already quotes would be said twice.
        if parts.last().is_none_or(|effect| !effect.contains(&cause)) {
            parts.push(cause);
        }
    }
    parts.join(": ").replace('\n', " ")
}
