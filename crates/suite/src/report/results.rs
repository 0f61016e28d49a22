//! The attempts arranged by task and model.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::input::{AttemptOutcome, ReportInput, ReportedAttempt};
use crate::statistics::TaskCounts;

/// A task, with a cell for each model in the order of [`SuiteReport::models`](super::SuiteReport::models).
#[derive(Debug, Clone, Serialize)]
pub struct GridRow<'a> {
    /// The task's name.
    pub task: &'a str,
    /// What each model made of it.
    pub cells: Vec<GridCell<'a>>,
}

/// The attempts at one task by one model.
#[derive(Debug, Clone, Default, Serialize)]
pub struct GridCell<'a> {
    /// How many there are of each kind.
    #[serde(flatten)]
    pub counts: CellCounts,
    /// The attempts, by repeat.
    #[serde(skip)]
    pub attempts: Vec<&'a ReportedAttempt>,
}

/// How many attempts ended each way.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct CellCounts {
    /// Attempts that solved the task.
    pub solved: u64,
    /// Attempts that did not solve it.
    pub unsolved: u64,
    /// Attempts that failed for infrastructure.
    pub infrastructure: u64,
    /// Attempts that failed by a fault of the task.
    pub task_faults: u64,
    /// Attempts that did not take place, because a program is missing.
    pub skipped: u64,
}

impl CellCounts {
    /// Returns the attempts that count.
    pub fn counted(self) -> TaskCounts {
        TaskCounts {
            attempts: self.solved + self.unsolved,
            solved: self.solved,
        }
    }

    /// Returns the same with infrastructure errors as attempts that did not solve the task.
    pub(super) fn with_infrastructure_failed(self) -> TaskCounts {
        TaskCounts {
            attempts: self.solved + self.unsolved + self.infrastructure,
            solved: self.solved,
        }
    }

    pub(super) fn add(&mut self, other: Self) {
        self.solved += other.solved;
        self.unsolved += other.unsolved;
        self.infrastructure += other.infrastructure;
        self.task_faults += other.task_faults;
        self.skipped += other.skipped;
    }

    fn count(&mut self, outcome: &AttemptOutcome) {
        *match outcome {
            AttemptOutcome::Solved => &mut self.solved,
            AttemptOutcome::Unsolved => &mut self.unsolved,
            AttemptOutcome::Infrastructure { .. } => &mut self.infrastructure,
            AttemptOutcome::TaskFault { .. } => &mut self.task_faults,
            AttemptOutcome::Skipped { .. } => &mut self.skipped,
        } += 1;
    }
}

impl GridRow<'_> {
    /// Returns whether the task was skipped: there are attempts, and none of them took place.
    pub fn is_skipped(&self) -> bool {
        let made: usize = self.cells.iter().map(|cell| cell.attempts.len()).sum();
        let skipped: u64 = self.cells.iter().map(|cell| cell.counts.skipped).sum();
        skipped > 0 && skipped == made as u64
    }
}

impl GridCell<'_> {
    /// Returns the mean score of the attempts that count, 0 to 1; `None` if none counts.
    pub(super) fn score(&self) -> Option<f64> {
        let scores: Vec<f64> = self.attempts.iter().filter_map(|attempt| attempt.score()).collect();
        (!scores.is_empty()).then(|| scores.iter().sum::<f64>() / scores.len() as f64)
    }
}

/// All results: the grid, with models still in the order of the plan.
pub(super) struct Results<'a> {
    pub(super) models: Vec<&'a str>,
    pub(super) rows: Vec<GridRow<'a>>,
    /// The number of different attempts with results.
    pub(super) attempts: u64,
    /// The number of attempts left out because another one has the same task, model and repeat.
    pub(super) duplicates: u64,
}

impl<'a> Results<'a> {
    pub(super) fn of(input: &'a ReportInput) -> Self {
        let (facts, attempts) = (&input.facts, &input.attempts);
        let tasks = names(&facts.tasks, attempts.iter().map(|attempt| attempt.task.as_str()));
        let models = names(&facts.models, attempts.iter().map(|attempt| attempt.model.as_str()));
        let (task_at, model_at) = (positions(&tasks), positions(&models));
        let mut rows: Vec<GridRow<'a>> = tasks
            .iter()
            .map(|task| GridRow {
                task,
                cells: vec![GridCell::default(); models.len()],
            })
            .collect();
        let mut seen = BTreeSet::new();
        for attempt in attempts {
            let (task, model) = (task_at[attempt.task.as_str()], model_at[attempt.model.as_str()]);
            if seen.insert((task, model, attempt.repeat)) {
                let cell = &mut rows[task].cells[model];
                cell.counts.count(&attempt.outcome);
                cell.attempts.push(attempt);
            }
        }
        let mut without = 0;
        for cell in rows.iter_mut().flat_map(|row| &mut row.cells) {
            cell.attempts.sort_by_key(|attempt| attempt.repeat);
            without += cell.counts.infrastructure + cell.counts.skipped;
        }
        Self {
            models,
            rows,
            attempts: seen.len() as u64 - without,
            duplicates: (attempts.len() - seen.len()) as u64,
        }
    }

    /// Returns the cells of the model at this position, one for each task.
    pub(super) fn of_model(&self, model: usize) -> impl Iterator<Item = &GridCell<'a>> {
        self.rows.iter().map(move |row| &row.cells[model])
    }
}

/// Returns each name once: those of the plan, then others in the order in which they come.
fn names<'a>(planned: &'a [String], found: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut seen = BTreeSet::new();
    let all = planned.iter().map(String::as_str).chain(found);
    all.filter(|&name| seen.insert(name)).collect()
}

fn positions<'a>(names: &[&'a str]) -> BTreeMap<&'a str, usize> {
    names.iter().enumerate().map(|(at, &name)| (name, at)).collect()
}
