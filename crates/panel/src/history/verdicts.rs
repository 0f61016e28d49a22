//! The verdicts of a run by turn.

use std::collections::{BTreeMap, BTreeSet};

use franz_home::{DiskError, View};
use serde::Deserialize;

use super::place::LinePosition;
use super::tail::Tail;
use crate::hub::VerdictCounts;
use crate::verdict::{FILE, VerdictKind};

/// How many verdicts on earlier requests of a turn can be read back. If there are more, the rest are only counted.
const EARLIER: usize = 100;

/// How many violations to list by turn number.
const TOLD: usize = 1000;

/// The positions of the verdicts.
#[derive(Debug)]
pub(super) struct VerdictIndex {
    tail: Tail,
    /// The last verdict on each turn.
    last: BTreeMap<u64, Slot>,
    /// The earlier verdicts on those few turns that have several. Oldest first.
    earlier: BTreeMap<u64, Vec<Slot>>,
    violations: BTreeSet<u64>,
    counts: VerdictCounts,
    bad: u64,
}

/// The verdicts of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    /// The number of verdicts of each kind.
    pub counts: VerdictCounts,
    /// The newest turns whose story was changed, in ascending order.
    pub violations: Vec<u64>,
}

#[derive(Debug, Clone, Copy)]
struct Slot {
    offset: u64,
    length: u32,
    kind: VerdictKind,
}

/// The parts of a line that the index needs.
#[derive(Deserialize)]
struct Outline {
    #[serde(default)]
    turn: Option<u64>,
    verdict: VerdictKind,
}

impl VerdictIndex {
    pub(super) fn of(view: &View) -> Self {
        Self {
            tail: Tail::of(view, FILE.to_owned()),
            last: BTreeMap::new(),
            earlier: BTreeMap::new(),
            violations: BTreeSet::new(),
            counts: VerdictCounts::default(),
            bad: 0,
        }
    }

    pub(super) fn take_in(&mut self) -> Result<(), DiskError> {
        let Self {
            tail,
            last,
            earlier,
            violations,
            counts,
            bad,
        } = self;
        tail.read(|line| {
            let outline = line
                .bytes
                .and_then(|bytes| serde_json::from_slice::<Outline>(bytes).ok());
            let length = line.bytes.and_then(|bytes| u32::try_from(bytes.len()).ok());
            let (Some(Outline { turn, verdict: kind }), Some(length)) = (outline, length) else {
                *bad += 1;
                return;
            };
            counts.count(kind);
            let Some(turn) = turn else { return };
            if kind == VerdictKind::Violation {
                violations.insert(turn);
            }
            let slot = Slot {
                offset: line.offset,
                length,
                kind,
            };
            if let Some(before) = last.insert(turn, slot) {
                let earlier = earlier.entry(turn).or_default();
                if earlier.len() == EARLIER {
                    earlier.remove(0);
                }
                earlier.push(before);
            }
        })
    }

    pub(super) fn bad_lines(&self) -> u64 {
        self.bad
    }

    /// Returns the last verdict on `turn`.
    pub(super) fn last(&self, turn: u64) -> Option<VerdictKind> {
        self.last.get(&turn).map(|slot| slot.kind)
    }

    /// Returns the positions of the verdicts on `turn`, oldest first.
    pub(super) fn places(&self, turn: u64) -> Vec<LinePosition> {
        let earlier = self.earlier.get(&turn).into_iter().flatten();
        let slots = earlier.chain(self.last.get(&turn));
        let places = slots.map(|slot| LinePosition {
            file: self.tail.file().clone(),
            offset: slot.offset,
            length: slot.length,
        });
        places.collect()
    }

    pub(super) fn tally(&self) -> Tally {
        Tally {
            counts: self.counts,
            violations: newest(&self.violations),
        }
    }
}

impl Tally {
    /// Returns this tally. If those `at_open` and those `told` since then add up to more, returns their sum instead,
    /// because a larger sum means that the disk did not accept all verdicts.
    pub(super) fn or_more(&self, at_open: &Tally, told: &Tally) -> Tally {
        let mut counts = self.counts;
        for ((count, before), since) in counts.0.iter_mut().zip(at_open.counts.0).zip(told.counts.0) {
            *count = (*count).max(before.saturating_add(since));
        }
        let violations = self.violations.iter().chain(&told.violations).copied().collect();
        Tally {
            counts,
            violations: newest(&violations),
        }
    }
}

fn newest(turns: &BTreeSet<u64>) -> Vec<u64> {
    let mut newest: Vec<u64> = turns.iter().rev().take(TOLD).copied().collect();
    newest.reverse();
    newest
}
