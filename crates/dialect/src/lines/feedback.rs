//! Formats the protocol's own feedback on a reply.

use franz_action::Outcome;
use franz_action::text::shortened;

use crate::plan::{NOTHING_YET, Plan, PlanReport, PlanStep, Scene};

/// Whether there was a reply. The report on a reply needs only the plan's steps.
#[derive(Clone, Copy, Debug)]
pub(super) enum LinesReport {
    /// The model has not been asked yet.
    Opening,
    /// A reply was read.
    Turn,
}

/// How many entries to show in one list.
const MOST_ENTRIES: usize = 40;
/// How many characters of a call to show if nothing follows it.
const LONGEST_CALL: usize = 200;
/// How many characters of a call to show if a reason follows it.
const LONGEST_WORDS: usize = 80;
/// How many characters of a reason to show.
const LONGEST_REASON: usize = 120;

impl PlanReport for LinesReport {
    fn feedback(&self, plan: &Plan, outcomes: &[Outcome], _scene: &Scene<'_>) -> String {
        let [mut executed, mut malformed, mut ignored] = [const { List::new() }; 3];
        for (step, outcome) in plan.steps.iter().zip(outcomes) {
            match outcome {
                Outcome::Done(_) | Outcome::Read { .. } => executed.push(|| shortened(&step.shown, LONGEST_CALL)),
                Outcome::Malformed(why) => malformed.push(|| explained(step, "ERROR: ", why)),
                Outcome::Ignored(_) => ignored.push(|| shortened(&step.shown, LONGEST_CALL)),
                Outcome::NotApplied(why) => ignored.push(|| explained(step, "", why)),
                Outcome::Blocked(_)
                | Outcome::Interrupted
                | Outcome::Held(_)
                | Outcome::Refused(_)
                | Outcome::Withdrawn(_) => ignored.push(|| explained(step, "", &outcome.to_string())),
            }
        }
        let lists = [("executed", executed), ("malformed", malformed), ("ignored", ignored)];
        let mut lines = vec!["EXECUTOR_FEEDBACK:".to_owned()];
        lines.extend(lists.into_iter().filter_map(|(name, list)| list.line(name)));
        if lines.len() == 1 {
            let nothing = match self {
                LinesReport::Opening => NOTHING_YET,
                LinesReport::Turn => "no actions found in your previous output",
            };
            lines.push(nothing.to_owned());
        }
        lines.join("\n")
    }
}

fn explained(step: &PlanStep, mark: &str, why: &str) -> String {
    let (words, why) = (shortened(&step.shown, LONGEST_WORDS), shortened(why, LONGEST_REASON));
    format!("{words} -> {mark}{why}")
}

/// A list that shows only its first entries.
struct List {
    entries: Vec<String>,
    untold: usize,
}

impl List {
    const fn new() -> List {
        List {
            entries: Vec::new(),
            untold: 0,
        }
    }

    fn push(&mut self, entry: impl FnOnce() -> String) {
        if self.entries.len() < MOST_ENTRIES {
            self.entries.push(entry());
        } else {
            self.untold += 1;
        }
    }

    /// Returns `name=["a", "b"]` with Python's spacing; `None` if there are no entries.
    fn line(mut self, name: &str) -> Option<String> {
        if self.untold > 0 {
            self.entries.push(format!("... and {} more", self.untold));
        }
        let quoted = self
            .entries
            .into_iter()
            .map(|entry| serde_json::Value::from(entry).to_string());
        let quoted: Vec<String> = quoted.collect();
        (!quoted.is_empty()).then(|| format!("{name}=[{}]", quoted.join(", ")))
    }
}
