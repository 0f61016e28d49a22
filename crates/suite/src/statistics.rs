//! What the results of a suite show. Pure functions: they read no files and know nothing of reports.
//!
//! - [`RateEstimate`]: how many tasks a model solves, with an interval.
//! - [`pass_at_k`] and [`pass_hat_k`]: the chance that at least one, or each, of k attempts solves a task.
//! - [`PairedDifference`]: the difference between two models on the same tasks; [`sign_flip_p`]: how easily luck alone
//!   brings it about; [`holm`](fn@holm): the same if many pairs are compared.
//! - [`smallest_difference`]: what a plan can show before anything has run.
//!
//! The unit of every interval and test is the task, never the attempt: attempts at the same task are correlated, so
//! counting each attempt would make intervals too narrow.
//!
//! Rates and differences are fractions, not percent. All intervals are two-sided 95 % intervals.
//!
//! `tests/statistics` compares everything here with `scipy`, `statsmodels` and exact fractions.

mod estimate;
mod holm;
mod paired;
mod pass;
mod power;
mod quantile;
mod sign_flip;

pub use estimate::{Interval, IntervalMethod, RateEstimate, wilson};
pub use holm::holm;
pub use paired::PairedDifference;
pub use pass::{TaskCounts, mean_pass_at_k, mean_pass_hat_k, pass_at_k, pass_hat_k};
pub use power::{PlanAssumption, smallest_difference};
pub use sign_flip::{FLIPS_DRAWN, sign_flip_p};

/// The level of every test: a difference counts as shown below it.
pub const LEVEL: f64 = 0.05;
