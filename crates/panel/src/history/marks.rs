//! The marks on a timeline: the turns at which something happened, by kind.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use franz_json::{each_item, members, says};
use franz_record::Status;
use serde::Serialize;
use serde_json::value::RawValue;

use super::History;
use super::outline::Outline;

/// The beginning of a line that passes a person's message on to the model. In JSON, it comes after a line feed or the
/// opening quote.
const MESSAGES: [&str; 2] = ["\"MESSAGE FROM THE PERSON", "\\nMESSAGE FROM THE PERSON"];

/// The kinds of marks, in the order of their bits.
const KINDS: [&str; 9] = [
    "failed", "error", "retry", "acted", "held", "refused", "goal", "mode", "message",
];

/// The marks of one turn, as a bit for each of [`KINDS`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Marks(u16);

/// The goal and mode in the newest line, as hashes. If either of them changes, the turn gets a mark.
#[derive(Debug, Default)]
pub(super) struct Task {
    goal: Option<u64>,
    mode: Option<u64>,
}

/// The turns with marks after a given turn.
#[derive(Debug, Default, Serialize)]
pub struct MarkedTurns {
    /// The last recorded turn; 0 if there is none.
    pub last: u64,
    /// For each kind with any marks, the ranges of turns in ascending order, with both ends included.
    pub marks: BTreeMap<&'static str, Vec<[u64; 2]>>,
}

impl History {
    /// Returns the marks of all turns after `after`.
    pub fn marks(&self, after: u64) -> MarkedTurns {
        let index = self.up_to_date();
        let mut marked = MarkedTurns {
            last: index.extent().last,
            ..MarkedTurns::default()
        };
        for (turn, marks) in index.marks(after) {
            for kind in marks.kinds() {
                let ranges = marked.marks.entry(kind).or_default();
                match ranges.last_mut() {
                    Some([_, last]) if last.checked_add(1) == Some(turn) => *last = turn,
                    _ => ranges.push([turn, turn]),
                }
            }
        }
        marked
    }
}

impl Marks {
    /// Returns the marks of a line, and updates `task` to the line's goal and mode.
    pub(super) fn of(outline: &Outline<'_>, task: &mut Task) -> Self {
        let (mut acted, mut held, mut refused) = (false, false, false);
        for_each(outline.acted, |outcome| {
            acted |= says(outcome, "done");
            held |= says(outcome, "held") || says(outcome, "withdrawn");
            refused |= says(outcome, "refused") || says(outcome, "blocked");
        });
        let mut errors = false;
        if let Some(list) = outline.errors {
            each_item(list.get(), |_| errors = true);
        }
        let feedback = outline.feedback.map(RawValue::get).unwrap_or_default();
        let present = [
            outline.status == Status::Failed,
            errors,
            outline
                .attempts
                .is_some_and(|raw| raw.get().parse::<u32>().is_ok_and(|attempts| attempts > 1)),
            acted,
            held,
            refused,
            changed(&mut task.goal, outline.goal),
            changed(&mut task.mode, outline.mode),
            MESSAGES.iter().any(|head| feedback.contains(head)),
        ];
        let bits = present.iter().enumerate();
        Self(bits.fold(0, |marks, (bit, &is)| marks | (u16::from(is) << bit)))
    }

    fn kinds(self) -> impl Iterator<Item = &'static str> {
        let kinds = KINDS.into_iter().enumerate();
        kinds.filter_map(move |(bit, kind)| (self.0 >> bit & 1 == 1).then_some(kind))
    }
}

/// Calls `take` with each action's outcome.
fn for_each(acted: Option<&RawValue>, mut take: impl FnMut(Option<&RawValue>)) {
    let Some(acted) = acted else { return };
    each_item(acted.get(), |action| {
        if let Some([outcome]) = members(action.get(), ["outcome"]) {
            take(outcome);
        }
    });
}

/// Replaces the value in `known` with `value`. Returns whether a different value was known before.
fn changed(known: &mut Option<u64>, value: Option<&RawValue>) -> bool {
    let mut hasher = DefaultHasher::new();
    value.map_or("null", RawValue::get).hash(&mut hasher);
    let hash = hasher.finish();
    known.replace(hash).is_some_and(|before| before != hash)
}
