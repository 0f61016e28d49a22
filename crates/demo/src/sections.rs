//! Implements the sections protocol: reads its feedback with mode and goal, and writes a thought as four sections with
//! one call.

use franz_action::{Action, Button, Point};

use crate::artist::{Hand, NextStep, Thought};
use crate::feedback::Feedback;
use crate::rules::Rules;
use crate::speech::Voice;
use crate::words;

/// The beginning of the mode line in every feedback of this protocol.
pub(crate) const MODE: &str = "Current mode:";
const GOAL: &str = "YOUR GOAL NOW:";
const LAST: &str = "Last action performed:";

/// The model's goal if it was not given one.
const OWN_GOAL: &str = "Draw a white cat with a curled tail that says meow.";

/// The contents of the feedback.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SectionsFeedback {
    /// Whether FRANZ is only watching now.
    pub monitoring: bool,
    /// The current goal as written; empty if there is none.
    pub goal: String,
    /// The outcome of the last action.
    pub heard: Feedback,
    /// The position where the last action clicked.
    pub clicked: Option<Point>,
}

impl SectionsFeedback {
    /// Reads the feedback. If it names no mode, the mode is executing.
    pub fn read(feedback: &str) -> SectionsFeedback {
        let after = |label| feedback.lines().find_map(move |line| line.strip_prefix(label));
        let last = after(LAST).unwrap_or_default().trim();
        let (call, outcome) = last.split_once(" -> ").unwrap_or((last, ""));
        let done = outcome == "done" || outcome.starts_with("done:");
        SectionsFeedback {
            monitoring: after(MODE).is_some_and(|mode| mode.trim().eq_ignore_ascii_case("monitoring")),
            goal: goal(feedback),
            heard: match outcome.split_once(": ").unwrap_or((outcome, outcome)) {
                _ if done => Feedback::Fine,
                ("", _) => Feedback::Nothing,
                ("ignored", _) => Feedback::complaint(call, "switched off"),
                (_, reason) => Feedback::complaint(call, reason),
            },
            clicked: match call.parse() {
                Ok(Action::Click(click)) if done && click.button == Button::Left => Some(click.at),
                _ => None,
            },
        }
    }

    /// Returns how much the model can do now.
    pub fn hand(&self) -> Hand {
        Hand::one(self.clicked)
    }
}

/// Returns the goal, which can span several lines.
fn goal(feedback: &str) -> String {
    let from = feedback.lines().skip_while(|line| !line.starts_with(GOAL));
    let lines: Vec<&str> = from.take_while(|line| !line.starts_with(LAST)).collect();
    let goal = lines.join("\n");
    goal.strip_prefix(GOAL).unwrap_or_default().trim().to_owned()
}

/// Returns the rules remembered from a story; this protocol has no lessons of its own.
pub(crate) fn rules(story: &str) -> Rules {
    Rules::remembered(story)
}

/// Returns the whole reply.
///
/// The model draws nothing while monitoring. If the cat is unfinished, it first changes the mode and starts drawing a
/// turn later.
pub(crate) fn reply(thought: &Thought, report: &SectionsFeedback, voice: &Voice) -> String {
    let draws = !thought.is_idle();
    let wakes = draws && report.monitoring;
    let status = match (&thought.step, report.monitoring) {
        (NextStep::Draw(_) | NextStep::DrawWrongly(_), _) => "executing",
        (NextStep::Rest, false) => "completed",
        (NextStep::Rest, true) | (NextStep::Wait, _) => "monitoring",
    };
    let goal = match report.goal.as_str() {
        goal if !wakes && !goal.is_empty() => goal,
        _ => OWN_GOAL,
    };
    let call = voice.calls.first().filter(|_| draws && !wakes);
    let plan = if wakes {
        "My cat is not complete, so I go to work.".to_owned()
    } else {
        words::plan(thought)
    };
    format!(
        "STATUS: {status}\nGOAL: {goal}\nACTION: {}\nSTORY: {} {plan}{}\n",
        call.unwrap_or(&voice.look),
        words::seen(thought),
        voice.rules,
    )
}

#[cfg(test)]
mod tests;
