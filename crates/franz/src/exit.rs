//! How the process ends: exit codes, and errors that carry one.

use std::error::Error;
use std::fmt;

use crate::config::ConfigError;

use franz_dialect::family::FileError;
use franz_record::Exit;

/// The reason why a command failed, with the exit code to return.
#[derive(Debug)]
pub(crate) struct Unusable {
    exit: Exit,
    cause: Cause,
}

type Cause = Box<dyn Error + Send + Sync>;

impl Unusable {
    /// Returns an error for wrong usage.
    pub(crate) fn usage(cause: impl Into<Cause>) -> Unusable {
        Unusable {
            exit: Exit::Usage,
            cause: cause.into(),
        }
    }

    /// Returns an error for a model server that cannot be used.
    pub(crate) fn server(cause: impl Into<Cause>) -> Unusable {
        Unusable {
            exit: Exit::Server,
            cause: cause.into(),
        }
    }

    /// Returns an error for something that may succeed if it is tried again.
    pub(crate) fn incomplete(cause: impl Into<Cause>) -> Unusable {
        Unusable {
            exit: Exit::Incomplete,
            cause: cause.into(),
        }
    }

    /// Returns an error for a screen that cannot be used.
    pub(crate) fn screen(cause: impl Into<Cause>) -> Unusable {
        Unusable {
            exit: Exit::Screen,
            cause: cause.into(),
        }
    }

    /// Returns an error for a command that the person aborts.
    #[cfg(unix)]
    pub(crate) fn stopped(cause: impl Into<Cause>) -> Unusable {
        Unusable {
            exit: Exit::Stopped,
            cause: cause.into(),
        }
    }

    /// Returns the cause.
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

/// Returns the exit code of an error: its own, or 1.
pub(crate) fn code(error: &anyhow::Error) -> u8 {
    let exit = error
        .downcast_ref::<Unusable>()
        .map_or(Exit::Failed, |unusable| unusable.exit);
    exit.code()
}

/// Describes the error in one line, or with all its causes if `verbose`.
pub(crate) fn describe(error: &anyhow::Error, verbose: bool) -> String {
    if verbose {
        let causes: Vec<String> = error.chain().map(ToString::to_string).collect();
        return causes.join("\n  caused by: ");
    }
    // Each refused value has its own remedy, and each mistake its own position, so each gets its own line.
    let cause = error.downcast_ref::<Unusable>().map(Unusable::cause);
    let settings: Option<&ConfigError> = cause.and_then(|cause| cause.downcast_ref());
    if let Some(mistakes) = settings.filter(|error| error.has_lines()) {
        return mistakes.to_string();
    }
    if let Some(mistakes) = cause.and_then(|cause| cause.downcast_ref::<FileError>()) {
        return mistakes.to_string();
    }
    let mut parts: Vec<String> = Vec::new();
    for cause in error.chain().map(ToString::to_string) {
        // Skip a cause that the error above it already quotes; it would appear twice.
        if parts.last().is_none_or(|effect| !effect.contains(&cause)) {
            parts.push(cause);
        }
    }
    parts.join(": ").replace('\n', " ")
}
