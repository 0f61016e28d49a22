//! Everything that a report shows.

use serde::Serialize;

use super::input::SuiteFacts;
use super::model::ModelSummary;
use super::pair::PairSummary;
use super::results::{CellCounts, GridRow};

/// Everything that a report shows. As JSON, rates are fractions from 0 to 1.
#[derive(Debug, Clone, Serialize)]
pub struct SuiteReport<'a> {
    /// What is known about the suite and the plan.
    pub facts: &'a SuiteFacts,
    /// The number of tasks that were not skipped.
    pub tasks: usize,
    /// The number of planned attempts, at least that of attempts with results, of failed and of skipped ones.
    pub planned: u64,
    /// The number of attempts with results.
    pub attempts: u64,
    /// How many attempts ended in which way.
    pub counts: CellCounts,
    /// The number of results left out because an earlier one has the same task, model and repeat.
    pub duplicates: u64,
    /// The models, from the highest rate to the lowest; models without a rate come last.
    pub models: Vec<ModelSummary<'a>>,
    /// Every pair of models with a common task.
    pub pairs: Vec<PairSummary<'a>>,
    /// The smallest difference, 0 to 1, that a plan of this size shows with 80 % power; `None` if it is too small to
    /// show any, or compares nothing.
    pub smallest_difference: Option<f64>,
    /// What limits the results, in sentences.
    pub warnings: Vec<String>,
    /// What helps to read them, in sentences.
    pub notes: Vec<String>,
    /// Why attempts do not count, the most frequent reason first.
    pub errors: Vec<ErrorReason<'a>>,
    /// The tasks in the order of the plan, each with a cell for every model, in the order of `models`.
    pub grid: Vec<GridRow<'a>>,
}

/// A reason why attempts do not count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ErrorReason<'a> {
    /// `infrastructure`, `task_fault` or `skipped`.
    pub kind: &'static str,
    /// The reason.
    pub why: &'a str,
    /// The number of attempts.
    pub attempts: u64,
    /// The first task that it happened to.
    pub task: &'a str,
    /// The number of different tasks.
    pub tasks: u64,
}

impl SuiteReport<'_> {
    /// Returns the report as indented JSON with a line break at the end.
    ///
    /// # Errors
    ///
    /// Fails only if a value cannot be written as JSON, which no report contains.
    pub fn json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(self).map(|json| json + "\n")
    }

    /// Returns the number of attempts at each task by each model: the planned one, or else the most that there are.
    pub(super) fn repeats(&self) -> u64 {
        let cells = self.grid.iter().flat_map(|row| &row.cells);
        let most = cells.map(|cell| cell.attempts.len() as u64).max().unwrap_or(0);
        if self.facts.repeats > 0 {
            self.facts.repeats
        } else {
            most
        }
    }
}
