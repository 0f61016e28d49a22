//! Computes everything that a report shows, once.

use std::collections::{BTreeMap, BTreeSet};

use super::findings;
use super::input::ReportInput;
use super::model::ModelSummary;
use super::pair::PairSummary;
use super::results::{CellCounts, GridCell, GridRow, Results};
use super::summary::{ErrorReason, SuiteReport};
use crate::statistics::{PlanAssumption, smallest_difference};

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
            planned: input
                .facts
                .planned
                .max(results.attempts + counts.infrastructure + counts.skipped),
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
