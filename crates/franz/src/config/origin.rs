//! Where a value of the configuration comes from.

use std::fmt;
use std::path::{Path, PathBuf};

/// The origin of one value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    Default,
    BuiltInProfile(&'static str),
    File {
        kind: FileKind,
        path: PathBuf,
        /// The key's line, counted from 1; 0 for the file as a whole.
        line: usize,
    },
    Environment {
        variable: String,
    },
    CommandLine {
        flag: String,
    },
    /// An edit in the dashboard.
    Dashboard,
    /// The run stored the value outside its directory at an earlier start. `named` means that the person gave the value
    /// at that time.
    Kept {
        named: bool,
    },
    /// FRANZ has learned that the model or its server needs the value.
    Learned,
}

/// The kinds of configuration files, from the person's own to that of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileKind {
    /// A file below the person's own configuration folder.
    Own,
    /// A file named with `--profile`.
    Profile,
    /// The `franz.toml` of the working directory.
    Directory,
    /// The `config.toml` of a run.
    Run,
}

impl Origin {
    pub(crate) fn flag(flag: impl Into<String>) -> Origin {
        Origin::CommandLine { flag: flag.into() }
    }

    pub(crate) fn variable(variable: impl Into<String>) -> Origin {
        Origin::Environment {
            variable: variable.into(),
        }
    }

    /// Returns the origin of a file as a whole.
    pub(crate) fn file(kind: FileKind, path: impl AsRef<Path>) -> Origin {
        Origin::File {
            kind,
            path: path.as_ref().to_owned(),
            line: 0,
        }
    }

    /// Returns the same origin, at this line if it is a file.
    pub(crate) fn at_line(&self, line: usize) -> Origin {
        match self {
            Origin::File { kind, path, .. } => Origin::File {
                kind: *kind,
                path: path.clone(),
                line,
            },
            other => other.clone(),
        }
    }

    /// Returns the line in the file; 0 for a file as a whole and for any other origin.
    pub(crate) fn line(&self) -> usize {
        match self {
            Origin::File { line, .. } => *line,
            _ => 0,
        }
    }

    /// Checks whether the person gave the value: on the command line, in the environment or in their own configuration
    /// folder.
    pub(crate) fn is_persons_own(&self) -> bool {
        match self {
            Origin::Environment { .. } | Origin::CommandLine { .. } => true,
            Origin::File { kind, .. } => *kind == FileKind::Own,
            Origin::Kept { named } => *named,
            Origin::Default | Origin::BuiltInProfile(_) | Origin::Dashboard | Origin::Learned => false,
        }
    }
}

/// Writes the origin in the form used in errors: `franz.toml:3`, `--set`, `environment variable FRANZ_MODEL__NAME`.
impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Default => f.write_str("defaults"),
            Origin::BuiltInProfile(name) => f.write_str(name),
            Origin::File { path, line: 0, .. } => write!(f, "{}", path.display()),
            Origin::File { path, line, .. } => write!(f, "{}:{line}", path.display()),
            Origin::Environment { variable } => write!(f, "environment variable {variable}"),
            Origin::CommandLine { flag } => f.write_str(flag),
            Origin::Dashboard => f.write_str("the dashboard"),
            Origin::Kept { .. } => f.write_str("the run's own settings"),
            Origin::Learned => f.write_str("what FRANZ remembers about the model"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_persons_own_sources_make_a_value_their_own() {
        let file = |kind| Origin::file(kind, "a.toml").at_line(3);
        for (origin, own, shown) in [
            (Origin::Default, false, "defaults"),
            (Origin::BuiltInProfile("draw"), false, "draw"),
            (file(FileKind::Own), true, "a.toml:3"),
            (file(FileKind::Profile), false, "a.toml:3"),
            (file(FileKind::Directory), false, "a.toml:3"),
            (file(FileKind::Run), false, "a.toml:3"),
            (
                Origin::variable("FRANZ_MODEL__NAME"),
                true,
                "environment variable FRANZ_MODEL__NAME",
            ),
            (Origin::flag("--upstream"), true, "--upstream"),
            (Origin::Dashboard, false, "the dashboard"),
            (Origin::Kept { named: true }, true, "the run's own settings"),
            (Origin::Kept { named: false }, false, "the run's own settings"),
            (Origin::Learned, false, "what FRANZ remembers about the model"),
        ] {
            assert_eq!((origin.is_persons_own(), origin.to_string().as_str()), (own, shown));
        }
    }
}
