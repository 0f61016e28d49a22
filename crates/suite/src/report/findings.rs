//! Sentences about the limits of the results, and how to read them.

use std::collections::BTreeMap;

use super::input::AttemptOutcome;
use super::summary::SuiteReport;
use super::words::{count, grouped, hundredths, percent, points, span};
use crate::statistics::PlanAssumption;

/// The most tasks that a sentence names.
const MOST_NAMES: usize = 10;

/// Returns the limits of the results.
pub(super) fn warnings(report: &SuiteReport<'_>) -> Vec<String> {
    let mut warnings = Vec::new();
    if !report.facts.isolated {
        warnings.push(
            "Not isolated: programs on the desktop could tamper with what the checks examine. On a machine without \
             bubblewrap, they could also read the checks and solutions, and checks could use the network."
                .to_owned(),
        );
    }
    if report.attempts < report.planned {
        warnings.push(format!(
            "{} of {} attempts have results.",
            grouped(report.attempts),
            grouped(report.planned)
        ));
    }
    if report.facts.damaged > 0 {
        warnings.push(format!(
            "{} damaged or not of this plan, and not counted.",
            count(report.facts.damaged, "result is", "results are")
        ));
    }
    warnings.extend(skipped(report));
    warnings.extend(not_counted(report));
    warnings.extend(bounds(report));
    if report.duplicates > 0 {
        warnings.push(format!(
            "{} left out: an earlier result has the same task, model and repeat.",
            count(report.duplicates, "result is", "results are")
        ));
    }
    warnings.extend(mixed_versions(report));
    warnings.extend(uneven_tasks(report));
    warnings
}

/// Returns notes on how to read the results.
pub(super) fn notes(report: &SuiteReport<'_>) -> Vec<String> {
    let mut notes = vec![
        "Rates are means over tasks. Their 95 % intervals show how much they could change with another selection of \
         similar tasks."
            .to_owned(),
    ];
    if report.pairs.len() > 1 {
        notes.push(format!(
            "A model is called better if chance alone would produce such a difference in fewer than 5 % of cases: a \
             sign-flip test over tasks, adjusted for {} pairs by Holm's method. Intervals of differences are not \
             adjusted for the number of pairs.",
            report.pairs.len()
        ));
    }
    match report.facts.jobs {
        Some(1) => {}
        Some(jobs) => notes.push(format!(
            "Seconds are not compared: {} ran at once and slowed each other down. Run the suite in one go, with one job at \
             a time, to compare them.",
            count(jobs, "attempt", "attempts")
        )),
        None if report.facts.runs > 1 => notes.push(format!(
            "Seconds are not compared: the results come from {} runs or shards, which may have slowed each other down. \
             Run the suite in one go, with one job at a time, to compare them.",
            grouped(report.facts.runs)
        )),
        None => notes.push("Seconds are not compared: the number of concurrent attempts is unknown.".to_owned()),
    }
    notes.extend(plan_words(report));
    notes
}

/// Says which tasks were skipped, and which program each of them lacks.
fn skipped(report: &SuiteReport<'_>) -> Vec<String> {
    let mut found: BTreeMap<&str, (u64, Vec<&str>)> = BTreeMap::new();
    for row in &report.grid {
        for attempt in row.cells.iter().flat_map(|cell| &cell.attempts) {
            let AttemptOutcome::Skipped { why } = &attempt.outcome else {
                continue;
            };
            let (attempts, tasks) = found.entry(why).or_default();
            *attempts += 1;
            if tasks.last() != Some(&row.task) {
                tasks.push(row.task);
            }
        }
    }
    let sentence = |(why, (attempts, tasks)): (&str, (u64, Vec<&str>))| {
        let more = match tasks.len().saturating_sub(MOST_NAMES) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        format!(
            "{} skipped, because {why}: {}{more}.",
            count(attempts, "attempt was", "attempts were"),
            tasks.iter().take(MOST_NAMES).copied().collect::<Vec<_>>().join(", ")
        )
    };
    found.into_iter().map(sentence).collect()
}

fn not_counted(report: &SuiteReport<'_>) -> Vec<String> {
    let mut sentences = Vec::new();
    let (infrastructure, faults) = (report.counts.infrastructure, report.counts.task_faults);
    if infrastructure > 0 {
        sentences.push(format!(
            "{} for reasons that are neither the model's nor the task's (infrastructure), and not counted.",
            count(infrastructure, "attempt failed", "attempts failed")
        ));
    }
    if faults > 0 {
        sentences.push(format!(
            "{} by a fault of the task, and not counted.",
            count(faults, "attempt failed", "attempts failed")
        ));
    }
    sentences
}

fn bounds(report: &SuiteReport<'_>) -> Vec<String> {
    let sentence = |model: &super::ModelSummary<'_>| {
        let bound = model.bound?;
        let instead = model
            .rate
            .map_or(String::new(), |rate| format!(" instead of {}", percent(rate.mean)));
        Some(format!(
            "{}: with {} counted as failed, it solves {} ({}){instead}.",
            model.model,
            count(
                model.counts.infrastructure,
                "infrastructure error",
                "infrastructure errors"
            ),
            percent(bound.mean),
            span(bound.interval.low, bound.interval.high, hundredths),
        ))
    };
    report.models.iter().filter_map(sentence).collect()
}

fn mixed_versions(report: &SuiteReport<'_>) -> Vec<String> {
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for ran in &report.facts.versions {
        let known = versions.entry(&ran.name).or_default();
        if !known.contains(&ran.version.as_str()) {
            known.push(&ran.version);
        }
    }
    let mixed = versions.into_iter().filter(|(_, versions)| versions.len() > 1);
    mixed
        .map(|(name, versions)| format!("{name} ran in {} versions: {}.", versions.len(), versions.join(", ")))
        .collect()
}

/// Says which models have results on fewer tasks than others, so that their rates are about other tasks.
fn uneven_tasks(report: &SuiteReport<'_>) -> Vec<String> {
    let all = report.tasks;
    let short = report.models.iter().filter_map(|model| {
        let tasks = model.rate.map_or(0, |rate| rate.tasks);
        (tasks < all).then(|| format!("{} on {tasks}", model.model))
    });
    let short: Vec<String> = short.collect();
    if short.is_empty() {
        return Vec::new();
    }
    let pairs = if report.pairs.is_empty() {
        ""
    } else {
        " Pairs are compared on the tasks that both have results on."
    };
    vec![format!(
        "Not every model has results on all {}: {}.{pairs}",
        count(all as u64, "task", "tasks"),
        short.join(", ")
    )]
}

fn plan_words(report: &SuiteReport<'_>) -> Option<String> {
    if report.models.len() < 2 {
        return None;
    }
    let size = super::words::times(report.tasks, (report.repeats(), report.repeats()));
    Some(match report.smallest_difference {
        Some(difference) => format!(
            "{size} are enough to show a difference of {} points between two models in 80 % of cases. {}",
            points(difference),
            PlanAssumption::default().sentence()
        ),
        None => format!("{size} are too few to show any difference between two models reliably."),
    })
}
