//! The verdict of a check.

use franz_suite::{CheckReport, RecordedOutcome};

/// What a check found.
pub(crate) struct Checked {
    pub(crate) outcome: RecordedOutcome,
    pub(crate) score: f64,
    pub(crate) why: String,
    pub(crate) report: CheckReport,
}
