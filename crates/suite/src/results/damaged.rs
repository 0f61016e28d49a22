//! Results that do not count: damaged, of another plan, or impossible.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde_json::from_slice;

use crate::folder::SuiteDigest;
use crate::plan::{AttemptPlan, PlannedAttempt};
use crate::result::AttemptResult;

/// The most of anything that a run may have counted, and the most seconds that it may have taken. Real runs stay far
/// below; sums of these still fit.
const MOST_COUNTED: u64 = 1_000_000_000_000;
const MOST_SECONDS: f64 = 1e9;

/// What to do about it, if the plan has such an attempt or not.
const PLAYED_AGAIN: &str = "; remove it, and `franz suite run` plays the attempt again";
const REMOVED: &str = "; remove it";

/// A result that does not count. Its attempt has none until the file is removed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} does not count, because {problem}{}", file.display(), if *is_planned { PLAYED_AGAIN } else { REMOVED })]
pub struct DamagedResult {
    /// The attempt whose result it would be.
    pub attempt: u32,
    /// The file, or the folder that is in its place.
    pub file: PathBuf,
    /// What is wrong with it.
    pub problem: String,
    /// Whether the plan has such an attempt.
    pub is_planned: bool,
}

/// All results of a plan, sorted by whether they count.
#[derive(Clone, Debug, Default)]
pub struct CollectedResults {
    /// The results, in the order of the plan.
    pub results: Vec<AttemptResult>,
    /// Those that do not count.
    pub damaged: Vec<DamagedResult>,
}

impl CollectedResults {
    /// Returns the attempts in `plan` that have no result that counts.
    pub fn missing(&self, plan: &AttemptPlan) -> Vec<u32> {
        let there: BTreeSet<u32> = self.results.iter().map(|result| result.attempt.attempt).collect();
        let all = plan.attempts.iter().map(|attempt| attempt.attempt);
        all.filter(|attempt| !there.contains(attempt)).collect()
    }
}

/// Parses an attempt's result and compares it with the plan. Returns what is wrong, if anything.
pub(super) fn read(text: &[u8], plan: &SuiteDigest, planned: Option<&PlannedAttempt>) -> Result<AttemptResult, String> {
    let Some(planned) = planned else {
        return Err("the plan has no such attempt".to_owned());
    };
    let result: AttemptResult = from_slice(text).map_err(|error| format!("it cannot be read: {error}"))?;
    if result.v != AttemptResult::VERSION {
        return Err(format!(
            "this FRANZ does not know version {} of results; it reads version {}",
            result.v,
            AttemptResult::VERSION
        ));
    }
    if result.plan != *plan {
        return Err("it is the result of another plan".to_owned());
    }
    if result.attempt.attempt != planned.attempt {
        return Err(format!("it is the result of attempt {}", result.attempt.attempt));
    }
    if result.attempt != *planned {
        return Err("its task, model, profile, repeat or seed is not that of the plan".to_owned());
    }
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if result.r#try.is_empty() || !result.r#try.chars().all(is_plain) {
        return Err("its try has an invalid name".to_owned());
    }
    if let Some(what) = impossible(&result) {
        return Err(format!("its {what} is impossible"));
    }
    Ok(result)
}

/// Returns the name of a number that no attempt can have.
fn impossible(result: &AttemptResult) -> Option<&'static str> {
    let run = result.run.clone().unwrap_or_default();
    let check_s = result.check.as_ref().map_or(0.0, |check| check.seconds);
    let is_time = |seconds| (0.0..=MOST_SECONDS).contains(&seconds);
    let is_count = |count| count <= MOST_COUNTED;
    let possible = [
        ("score", (0.0..=1.0).contains(&result.score)),
        ("time", is_time(run.seconds) && is_time(check_s)),
        ("number of turns", is_count(run.turns)),
        (
            "number of tokens",
            is_count(run.prompt_tokens) && is_count(run.completion_tokens),
        ),
        (
            "number of actions",
            [run.done, run.held, run.refused, run.malformed]
                .into_iter()
                .all(is_count),
        ),
    ];
    possible.into_iter().find(|(_, fits)| !fits).map(|(what, _)| what)
}
