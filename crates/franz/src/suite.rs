//! Runs suites: each attempt is a separate `franz run` in a fresh home, followed by a check.
//!
//! `franz-suite` knows what suites, plans and results are; this module starts the processes. In reading order:
//!
//! - [`chosen`]: the suite's folder, or the built-in suite; [`allowed_plan`], [`question`] and [`trust`]: whether its code
//!   may run here, and which models may play it.
//! - [`sandbox`], [`confinement`], [`herd`], [`shell`], [`process`] and [`strays`]: how a program is kept in, started and
//!   ended, within [`limits`]; [`scratch`] and [`home`]: its files.
//! - [`play`], [`played_run`], [`live_check`] and [`check`]: the parts of an [`attempt`]; [`figures`]: what its run recorded.
//! - [`models`]: the models that a command names, within the [`rules`] for suites; [`grounding`]: pictures instead of tasks.
//! - [`runner`]: many attempts, in the order of a [`queue`], with [`loaded_models`]; [`rehearsal`]: tasks without a
//!   model; [`results`] and [`inspect`]: from results to a report or to logs.

pub(crate) mod allowed_plan;
pub(crate) mod attempt;
pub(crate) mod check;
pub(crate) mod checked;
pub(crate) mod chosen;
pub(crate) mod confinement;
#[cfg(unix)]
mod descendants;
mod figures;
pub(crate) mod grounding;
#[cfg(target_os = "linux")]
pub(crate) mod herd;
mod home;
pub(crate) mod inspect;
mod limits;
pub(crate) mod live_check;
pub(crate) mod loaded_models;
pub(crate) mod models;
pub(crate) mod play;
mod played_run;
mod process;
pub(crate) mod question;
mod queue;
pub(crate) mod rehearsal;
pub(crate) mod results;
pub(crate) mod rules;
pub(crate) mod runner;
pub(crate) mod sandbox;
pub(crate) mod scratch;
mod shell;
#[cfg(target_os = "linux")]
mod strays;
pub(crate) mod trust;
pub(crate) mod versions;

use std::path::Path;

use anyhow::Result;
use franz_suite::{StoreError, Suite};

use crate::exit::Unusable;

/// Attaches the exit code to an error about results: 75 if trying again may help, otherwise that of wrong usage.
pub(crate) fn unusable(error: StoreError) -> Unusable {
    if error.may_pass() {
        Unusable::incomplete(error)
    } else {
        Unusable::usage(error)
    }
}

/// Returns a path as a word of a command.
pub(crate) fn shown(path: &Path) -> String {
    franz_home::shell::path(path)
}

/// Reads a suite.
pub(crate) fn load(folder: &Path) -> Result<Suite> {
    Ok(Suite::load(folder, &rules::RULES).map_err(Unusable::usage)?)
}
