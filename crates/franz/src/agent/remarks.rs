//! Remarks to the person about how the model writes. Each is shown the first time it applies, then less and less often.

use std::collections::HashMap;

/// How many times a remark must apply before the person sees it again.
const LEAST_TOLD: u32 = 8;
/// How many different remarks the person sees. Remarks can quote the model, so their number is unlimited.
const MOST_REMARKS: usize = 50;

/// How many times each remark has applied.
#[derive(Debug, Default)]
pub(crate) struct Remarks(HashMap<String, u32>);

impl Remarks {
    /// Counts a remark. Returns the message to the person, if one is due.
    pub(super) fn note(&mut self, remark: &str) -> Option<String> {
        if self.0.len() >= MOST_REMARKS && !self.0.contains_key(remark) {
            return None;
        }
        let times = self.0.entry(remark.to_owned()).or_default();
        *times += 1;
        match *times {
            1 => Some(remark.to_owned()),
            times if times.is_power_of_two() && times >= LEAST_TOLD => {
                Some(format!("{remark} ({times} replies so far)"))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remark_is_shown_once_and_then_rarely() {
        let mut remarks = Remarks::default();
        let told: Vec<String> = (0..32).filter_map(|_| remarks.note("a quote was missing")).collect();
        assert_eq!(
            told,
            [
                "a quote was missing",
                "a quote was missing (8 replies so far)",
                "a quote was missing (16 replies so far)",
                "a quote was missing (32 replies so far)",
            ]
        );
    }

    #[test]
    fn at_most_fifty_different_remarks_are_shown() {
        let mut remarks = Remarks::default();
        let told = (0..1_000).filter(|number| remarks.note(&format!("there is no 'tap{number}'")).is_some());
        assert_eq!(told.count(), MOST_REMARKS);
        assert_eq!(remarks.0.len(), MOST_REMARKS);
        // A remark that was shown before still counts, even if the limit has been reached.
        let again: Vec<String> = (0..7).filter_map(|_| remarks.note("there is no 'tap0'")).collect();
        assert_eq!(again, ["there is no 'tap0' (8 replies so far)"]);
    }
}
