//! Calibration: asks a model a few questions to find out what its coordinates mean.
//!
//! In reading order: [`session`] asks a respondent ([`asking`]) one question after another ([`words`], [`picture`]) and
//! leaves the evaluation to `franz_dialect::calibration`. [`cost`] sums up the cost of the questions. [`report`],
//! [`drawing`] and [`file`](mod@file) show the result, and [`stored`] keeps it for later runs. A [`bench`](mod@bench)
//! ties everything together, both for the command and for calibrating [before a run](before_run).

mod asking;
mod before_run;
mod bench;
mod calibrated;
mod cost;
mod drawing;
mod file;
mod picture;
mod progress;
mod report;
mod served_model;
mod session;
mod stored;
pub(crate) mod words;

pub(crate) use asking::{Reaction, Respondent, ServerAsked, Stopped};
pub(crate) use before_run::settle;
pub(crate) use bench::Bench;
pub(crate) use calibrated::Calibrated;
pub(crate) use progress::ProgressLine;
pub(crate) use report::FindingsTable;
pub(crate) use served_model::{ModelHome, ServedModel};
pub(crate) use session::Findings;
pub(crate) use stored::forget;
