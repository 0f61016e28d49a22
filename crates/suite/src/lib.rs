//! Suites: which model solves which tasks, how often, and whether the difference is more than luck.
#![forbid(unsafe_code)]

pub mod report;
pub mod statistics;
