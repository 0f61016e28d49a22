//! The verdicts of a run by turn.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use franz_record::DiskError;
use serde::{Deserialize, Serialize};

use super::place::Place;
use super::tail::Tail;
use crate::verdict::{FILE, Kind};

/// Verdicts on earlier requests of one turn that can be read back; more are only counted.
const EARLIER: usize = 100;

/// Violations that are told by number.
const TOLD: usize = 1000;

/// Where the verdicts stand.
#[derive(Debug)]
pub(super) struct Verdicts {
    tail: Tail,
    turns: BTreeMap<u64, OfTurn>,
    violations: BTreeSet<u64>,
    counts: [u64; 5],
    bad: u64,
}

/// How many verdicts of each kind there are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    /// By [`Kind::place`].
    pub counts: [u64; 5],
    /// The newest turns whose story was changed, ascending.
    pub violations: Vec<u64>,
}

#[derive(Debug)]
struct OfTurn {
    last: (u64, u32),
    kind: Kind,
    earlier: Vec<(u64, u32)>,
}

/// What the index needs of a line.
#[derive(Deserialize)]
struct Outline {
    #[serde(default)]
    turn: Option<u64>,
    verdict: Kind,
}

impl Verdicts {
    pub(super) fn of(directory: &Path) -> Self {
        Self {
            tail: Tail::of(&directory.join(FILE)),
            turns: BTreeMap::new(),
            violations: BTreeSet::new(),
            counts: [0; 5],
            bad: 0,
        }
    }

    pub(super) fn take_in(&mut self) -> Result<(), DiskError> {
        let Self {
            tail,
            turns,
            violations,
            counts,
            bad,
        } = self;
        tail.read(|line| {
            let outline = line
                .bytes
                .and_then(|bytes| serde_json::from_slice::<Outline>(bytes).ok());
            let length = line.bytes.and_then(|bytes| u32::try_from(bytes.len()).ok());
            let (Some(Outline { turn, verdict }), Some(length)) = (outline, length) else {
                *bad += 1;
                return;
            };
            if let Some(count) = counts.get_mut(verdict.place()) {
                *count += 1;
            }
            let Some(turn) = turn else { return };
            if verdict == Kind::Violation {
                violations.insert(turn);
            }
            let place = (line.offset, length);
            turns
                .entry(turn)
                .and_modify(|of_turn| of_turn.add(place, verdict))
                .or_insert_with(|| OfTurn::new(place, verdict));
        })
    }

    pub(super) fn bad_lines(&self) -> u64 {
        self.bad
    }

    /// The last verdict on `turn`.
    pub(super) fn last(&self, turn: u64) -> Option<Kind> {
        self.turns.get(&turn).map(|of_turn| of_turn.kind)
    }

    /// Where the verdicts on `turn` stand, oldest first.
    pub(super) fn places(&self, turn: u64) -> Vec<Place> {
        let of_turn = self.turns.get(&turn);
        let places = of_turn
            .into_iter()
            .flat_map(|of_turn| of_turn.earlier.iter().chain([&of_turn.last]));
        let located = places.map(|&(offset, length)| Place {
            path: self.tail.path().clone(),
            offset,
            length,
        });
        located.collect()
    }

    pub(super) fn tally(&self) -> Tally {
        Tally {
            counts: self.counts,
            violations: newest(&self.violations),
        }
    }
}

impl OfTurn {
    fn new(place: (u64, u32), kind: Kind) -> Self {
        Self {
            last: place,
            kind,
            earlier: Vec::new(),
        }
    }

    fn add(&mut self, place: (u64, u32), kind: Kind) {
        if self.earlier.len() == EARLIER {
            self.earlier.remove(0);
        }
        self.earlier.push(self.last);
        self.last = place;
        self.kind = kind;
    }
}

impl Tally {
    /// This, or what was there `at_open` and what was `told` since where that is more: then the disk did not take it all.
    pub(super) fn or_more(&self, at_open: &Tally, told: ([u64; 5], &[u64])) -> Tally {
        let mut counts = self.counts;
        for ((count, before), since) in counts.iter_mut().zip(at_open.counts).zip(told.0) {
            *count = (*count).max(before.saturating_add(since));
        }
        let violations = self.violations.iter().chain(told.1).copied().collect();
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

/// As JSON, the counts by name.
impl Serialize for Tally {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(Kind::ALL.iter().map(|&(_, name)| name).zip(self.counts))
    }
}
