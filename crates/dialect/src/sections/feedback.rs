//! Formats the protocol's own feedback on a reply.

use franz_action::Outcome;
use franz_action::text::shortened;

use crate::plan::{NOTHING_YET, Plan, PlanReport, PlanStep, Scene};

/// Whether there was a reply.
#[derive(Clone, Copy, Debug)]
pub(super) enum SectionsReport {
    /// The model has not been asked yet.
    Opening,
    /// A reply was read.
    Turn,
}

/// How many surplus calls to list individually.
const MOST_IGNORED: usize = 5;
/// How many characters of a call or a reason to show.
const LONGEST: usize = 200;

impl PlanReport for SectionsReport {
    fn feedback(&self, plan: &Plan, outcomes: &[Outcome], _scene: &Scene<'_>) -> String {
        let mut steps = plan.steps.iter().zip(outcomes);
        let last = match (self, steps.next()) {
            (SectionsReport::Opening, _) => format!("none; {NOTHING_YET}"),
            (SectionsReport::Turn, None) => "none (no call found under ACTION)".to_owned(),
            (SectionsReport::Turn, Some((step, outcome))) => performed(step, outcome),
        };
        let mut lines = vec![format!("Last action performed: {last}")];
        lines.extend(
            steps
                .by_ref()
                .take(MOST_IGNORED)
                .map(|(step, outcome)| ignored(step, outcome)),
        );
        match steps.count() {
            0 => {}
            untold => lines.push(format!("and {untold} more")),
        }
        lines.join("\n")
    }
}

/// `left_click(500, 300) -> done`
fn performed(step: &PlanStep, outcome: &Outcome) -> String {
    let name = match outcome {
        Outcome::NotApplied(_) => "not applied",
        _ => outcome.name(),
    };
    let words = shortened(&step.shown, LONGEST);
    // A notice already contains the note.
    match outcome.why().filter(|_| !outcome.is_done()) {
        Some(why) => format!("{words} -> {name}: {}", shortened(why, LONGEST)),
        None => format!("{words} -> {name}"),
    }
}

/// `Ignored: type("abc") (one action a turn)`
fn ignored(step: &PlanStep, outcome: &Outcome) -> String {
    let words = shortened(&step.shown, LONGEST);
    match outcome.why() {
        Some(why) => format!("Ignored: {words} ({})", shortened(why, LONGEST)),
        None => format!("Ignored: {words}"),
    }
}
