//! The rate of one model over all tasks, with its interval.

use serde::Serialize;

use super::quantile;

/// Task means that differ by less than this are the same: they differ only by rounding.
const SAME: f64 = 1e-12;

/// A two-sided 95 % interval. It always contains the value that it belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// How an interval was computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum IntervalMethod {
    /// Student's t over the means of tasks.
    T,
    /// Wilson's score interval, each task counted as a single trial.
    Wilson,
}

/// The rate at which a model solves tasks: the mean over tasks of the mean over the attempts at each task.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RateEstimate {
    /// The rate, 0 to 1.
    pub mean: f64,
    /// Its interval, within 0 to 1.
    pub interval: Interval,
    /// How the interval was computed.
    pub method: IntervalMethod,
    /// The number of tasks.
    pub tasks: usize,
}

impl RateEstimate {
    /// Estimates the rate from the mean of each task, which is 0 to 1. Returns `None` without tasks.
    ///
    /// With m the mean and s the standard deviation (n − 1 in the denominator) of the means of n tasks, the interval is
    /// m ± t(0.975; n − 1) · s / √n. This is the standard error clustered by task if each task has equally many
    /// attempts; with unequal numbers, tasks still count the same, and attempts do not.
    ///
    /// Miller 2024 (*Adding Error Bars to Evals*, arXiv 2411.00640) proposes such standard errors for models, with the normal
    /// distribution; with few tasks, Student's t is wider.
    ///
    /// If the means do not differ, because all tasks are solved, none is, or there is only one, then s carries no
    /// information. The interval is then [Wilson's](wilson) with each task as one trial.
    pub fn of(task_means: &[f64]) -> Option<Self> {
        let tasks = task_means.len();
        if tasks == 0 {
            return None;
        }
        let mean = mean(task_means).clamp(0.0, 1.0);
        let (interval, method) = match t_margin(task_means) {
            Some(margin) => (Interval::around(mean, margin).within(0.0, 1.0), IntervalMethod::T),
            None => (wilson(mean, tasks), IntervalMethod::Wilson),
        };
        Some(Self {
            mean,
            interval,
            method,
            tasks,
        })
    }
}

impl Interval {
    pub(super) fn around(mean: f64, margin: f64) -> Self {
        Self {
            low: mean - margin,
            high: mean + margin,
        }
    }

    pub(super) fn within(self, least: f64, most: f64) -> Self {
        Self {
            low: self.low.max(least),
            high: self.high.min(most),
        }
    }
}

/// Returns Wilson's score interval for the rate `mean`, 0 to 1, seen in `trials` trials. `mean · trials` need not be a
/// whole number. No trials give 0 to 1.
///
/// With z = 1.96 the 0.975 quantile of the normal distribution, p the mean and n the trials:
/// (p + z² / 2n ± z · √(p (1 − p) / n + z² / 4n²)) / (1 + z² / n).
///
/// The formula is that of Wilson 1927 (*Probable inference, the law of succession, and statistical inference*, Journal of
/// the American Statistical Association 22, 209–212). `statsmodels` calls it `proportion_confint(method="wilson")`.
pub fn wilson(mean: f64, trials: usize) -> Interval {
    let z = match quantile::normal(0.975) {
        Some(z) if trials > 0 => z,
        _ => return Interval { low: 0.0, high: 1.0 },
    };
    let n = trials as f64;
    let scale = 1.0 + z * z / n;
    let centre = (mean + z * z / (2.0 * n)) / scale;
    let margin = z * (mean * (1.0 - mean) / n + z * z / (4.0 * n * n)).sqrt() / scale;
    let interval = Interval::around(centre, margin).within(0.0, 1.0);
    // At 0 and 1 an end is the mean itself, but for rounding.
    Interval {
        low: interval.low.min(mean),
        high: interval.high.max(mean),
    }
}

/// Returns the arithmetic mean of at least one value.
pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Returns half the width of the t interval of a mean; `None` if the values do not differ.
pub(super) fn t_margin(values: &[f64]) -> Option<f64> {
    let (least, most) = values
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), &value| {
            (a.min(value), b.max(value))
        });
    if most - least < SAME {
        return None;
    }
    let n = values.len();
    let centre = mean(values);
    let squares: f64 = values.iter().map(|value| (value - centre).powi(2)).sum();
    let deviation = (squares / (n - 1) as f64).sqrt();
    Some(quantile::student(0.975, n - 1)? * deviation / (n as f64).sqrt())
}
