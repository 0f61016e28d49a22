//! What one model did.

use serde::Serialize;

use super::input::{ReportInput, ReportedAttempt};
use super::results::{CellCounts, GridCell};
use crate::statistics::{RateEstimate, TaskCounts, mean_pass_at_k, mean_pass_hat_k};

/// The numbers of attempts for which [`PassRates`] are computed, as far as there are enough attempts.
const KS: [u64; 10] = [1, 2, 3, 4, 5, 10, 20, 50, 100, 1000];

/// What one model did.
#[derive(Debug, Clone, Serialize)]
pub struct ModelSummary<'a> {
    /// Its name.
    pub model: &'a str,
    /// The rate at which it solves tasks, over the attempts that count; `None` if none counts.
    pub rate: Option<RateEstimate>,
    /// The same with infrastructure errors as failures, a lower bound; `None` if there were no such errors.
    pub bound: Option<RateEstimate>,
    /// The mean score; `None` if no check gave a score other than 0 and 1.
    pub score: Option<RateEstimate>,
    /// The probabilities that one, or each, of several attempts solves a task, for increasing numbers of attempts.
    pub pass: Vec<PassRates>,
    /// The number of attempts per outcome, over all tasks.
    pub counts: CellCounts,
    /// The average cost of an attempt; `None` if none counts.
    pub per_attempt: Option<PerAttempt>,
}

/// The probabilities that one, or each, of k attempts solves a task, as means over tasks with at least k attempts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PassRates {
    /// The number of attempts.
    pub k: u64,
    /// The probability that at least one solves the task, 0 to 1.
    pub at_least_one: f64,
    /// The probability that each solves it, 0 to 1.
    pub each: f64,
    /// The number of tasks with at least k attempts that count.
    pub tasks: usize,
}

/// Means over the attempts that count.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PerAttempt {
    /// Turns.
    pub turns: f64,
    /// Tokens in requests.
    pub prompt_tokens: f64,
    /// Tokens in replies.
    pub completion_tokens: f64,
    /// Seconds; `None` unless all attempts come from one run, one at a time.
    pub seconds: Option<f64>,
    /// Actions held because the screen had changed.
    pub held: f64,
    /// Actions refused.
    pub refused: f64,
    /// Replies that could not be read.
    pub malformed: f64,
    /// Times that the model repeated itself without effect.
    pub loops: f64,
    /// Times that the model said that it cannot do the task.
    pub gave_up: f64,
}

impl<'a> ModelSummary<'a> {
    pub(super) fn of(model: &'a str, cells: &[&GridCell<'_>], input: &ReportInput) -> Self {
        let mut counts = CellCounts::default();
        for cell in cells {
            counts.add(cell.counts);
        }
        let counted: Vec<TaskCounts> = cells.iter().map(|cell| cell.counts.counted()).collect();
        let bounds = cells.iter().map(|cell| cell.counts.with_infrastructure_failed());
        let partial = cells.iter().flat_map(|cell| &cell.attempts).any(|attempt| {
            let score = attempt.score();
            score.is_some_and(|score| score > 0.0 && score < 1.0)
        });
        Self {
            model,
            rate: estimate(counted.iter().filter_map(|counts| counts.rate())),
            bound: estimate(bounds.filter_map(TaskCounts::rate)).filter(|_| counts.infrastructure > 0),
            score: estimate(cells.iter().filter_map(|cell| cell.score())).filter(|_| partial),
            pass: passes(&counted),
            counts,
            per_attempt: PerAttempt::of(cells, input.facts.jobs == Some(1)),
        }
    }
}

impl PerAttempt {
    fn of(cells: &[&GridCell<'_>], one_at_a_time: bool) -> Option<Self> {
        let counted: Vec<&ReportedAttempt> = cells
            .iter()
            .flat_map(|cell| cell.attempts.iter().copied())
            .filter(|attempt| attempt.outcome.why().is_none())
            .collect();
        let n = counted.len() as f64;
        let mean = |of: fn(&ReportedAttempt) -> u64| counted.iter().map(|attempt| of(attempt) as f64).sum::<f64>() / n;
        let seconds = || counted.iter().map(|attempt| attempt.seconds).sum::<f64>() / n;
        (!counted.is_empty()).then(|| Self {
            turns: mean(|attempt| attempt.turns),
            prompt_tokens: mean(|attempt| attempt.prompt_tokens),
            completion_tokens: mean(|attempt| attempt.completion_tokens),
            seconds: one_at_a_time.then(seconds).filter(|seconds| seconds.is_finite()),
            held: mean(|attempt| attempt.held),
            refused: mean(|attempt| attempt.refused),
            malformed: mean(|attempt| attempt.malformed),
            loops: mean(|attempt| attempt.loops),
            gave_up: mean(|attempt| attempt.gave_up),
        })
    }
}

fn estimate(means: impl Iterator<Item = f64>) -> Option<RateEstimate> {
    RateEstimate::of(&means.collect::<Vec<f64>>())
}

fn passes(tasks: &[TaskCounts]) -> Vec<PassRates> {
    let most = tasks.iter().map(|counts| counts.attempts).max().unwrap_or(0);
    let mut ks: Vec<u64> = KS.into_iter().filter(|&k| k < most).collect();
    ks.push(most);
    let rates = ks.into_iter().filter_map(|k| {
        let (at_least_one, tasks_at) = mean_pass_at_k(tasks, k)?;
        let (each, _) = mean_pass_hat_k(tasks, k)?;
        Some(PassRates {
            k,
            at_least_one,
            each,
            tasks: tasks_at,
        })
    });
    rates.collect()
}
