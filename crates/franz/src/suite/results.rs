//! From results to a report.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use franz_record::Exit;
use franz_suite::plan::AttemptPlan;
use franz_suite::report::{AttemptOutcome, RanVersion, ReportInput, ReportedAttempt, SuiteFacts};
use franz_suite::results::{CollectedResults, DamagedResult};
use franz_suite::{AttemptResult, RecordedOutcome, ResultStore};

use crate::terminal::complain;

/// The most results about which the person is told in full.
const MOST_DAMAGED: usize = 20;

/// Collects what a report needs. Attempts whose every try failed count as failures of the infrastructure, and those
/// that no machine could try as skipped.
pub(crate) fn input(store: &ResultStore, plan: &AttemptPlan) -> Result<ReportInput> {
    let CollectedResults { results, damaged } = store.collect(|_| true).map_err(super::unusable)?;
    warn(&damaged);
    let several = plan.header.profiles.len() > 1;
    let with: BTreeSet<u32> = results.iter().map(|result| result.attempt.attempt).collect();
    let mut attempts: Vec<ReportedAttempt> = results.iter().map(|result| reported(store, result, several)).collect();
    let without: BTreeSet<u32> = plan.attempts.iter().map(|planned| planned.attempt).collect();
    let without: BTreeSet<u32> = without.difference(&with).copied().collect();
    let fruitless = store.fruitless(&without).map_err(super::unusable)?;
    for planned in &plan.attempts {
        let Some(tries) = fruitless.get(&planned.attempt) else {
            continue;
        };
        let why = |ids: &[String]| store.why_last_failed(planned.attempt, ids).map_err(super::unusable);
        let outcome = if let Some(why) = why(&tries.failed)? {
            AttemptOutcome::Infrastructure { why }
        } else if let Some(why) = why(&tries.skipped)? {
            AttemptOutcome::Skipped { why }
        } else {
            continue;
        };
        attempts.push(ReportedAttempt {
            task: planned.task.to_string(),
            model: name(planned.model.as_str(), &planned.profile, several),
            repeat: u64::from(planned.repeat),
            outcome,
            ..ReportedAttempt::default()
        });
    }
    Ok(ReportInput {
        facts: SuiteFacts {
            damaged: damaged.len() as u64,
            ..facts(plan, &results, several)
        },
        attempts,
    })
}

/// Tells the person which results do not count, and what to do about it.
pub(crate) fn warn(damaged: &[DamagedResult]) {
    for one in damaged.iter().take(MOST_DAMAGED) {
        complain(&one.to_string());
    }
    if let Some(more @ 1..) = damaged.len().checked_sub(MOST_DAMAGED) {
        complain(&format!("{more} more results do not count"));
    }
}

fn facts(plan: &AttemptPlan, results: &[AttemptResult], several: bool) -> SuiteFacts {
    let tasks: BTreeSet<&str> = plan.attempts.iter().map(|attempt| attempt.task.as_str()).collect();
    let mut models: Vec<String> = Vec::new();
    for model in &plan.header.models {
        for profile in &plan.header.profiles {
            models.push(name(model.name.as_str(), profile, several));
        }
    }
    let mut versions: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for result in results {
        for (program, version) in &result.versions {
            versions.entry(program.clone()).or_default().insert(version.clone());
        }
        for model in result.run.iter().flat_map(|run| &run.answered_by) {
            let key = format!("model {}", result.attempt.model);
            versions.entry(key).or_default().insert(model.clone());
        }
    }
    let versions = versions.into_iter().flat_map(|(name, all)| {
        all.into_iter().map(move |version| RanVersion {
            name: name.clone(),
            version,
        })
    });
    let runs: BTreeSet<&str> = results.iter().map(|result| result.job.as_str()).collect();
    SuiteFacts {
        suite: plan.header.suite.to_string(),
        digest: plan.header.digest.to_string(),
        isolated: results.iter().all(|result| result.isolated),
        runs: runs.len() as u64,
        jobs: (runs.len() == 1).then(|| jobs(runs.first()?)).flatten(),
        versions: versions.collect(),
        tasks: tasks.into_iter().map(str::to_owned).collect(),
        models,
        repeats: u64::from(plan.repeats()),
        planned: plan.attempts.len() as u64,
        damaged: 0,
    }
}

/// Returns how many attempts a run of the suite played at once, from the end of its name.
fn jobs(run: &str) -> Option<u64> {
    run.rsplit_once('x').and_then(|(_, jobs)| jobs.parse().ok())
}

fn reported(store: &ResultStore, result: &AttemptResult, several: bool) -> ReportedAttempt {
    let run = result.run.clone().unwrap_or_default();
    let planned = &result.attempt;
    ReportedAttempt {
        task: planned.task.to_string(),
        model: name(planned.model.as_str(), &planned.profile, several),
        repeat: u64::from(planned.repeat),
        outcome: match result.outcome {
            RecordedOutcome::Solved => AttemptOutcome::Solved,
            RecordedOutcome::Unsolved => AttemptOutcome::Unsolved,
            RecordedOutcome::Fault => AttemptOutcome::TaskFault {
                why: result.why.clone(),
            },
            RecordedOutcome::Skipped => AttemptOutcome::Skipped {
                why: result.why.clone(),
            },
        },
        score: Some(result.score),
        turns: run.turns,
        prompt_tokens: run.prompt_tokens,
        completion_tokens: run.completion_tokens,
        seconds: run.seconds,
        held: run.held,
        refused: run.refused,
        malformed: run.malformed,
        loops: u64::from(run.looped),
        gave_up: u64::from(run.exit == Some(Exit::ReportedFailure.code())),
        player: store.player(planned.attempt, &result.r#try),
    }
}

/// Returns the name of a model in a report. With several profiles, each pair of model and profile is one column.
fn name(model: &str, profile: &str, several: bool) -> String {
    if several {
        format!("{model} ({profile})")
    } else {
        model.to_owned()
    }
}
