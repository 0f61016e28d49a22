//! From results to a report.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use franz_record::Exit;
use franz_suite::plan::AttemptPlan;
use franz_suite::report::{AttemptOutcome, RanVersion, ReportInput, ReportedAttempt, SuiteFacts};
use franz_suite::{AttemptResult, RecordedOutcome, ResultStore};

/// Collects what a report needs. Attempts whose every try failed count as failures of the infrastructure.
pub(crate) fn input(store: &ResultStore, plan: &AttemptPlan) -> Result<ReportInput> {
    let results = store.results().map_err(super::unusable)?;
    let several = plan.header.profiles.len() > 1;
    let with: BTreeSet<u32> = results.iter().map(|result| result.attempt.attempt).collect();
    let is_skipped = |result: &&AttemptResult| result.outcome == RecordedOutcome::Skipped;
    let skipped = results.iter().filter(is_skipped).count() as u64;
    let mut attempts: Vec<ReportedAttempt> = results
        .iter()
        .filter(|result| !is_skipped(result))
        .map(|result| reported(store, result, several))
        .collect();
    let without: BTreeSet<u32> = plan.attempts.iter().map(|planned| planned.attempt).collect();
    let without: BTreeSet<u32> = without.difference(&with).copied().collect();
    let failures = store.failures(&without).map_err(super::unusable)?;
    for planned in &plan.attempts {
        let Some(last) = failures.get(&planned.attempt).and_then(|ids| ids.last()) else {
            continue;
        };
        let why = store.why_failed(planned.attempt, last).map_err(super::unusable)?;
        attempts.push(ReportedAttempt {
            task: planned.task.to_string(),
            model: name(planned.model.as_str(), &planned.profile, several),
            repeat: u64::from(planned.repeat),
            outcome: AttemptOutcome::Infrastructure { why },
            ..ReportedAttempt::default()
        });
    }
    Ok(ReportInput {
        facts: facts(plan, &results, skipped, several),
        attempts,
    })
}

fn facts(plan: &AttemptPlan, results: &[AttemptResult], skipped: u64, several: bool) -> SuiteFacts {
    let mut tasks: Vec<String> = Vec::new();
    let played: BTreeSet<&str> = results
        .iter()
        .filter(|result| result.outcome != RecordedOutcome::Skipped)
        .map(|result| result.attempt.task.as_str())
        .collect();
    let skipped_tasks: BTreeSet<&str> = results
        .iter()
        .filter(|result| result.outcome == RecordedOutcome::Skipped)
        .map(|result| result.attempt.task.as_str())
        .filter(|task| !played.contains(task))
        .collect();
    let planned: BTreeSet<&str> = plan.attempts.iter().map(|attempt| attempt.task.as_str()).collect();
    tasks.extend(
        planned
            .into_iter()
            .filter(|task| !skipped_tasks.contains(task))
            .map(str::to_owned),
    );
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
    SuiteFacts {
        suite: plan.header.suite.to_string(),
        digest: plan.header.digest.to_string(),
        isolated: results.iter().all(|result| result.isolated),
        jobs: jobs(results),
        versions: versions.collect(),
        tasks,
        models,
        repeats: u64::from(plan.header.repeat),
        planned: plan.attempts.len() as u64 - skipped,
    }
}

/// Returns how many attempts ran at the same time, if it was the same number for all.
fn jobs(results: &[AttemptResult]) -> Option<u64> {
    let of = |result: &AttemptResult| result.job.rsplit_once('x').and_then(|(_, jobs)| jobs.parse().ok());
    let mut all = results.iter().map(of);
    let first: u64 = all.next()??;
    all.all(|jobs| jobs == Some(first)).then_some(first)
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
            RecordedOutcome::Fault | RecordedOutcome::Skipped => AttemptOutcome::TaskFault {
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
