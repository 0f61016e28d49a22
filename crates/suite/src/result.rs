//! The result of an attempt: `result.json`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::folder::SuiteDigest;
use crate::plan::PlannedAttempt;

/// The result of an attempt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AttemptResult {
    /// The version of this format.
    pub v: u32,
    /// The digest of the plan's text.
    pub plan: SuiteDigest,
    /// The attempt, as the plan has it.
    #[serde(flatten)]
    pub attempt: PlannedAttempt,
    /// The identity of the try that this result comes from.
    pub r#try: String,
    /// What became of it.
    pub outcome: RecordedOutcome,
    /// How much of the task is done, from 0 to 1.
    pub score: f64,
    /// The reason, in words; empty if there is nothing to say.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// The run; `None` if it could not start.
    #[serde(default)]
    pub run: Option<RunFigures>,
    /// The check; `None` if the run could not start.
    #[serde(default)]
    pub check: Option<CheckReport>,
    /// Whether the programs could not read the suite's files, and the check had no network.
    pub isolated: bool,
    /// The versions of the programs that ran.
    #[serde(default)]
    pub versions: BTreeMap<String, String>,
    /// The name of the machine.
    #[serde(default)]
    pub host: String,
    /// The process that played it, and after an `x` how many attempts it played at the same time: seconds are compared only
    /// within one process.
    #[serde(default)]
    pub job: String,
}

impl AttemptResult {
    /// The current version of the format.
    pub const VERSION: u32 = 1;
}

/// The outcome of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecordedOutcome {
    /// The check accepts it.
    Solved,
    /// The check does not accept it.
    Unsolved,
    /// The check itself failed: a fault of the task, not of the model.
    Fault,
    /// A program that the task needs is missing. Only earlier versions made this a result; now, such an attempt has none.
    Skipped,
}

impl RecordedOutcome {
    /// Returns the outcome in words.
    pub fn words(self) -> &'static str {
        match self {
            RecordedOutcome::Solved => "solved",
            RecordedOutcome::Unsolved => "not solved",
            RecordedOutcome::Fault => "fault of the task",
            RecordedOutcome::Skipped => "skipped",
        }
    }
}

/// What a run did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunFigures {
    /// The exit code of `franz run`; `None` if it was ended at its time limit.
    pub exit: Option<u8>,
    /// Why it ended, in words.
    pub ended: String,
    /// Its turns.
    pub turns: u64,
    /// Seconds from its first turn to its end: loading the model does not count.
    pub seconds: f64,
    /// Tokens in requests.
    pub prompt_tokens: u64,
    /// Tokens that the model wrote.
    pub completion_tokens: u64,
    /// Actions that were performed.
    pub done: u64,
    /// Actions that were held back because the screen had changed.
    pub held: u64,
    /// Actions that were refused or not allowed.
    pub refused: u64,
    /// Actions that could not be read.
    pub malformed: u64,
    /// Whether the model went in circles until the run ended.
    pub looped: bool,
    /// The models that answered.
    pub answered_by: Vec<String>,
    /// The model's final answer.
    pub answer: Option<String>,
}

/// What a check said.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CheckReport {
    /// Its exit code; `None` if it was ended.
    pub exit: Option<u8>,
    /// Seconds that it took.
    pub seconds: f64,
    /// The end of what it printed.
    pub printed: String,
}

/// The last line of a check's output, if it is an object.
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct CheckWords {
    /// How much of the task is done, from 0 to 1.
    pub score: Option<f64>,
    /// The reason.
    pub why: String,
}

impl CheckWords {
    /// Reads the last line that a check printed. `None` if it is not an object, or its score is not from 0 to 1.
    pub fn read(printed: &str) -> Option<CheckWords> {
        let last = printed.lines().rev().find(|line| !line.trim().is_empty())?;
        let words: CheckWords = serde_json::from_str(last.trim()).ok()?;
        let fits = words.score.is_none_or(|score| (0.0..=1.0).contains(&score));
        fits.then_some(words)
    }
}

/// Judges a check by its exit code and its last line: 0 is solved, 1 is not, anything else is a fault of the task.
pub fn judge(exit: Option<u8>, printed: &str) -> (RecordedOutcome, f64, String) {
    let words = CheckWords::read(printed).unwrap_or_default();
    match exit {
        Some(0) => (RecordedOutcome::Solved, words.score.unwrap_or(1.0), words.why),
        Some(1) => (RecordedOutcome::Unsolved, words.score.unwrap_or(0.0), words.why),
        Some(code) => {
            let said = printed
                .lines()
                .rev()
                .find(|line| !line.trim().is_empty())
                .unwrap_or_default();
            let said = if said.is_empty() {
                String::new()
            } else {
                format!(": {said}")
            };
            (
                RecordedOutcome::Fault,
                0.0,
                format!("the check ended with {code}{said}"),
            )
        }
        None => (RecordedOutcome::Fault, 0.0, "the check did not end".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_is_judged_by_its_exit_code_and_its_last_line() {
        let solved = |score, why: &str| (RecordedOutcome::Solved, score, why.to_owned());
        let unsolved = |score, why: &str| (RecordedOutcome::Unsolved, score, why.to_owned());
        for (exit, printed, expected) in [
            (0, "", solved(1.0, "")),
            (1, "", unsolved(0.0, "")),
            (
                0,
                "a\n{\"score\": 0.75, \"why\": \"nearly\"}\n\n",
                solved(0.75, "nearly"),
            ),
            (1, "{\"score\": 0.5}", unsolved(0.5, "")),
            (1, "{\"score\": 7}", unsolved(0.0, "")),
            (1, "{\"score\": \"x\"}", unsolved(0.0, "")),
            (1, "score: 1", unsolved(0.0, "")),
        ] {
            assert_eq!(judge(Some(exit), printed), expected, "{printed}");
        }
        for exit in [Some(2), Some(127), Some(255), None] {
            assert_eq!(judge(exit, "{\"score\": 1}").0, RecordedOutcome::Fault);
        }
    }
}
