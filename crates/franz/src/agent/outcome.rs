//! Converts outcomes to records, and back.

use franz_action::Outcome;
use franz_record::Acted;

/// Returns the record of a call and its outcome.
pub(super) fn entry(call: &str, outcome: &Outcome) -> Acted {
    Acted {
        action: call.to_owned(),
        outcome: match outcome {
            Outcome::Done(_) | Outcome::Read { .. } => franz_record::Outcome::Done,
            Outcome::NotApplied(_) => franz_record::Outcome::NotApplied,
            Outcome::Ignored(_) => franz_record::Outcome::Ignored,
            Outcome::Malformed(_) => franz_record::Outcome::Malformed,
            Outcome::Blocked => franz_record::Outcome::Blocked,
            Outcome::Held(_) => franz_record::Outcome::Held,
            Outcome::Refused(_) => franz_record::Outcome::Refused,
            Outcome::Withdrawn(_) => franz_record::Outcome::Withdrawn,
            Outcome::Interrupted => franz_record::Outcome::Interrupted,
        },
        why: outcome.why().map(str::to_owned),
        text: match outcome {
            Outcome::Read { text, .. } => Some(text.clone()),
            _ => None,
        },
    }
}

/// Returns the outcome that a record holds.
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
        franz_record::Outcome::Held => Outcome::Held(why.unwrap_or_default()),
        franz_record::Outcome::Refused => Outcome::Refused(why.unwrap_or_default()),
        franz_record::Outcome::Withdrawn => Outcome::Withdrawn(why.unwrap_or_default()),
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
            Outcome::Held(why()),
            Outcome::Refused(why()),
            Outcome::Withdrawn(why()),
            Outcome::Interrupted,
        ] {
            let line = serde_json::to_string(&entry("observe()", &wanted)).unwrap();
            assert_eq!(outcome(&serde_json::from_str(&line).unwrap()), wanted, "{line}");
            assert!(line.contains(&format!("\"outcome\":\"{}\"", wanted.name())), "{line}");
        }
    }

    /// One list everywhere: actions, records, the dashboard and the documents.
    #[test]
    fn every_part_knows_the_same_outcomes() {
        let recorded = franz_record::Outcome::ALL.map(|outcome| serde_json::to_value(outcome).unwrap());
        assert_eq!(recorded, Outcome::NAMES.map(serde_json::Value::from));
        let page = include_str!("../../../panel/assets/feedback.js");
        let shown = page
            .split_once("const OUTCOMES = {")
            .unwrap()
            .1
            .split_once("};")
            .unwrap()
            .0;
        let shown = shown.lines().filter_map(|line| line.trim().split_once(": ["));
        assert_eq!(shown.map(|(name, _)| name).collect::<Vec<_>>(), Outcome::NAMES);
        let page = include_str!("../../../../docs/protocols.md");
        let rows = page.split_once("| outcome | means |\n|---|---|\n").unwrap().1;
        let rows = rows.lines().take_while(|line| line.starts_with("| `"));
        let documented = rows.filter_map(|row| row.split('`').nth(1));
        assert_eq!(documented.collect::<Vec<_>>(), Outcome::NAMES);
    }
}
