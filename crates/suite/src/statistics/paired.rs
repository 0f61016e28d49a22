//! The difference between two models on the same tasks.

use serde::Serialize;

use super::estimate::{Interval, mean, t_margin};
use super::sign_flip::sign_flip_p;

/// The difference between two models over the tasks that both attempted.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PairedDifference {
    /// The first model's rate minus the second's, −1 to 1.
    pub mean: f64,
    /// Its interval, within −1 to 1. `None` if the difference is the same on every task, which includes a single task:
    /// such results do not say how much it varies.
    pub interval: Option<Interval>,
    /// The two-sided p value of [`sign_flip_p`], not adjusted for other pairs.
    pub p: f64,
    /// The number of tasks.
    pub tasks: usize,
}

impl PairedDifference {
    /// Compares two models by the difference between their means on each task, −1 to 1. Returns `None` without tasks.
    ///
    /// With m the mean and s the standard deviation (n − 1 in the denominator) of n differences, the interval is
    /// m ± t(0.975; n − 1) · s / √n, that of the paired t test. What makes a task hard for both models cancels out. Miller
    /// 2024 (arXiv 2411.00640) recommends comparing models this way.
    pub fn of(differences: &[f64]) -> Option<Self> {
        if differences.is_empty() {
            return None;
        }
        let mean = mean(differences);
        Some(Self {
            mean,
            interval: t_margin(differences).map(|margin| Interval::around(mean, margin).within(-1.0, 1.0)),
            p: sign_flip_p(differences),
            tasks: differences.len(),
        })
    }
}
