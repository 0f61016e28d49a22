//! The report on a suite's results: in words and tables, as a page, as JSON, and as lines for a spreadsheet.
//!
//! A [`ReportInput`] holds what is known about the suite and its attempts. [`SuiteReport::of`] computes everything that
//! is shown; [`SuiteReport::text`], [`SuiteReport::html`] and [`SuiteReport::json`] only format it. [`write_csv`]
//! writes the attempts themselves.
//!
//! Names, reasons and paths come from suites and models. They are escaped wherever they are shown, and nothing in them
//! is ever followed or run.
//!
//! ```
//! use franz_suite::report::{AttemptOutcome, ReportInput, ReportedAttempt, SuiteFacts, SuiteReport};
//!
//! let attempt = |task: &str, model: &str, outcome| ReportedAttempt {
//!     task: task.into(),
//!     model: model.into(),
//!     outcome,
//!     ..ReportedAttempt::default()
//! };
//! let input = ReportInput {
//!     facts: SuiteFacts { suite: "basics".into(), planned: 4, ..SuiteFacts::default() },
//!     attempts: vec![
//!         attempt("invoice-total", "a", AttemptOutcome::Solved),
//!         attempt("invoice-total", "b", AttemptOutcome::Unsolved),
//!     ],
//! };
//! let text = SuiteReport::of(&input).text();
//! assert!(text.contains("2 of 4 attempts have results."));
//! ```

mod computed;
mod findings;
mod html;
mod input;
pub(crate) mod lines;
mod model;
mod pair;
mod results;
mod summary;
pub(crate) mod table;
mod text;
pub(crate) mod words;

pub use input::{AttemptOutcome, RanVersion, ReportInput, ReportedAttempt, SuiteFacts};
pub use lines::write_csv;
pub use model::{ModelSummary, PassRates, PerAttempt};
pub use pair::PairSummary;
pub use results::{CellCounts, GridCell, GridRow};
pub use summary::{ErrorReason, SuiteReport};
pub use words::acts;
