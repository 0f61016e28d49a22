//! Suites: which tasks each model solves, how often, and whether differences are more than chance.
//!
//! In reading order:
//!
//! - [`suite`]: `suite.toml`, the tasks and models; [`basics`]: the suite that comes with FRANZ; [`folder`]: a suite's files, and the digest of them all; [`archive`]: a folder as one file; [`miniwob`]: suites out of MiniWoB++.
//! - [`plan`]: every attempt, one line each, in seeded random order; [`shard`]: the part of one process.
//! - [`grounding`]: pictures with an instruction and a box, and how often a model clicks in it.
//! - [`engine`]: jobs that play these parts on a cluster, as text.
//! - [`result`]: what became of an attempt; [`results`]: the folder, or the object store, in which the first result of an attempt wins.
//! - [`statistics`] and [`report`]: how well each model did, with confidence intervals.
//!
//! This crate starts no process and uses no clock: the same suite and options give the same plan, byte for byte.
#![forbid(unsafe_code)]
#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "tests write files as anybody would")
)]

pub mod archive;
pub mod basics;
pub mod engine;
pub mod folder;
pub mod grounding;
pub mod miniwob;
pub mod plan;
pub mod report;
pub mod result;
pub mod results;
pub mod shard;
pub mod statistics;
pub mod suite;

pub use folder::{FolderError, SuiteDigest};
pub use plan::{AttemptPlan, PlanError, PlanHeader, PlannedAttempt};
pub use result::{AttemptResult, CheckReport, RecordedOutcome, RunFigures};
pub use results::{ResultAddress, ResultStore, StoreError};
pub use shard::Shard;
pub use suite::{Name, SUITE_FILE, Suite, SuiteError, SuiteModel, SuiteRules, SuiteTask, TaskScreen};
