//! Outcomes as records have them, and back.

use franz_action::Outcome;
use franz_record::Acted;

/// A call and its outcome, as records have it.
pub(super) fn entry(call: &str, outcome: &Outcome) -> Acted {
    Acted {
        action: call.to_owned(),
        outcome: match outcome {
            Outcome::Done(_) => franz_record::Outcome::Done,
            Outcome::NotApplied(_) => franz_record::Outcome::NotApplied,
            Outcome::Ignored(_) => franz_record::Outcome::Ignored,
            Outcome::Malformed(_) => franz_record::Outcome::Malformed,
            Outcome::Blocked => franz_record::Outcome::Blocked,
            Outcome::Interrupted => franz_record::Outcome::Interrupted,
        },
        why: outcome.why().map(str::to_owned),
    }
}

/// The outcome that a record has.
pub(super) fn outcome(acted: &Acted) -> Outcome {
    let why = acted.why.clone();
    match acted.outcome {
        franz_record::Outcome::Done => Outcome::Done(why),
        franz_record::Outcome::NotApplied => Outcome::NotApplied(why.unwrap_or_default()),
        franz_record::Outcome::Ignored => Outcome::Ignored(why),
        franz_record::Outcome::Malformed => Outcome::Malformed(why.unwrap_or_default()),
        franz_record::Outcome::Blocked => Outcome::Blocked,
        franz_record::Outcome::Interrupted => Outcome::Interrupted,
    }
}
