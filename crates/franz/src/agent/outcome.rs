//! Outcomes as records have them, and back.

use franz_action::Outcome;
use franz_record::Acted;

/// A call and its outcome, as records have it.
pub(super) fn entry(call: &str, outcome: &Outcome) -> Acted {
    Acted {
        action: call.to_owned(),
        outcome: match outcome {
            Outcome::Done(_) | Outcome::Read { .. } => franz_record::Outcome::Done,
            Outcome::NotApplied(_) => franz_record::Outcome::NotApplied,
            Outcome::Ignored(_) => franz_record::Outcome::Ignored,
            Outcome::Malformed(_) => franz_record::Outcome::Malformed,
            Outcome::Blocked => franz_record::Outcome::Blocked,
            Outcome::Interrupted => franz_record::Outcome::Interrupted,
        },
        why: outcome.why().map(str::to_owned),
        text: match outcome {
            Outcome::Read { text, .. } => Some(text.clone()),
            _ => None,
        },
    }
}

/// The outcome that a record has.
pub(super) fn outcome(acted: &Acted) -> Outcome {
    let why = acted.why.clone();
    match acted.outcome {
        franz_record::Outcome::Done => match acted.text.clone() {
            Some(text) => Outcome::Read { text, note: why },
            None => Outcome::Done(why),
        },
        franz_record::Outcome::NotApplied => Outcome::NotApplied(why.unwrap_or_default()),
        franz_record::Outcome::Ignored => Outcome::Ignored(why),
        franz_record::Outcome::Malformed => Outcome::Malformed(why.unwrap_or_default()),
        franz_record::Outcome::Blocked => Outcome::Blocked,
        franz_record::Outcome::Interrupted => Outcome::Interrupted,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_lose_nothing() {
        let why = || "why".to_owned();
        for wanted in [
            Outcome::DONE,
            Outcome::Done(Some(why())),
            Outcome::read(""),
            Outcome::read(&"é".repeat(5000)),
            Outcome::NotApplied(why()),
            Outcome::IGNORED,
            Outcome::Ignored(Some(why())),
            Outcome::Malformed(why()),
            Outcome::Blocked,
            Outcome::Interrupted,
        ] {
            let line = serde_json::to_string(&entry("observe()", &wanted)).unwrap();
            assert_eq!(outcome(&serde_json::from_str(&line).unwrap()), wanted, "{line}");
        }
    }
}
