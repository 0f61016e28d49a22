//! The grid of tasks and models.

use super::page::Page;
use crate::report::input::{AttemptOutcome, ReportedAttempt};
use crate::report::results::GridCell;
use crate::report::summary::SuiteReport;

/// A cell shows a mark for each of the first attempts, and the number of those beyond it.
const MOST_MARKS: usize = 20;

/// A cell shows this many marks side by side.
const MARKS_IN_A_LINE: usize = 5;
/// How much of the colour for solved a cell has if all its attempts are. More would make its marks hard to read.
const MOST_TINT: f64 = 0.2;

/// Writes a row for each task and a column for each model. A cell shows how many attempts solved the task and, as a mark
/// that leads to its player if its run was kept, how each one ended.
pub(super) fn write(page: &mut Page, report: &SuiteReport<'_>) {
    let caption = "Solved attempts at each task, out of those that count. Each mark is an attempt: ✓ solved, ✗ not \
                   solved, ! infrastructure error, ? task fault, » skipped; · has no result yet. An underlined mark \
                   links to a run that was kept.";
    page.start_of_table("grid", "Tasks", caption);
    page.column("Task");
    for model in &report.models {
        page.column(model.model);
    }
    page.start_of_rows();
    let repeats = report.facts.repeats;
    for row in &report.grid {
        page.start_of_row(row.task);
        for cell in &row.cells {
            self::cell(page, cell, repeats);
        }
        page.end_of_row();
    }
    page.end_of_table();
}

fn cell(page: &mut Page, cell: &GridCell<'_>, repeats: u64) {
    let counted = cell.counts.counted();
    match counted.rate() {
        Some(rate) => {
            page.markup("<td style=\"--solved:");
            page.share(rate * MOST_TINT);
            page.markup("\"><b>");
            page.number(counted.solved);
            page.markup("/");
            page.number(counted.attempts);
            page.markup("</b>");
        }
        None => page.markup("<td><b>–</b>"),
    }
    let made = cell.attempts.len();
    let missing = usize::try_from(repeats).unwrap_or(usize::MAX).saturating_sub(made);
    let missing = missing.min(MOST_MARKS.saturating_sub(made));
    page.markup("<span class=\"marks\" style=\"--marks:");
    page.number((made + missing).clamp(1, MARKS_IN_A_LINE) as u64);
    page.markup("\">");
    for attempt in cell.attempts.iter().take(MOST_MARKS) {
        mark(page, attempt);
    }
    for _ in 0..missing {
        page.markup("<i class=\"missing\" title=\"no result yet\">·</i>");
    }
    if made > MOST_MARKS {
        page.markup("<small>+");
        page.number((made - MOST_MARKS) as u64);
        page.markup("</small>");
    }
    page.markup("</span></td>");
}

fn mark(page: &mut Page, attempt: &ReportedAttempt) {
    let (class, sign, words) = match attempt.outcome {
        AttemptOutcome::Solved => (" class=\"solved\"", "✓", "solved"),
        AttemptOutcome::Unsolved => (" class=\"unsolved\"", "✗", "not solved"),
        AttemptOutcome::Infrastructure { .. } => (" class=\"error\"", "!", "infrastructure error"),
        AttemptOutcome::TaskFault { .. } => (" class=\"error\"", "?", "task fault"),
        AttemptOutcome::Skipped { .. } => ("", "»", "skipped"),
    };
    let linked = attempt
        .player
        .as_deref()
        .is_some_and(|player| page.start_of_link(player));
    if !linked {
        page.markup("<i");
    }
    page.markup(class);
    page.markup(" title=\"repeat ");
    page.number(attempt.repeat);
    page.markup(": ");
    page.markup(words);
    if let Some(why) = attempt.outcome.why().filter(|why| !why.is_empty()) {
        page.markup(": ");
        page.text(&why.chars().take(200).collect::<String>());
    }
    page.markup("\">");
    page.markup(sign);
    page.markup("<span class=\"unseen\"> ");
    page.markup(words);
    page.markup("</span>");
    page.markup(if linked { "</a>" } else { "</i>" });
}
