//! The meaning of calls that end the work.

use super::{Does, said};
use crate::notation::Arguments;

pub(super) fn finished(success: bool, args: &Arguments) -> Does {
    let status = said(args, &["status", "goal_status", "success"]).unwrap_or_default();
    Does::Finish {
        answer: said(
            args,
            &[
                "answer", "text", "content", "message", "info", "return", "value", "reason",
            ],
        )
        .unwrap_or_default(),
        success: success && is_success(&status),
    }
}

/// Checks whether a status consists only of words that report success. An empty status changes nothing.
fn is_success(status: &str) -> bool {
    let status = status.to_lowercase();
    let mut words = status
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    words.all(|word| SUCCESS.contains(&word))
}

/// Words that report success, and words around them that change nothing.
const SUCCESS: [&str; 34] = [
    "success",
    "successful",
    "successfully",
    "succeeded",
    "complete",
    "completed",
    "done",
    "finish",
    "finished",
    "true",
    "yes",
    "ok",
    "1",
    "achieved",
    "solved",
    "all",
    "fully",
    "task",
    "goal",
    "answer",
    "answered",
    "the",
    "is",
    "was",
    "has",
    "have",
    "been",
    "tasks",
    "goals",
    "reached",
    "\u{6210}\u{529f}",
    "\u{5b8c}\u{6210}",
    "\u{5df2}\u{5b8c}\u{6210}",
    "\u{4efb}\u{52a1}\u{5b8c}\u{6210}",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_words_report_success() {
        for status in [
            "",
            "success",
            "Successfully completed",
            "complete",
            "DONE",
            "task_completed",
            "The task is complete",
            "goal reached",
            "\u{4efb}\u{52a1}\u{5b8c}\u{6210}",
            "true",
            "1",
        ] {
            assert!(is_success(status), "{status}");
        }
        for status in [
            "failure",
            "failed",
            "unsuccessful",
            "incomplete",
            "partial",
            "partially completed",
            "not completed",
            "the task has not been completed",
            "infeasible",
            "false",
            "0",
            "unknown",
        ] {
            assert!(!is_success(status), "{status}");
        }
    }
}
