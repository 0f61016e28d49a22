//! Data that an export could not find, reported as one line for each reason.

use std::collections::BTreeMap;

/// The missing data: for each reason, the turns to which it applies.
#[derive(Debug, Default)]
pub(crate) struct Gaps(BTreeMap<String, Vec<u64>>);

impl Gaps {
    /// Notes that something is missing in a turn. Turns must come in ascending order.
    pub(super) fn note(&mut self, turn: u64, why: &str) {
        let turns = self.0.entry(why.to_owned()).or_default();
        if turns.last() != Some(&turn) {
            turns.push(turn);
        }
    }

    /// Returns a line for each reason.
    pub(crate) fn lines(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|(why, turns)| format!("{}: {why}", ranges(turns)))
    }
}

/// Formats turns: `turn 3`, or `turns 3, 5 to 9`.
fn ranges(turns: &[u64]) -> String {
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    for &turn in turns {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == turn => *last = turn,
            _ => ranges.push((turn, turn)),
        }
    }
    let words = ranges.iter().map(|(first, last)| match last - first {
        0 => first.to_string(),
        1 => format!("{first}, {last}"),
        _ => format!("{first} to {last}"),
    });
    let words: Vec<String> = words.collect();
    let noun = if turns.len() == 1 { "turn" } else { "turns" };
    format!("{noun} {}", words.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_told_by_reason_in_ranges() {
        let mut gaps = Gaps::default();
        for turn in [1, 3, 4, 6, 7, 8, 8] {
            gaps.note(turn, "no picture");
        }
        gaps.note(2, "no request");
        let lines: Vec<String> = gaps.lines().collect();
        assert_eq!(lines, ["turns 1, 3, 4, 6 to 8: no picture", "turn 2: no request"]);
    }
}
