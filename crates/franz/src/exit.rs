//! How the process ends: exit codes, and errors that carry one.

use std::error::Error;
use std::fmt;

use crate::config::ConfigError;

use franz_record::Exit;

/// Why a command could not do its work, with the exit code that says so.
#[derive(Debug)]
pub(crate) struct Unusable {
    exit: Exit,
    cause: Cause,
}

type Cause = Box<dyn Error + Send + Sync>;

impl Unusable {
    /// Wrong usage.
    pub(crate) fn usage(cause: impl Into<Cause>) -> Unusable {
        Unusable {
            exit: Exit::Usage,
            cause: cause.into(),
        }
    }

    /// The model server cannot be used.
    pub(crate) fn server(cause: impl Into<Cause>) -> Unusable {
        Unusable {
            exit: Exit::Server,
            cause: cause.into(),
        }
    }

    /// The screen cannot be used.
    pub(crate) fn screen(cause: impl Into<Cause>) -> Unusable {
        Unusable {
            exit: Exit::Screen,
            cause: cause.into(),
        }
    }

    /// What it is about.
    pub(crate) fn cause(&self) -> &(dyn Error + Send + Sync + 'static) {
        self.cause.as_ref()
    }
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.cause.fmt(f)
    }
}

impl Error for Unusable {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.cause.source()
    }
}

/// The exit code of an error: its own, or 1.
pub(crate) fn code(error: &anyhow::Error) -> u8 {
    let exit = error
        .downcast_ref::<Unusable>()
        .map_or(Exit::Failed, |unusable| unusable.exit);
    exit.code()
}

/// The error in one line; with all its causes when `verbose`.
pub(crate) fn describe(error: &anyhow::Error, verbose: bool) -> String {
    if verbose {
        let causes: Vec<String> = error.chain().map(ToString::to_string).collect();
        return causes.join("\n  caused by: ");
    }
    // Each value that is refused has its own way to be allowed, and its own line.
    let unusable = error.downcast_ref::<Unusable>();
    if let Some(refused @ ConfigError::Refused(_)) = unusable.and_then(|one| one.cause().downcast_ref()) {
        return refused.to_string();
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
