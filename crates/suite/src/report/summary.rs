//! Everything that a report shows, computed once.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::findings;
use super::input::{ReportInput, SuiteFacts};
use super::model::ModelSummary;
use super::pair::PairSummary;
use super::results::{CellCounts, GridCell, GridRow, Results};
use crate::statistics::{PlanAssumption, smallest_difference};

/// Everything that a report shows. As JSON, rates are fractions from 0 to 1.
#[derive(Debug, Clone, Serialize)]
pub struct SuiteReport<'a> {
    /// What is known about the suite and the plan.
    pub facts: &'a SuiteFacts,
    /// The number of tasks that were not skipped.
    pub tasks: usize,
    /// The number of planned attempts, at least that of attempts with results and of skipped ones.
    pub planned: u64,
    /// The number of attempts with results.
    pub attempts: u64,
    /// How many of them ended in which way.
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

impl<'a> SuiteReport<'a> {
    /// Computes the report.
    pub fn of(input: &'a ReportInput) -> Self {
        let results = Results::of(input);
        let columns: Vec<Vec<&GridCell<'a>>> = (0..results.models.len())
            .map(|model| results.of_model(model).collect())
            .collect();
        let summaries: Vec<ModelSummary<'a>> = columns
            .iter()
            .zip(&results.models)
            .map(|(cells, model)| ModelSummary::of(model, cells, input))
            .collect();
        let mut order: Vec<usize> = (0..summaries.len()).collect();
        let rate = |at: usize| summaries[at].rate.map_or(-1.0, |rate| rate.mean);
        // Stable, so that models of the same rate keep the order of the plan.
        order.sort_by(|&a, &b| rate(b).total_cmp(&rate(a)));

        let names: Vec<&'a str> = order.iter().map(|&at| results.models[at]).collect();
        let ordered_columns: Vec<Vec<&GridCell<'a>>> = order.iter().map(|&at| columns[at].clone()).collect();
        let pairs = PairSummary::all(&names, &ordered_columns);
        let models: Vec<ModelSummary<'a>> = order.iter().map(|&at| summaries[at].clone()).collect();
        let grid = results.rows.iter().map(|row| GridRow {
            task: row.task,
            cells: order.iter().map(|&at| row.cells[at].clone()).collect(),
        });
        let mut counts = CellCounts::default();
        for model in &models {
            counts.add(model.counts);
        }
        let mut report = Self {
            facts: &input.facts,
            tasks: results.rows.iter().filter(|row| !row.is_skipped()).count(),
            planned: input.facts.planned.max(results.attempts + counts.skipped),
            attempts: results.attempts,
            counts,
            duplicates: results.duplicates,
            smallest_difference: None,
            warnings: Vec::new(),
            notes: Vec::new(),
            errors: errors(&results),
            grid: grid.collect(),
            models,
            pairs,
        };
        report.smallest_difference = report.smallest_shown();
        report.warnings = findings::warnings(&report);
        report.notes = findings::notes(&report);
        report
    }

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

    fn smallest_shown(&self) -> Option<f64> {
        let models = self.models.len();
        if models < 2 {
            return None;
        }
        let pairs = models * (models - 1) / 2;
        smallest_difference(self.tasks, self.repeats(), pairs, PlanAssumption::default())
    }
}

fn errors<'a>(results: &Results<'a>) -> Vec<ErrorReason<'a>> {
    let mut found: BTreeMap<(&'static str, &'a str), ErrorReason<'a>> = BTreeMap::new();
    for row in &results.rows {
        let mut new_here = BTreeSet::new();
        for attempt in row.cells.iter().flat_map(|cell| cell.attempts.iter().copied()) {
            let Some(why) = attempt.outcome.why() else { continue };
            let key = (attempt.outcome.kind(), why);
            let reason = found.entry(key).or_insert(ErrorReason {
                kind: key.0,
                why,
                attempts: 0,
                task: row.task,
                tasks: 0,
            });
            reason.attempts += 1;
            reason.tasks += u64::from(new_here.insert(key));
        }
    }
    let mut errors: Vec<ErrorReason<'a>> = found.into_values().collect();
    errors.sort_by_key(|reason| std::cmp::Reverse(reason.attempts));
    errors
}
