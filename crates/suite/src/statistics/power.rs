//! The smallest difference that a plan can show, before anything has run.

use super::{LEVEL, quantile};

/// The power: the probability of detecting a real difference.
const POWER: f64 = 0.8;

/// The assumptions of [`smallest_difference`] about results that nobody has seen yet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlanAssumption {
    /// The probability that an attempt solves its task, the same for all tasks. Attempts vary most at 0.5.
    pub chance: f64,
    /// The standard deviation, over tasks, of the true difference between two models. At 0, the difference between the
    /// models is the same on every task, and repeats alone would show any difference.
    pub spread: f64,
}

impl Default for PlanAssumption {
    /// Attempts that vary most, and differences that vary by 20 points.
    fn default() -> Self {
        Self {
            chance: 0.5,
            spread: 0.2,
        }
    }
}

impl PlanAssumption {
    /// Returns the assumption in words.
    pub fn sentence(self) -> String {
        format!(
            "This assumes that an attempt solves its task with a probability of {:.0} %, and that the difference \
             between two models varies by {:.0} points (standard deviation) from task to task.",
            self.chance * 100.0,
            self.spread * 100.0
        )
    }
}

/// Returns the smallest true difference, 0 to 1, between two models that a plan shows with 80 % power at the level of
/// 5 %, two-sided. `None` if not even a difference of 1 would show, because the tasks or repeats are too few.
///
/// `pairs` is the number of pairs that the report compares. The level is divided by it, as
/// [`holm`](fn@super::holm) does for the smallest p value.
///
/// An attempt has the variance p (1 − p) with p = `chance`, so on one of T tasks the difference between the means of
/// R attempts by each model has the variance σ² = `spread`² + 2 p (1 − p) / R. The result is
/// (t(1 − α/2; T − 1) + t(0.8; T − 1)) · σ / √T. The exact power of the paired t test at this difference
/// (`statsmodels`: `TTestPower`) is 79 to 80 % for one pair, and at least 76 % for 45.
///
/// The sign-flip test cannot fall below p = 2 / 2^T, so a plan with fewer than six tasks shows nothing.
pub fn smallest_difference(tasks: usize, repeats: u64, pairs: usize, assumption: PlanAssumption) -> Option<f64> {
    if tasks < 2 || repeats == 0 {
        return None;
    }
    let level = LEVEL / pairs.max(1) as f64;
    let least_p = 2.0_f64.powi(1 - i32::try_from(tasks).unwrap_or(i32::MAX));
    if least_p > level {
        return None;
    }
    let PlanAssumption { chance, spread } = assumption;
    let variance = spread * spread + 2.0 * chance * (1.0 - chance) / repeats as f64;
    let quantiles = quantile::student(1.0 - level / 2.0, tasks - 1)? + quantile::student(POWER, tasks - 1)?;
    let difference = quantiles * (variance / tasks as f64).sqrt();
    (difference <= 1.0).then_some(difference)
}
