//! How long to wait before a start is tried again, and when to give up.

use std::time::Duration;

/// How many deaths in a row are enough, none of them after a completed turn.
const ENOUGH: u32 = 5;

/// The longest pause between two starts.
const LONGEST: Duration = Duration::from_mins(1);

/// A count of deaths in a row.
#[derive(Debug)]
pub(super) struct Backoff {
    first_pause: Duration,
    in_a_row: u32,
}

impl Backoff {
    pub(super) fn new(first_pause: Duration) -> Backoff {
        Backoff {
            first_pause,
            in_a_row: 0,
        }
    }

    /// Returns the pause before the next start; `None` to give up. `useful` means that a turn was completed before this
    /// death.
    pub(super) fn after_death(&mut self, useful: bool) -> Option<Duration> {
        self.in_a_row = if useful { 1 } else { self.in_a_row + 1 };
        if self.in_a_row >= ENOUGH {
            return None;
        }
        let doubled = self.first_pause.saturating_mul(1 << (self.in_a_row - 1));
        Some(doubled.min(LONGEST.max(self.first_pause)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_until_giving_up_and_reset_after_a_turn() {
        let mut patience = Backoff::new(Duration::from_secs(3));
        let seconds = |patience: &mut Backoff, useful| patience.after_death(useful).map(|pause| pause.as_secs());
        assert_eq!(seconds(&mut patience, false), Some(3));
        assert_eq!(seconds(&mut patience, false), Some(6));
        assert_eq!(seconds(&mut patience, true), Some(3));
        for pause in [6, 12, 24] {
            assert_eq!(seconds(&mut patience, false), Some(pause));
        }
        assert_eq!(seconds(&mut patience, false), None);
        let mut slow = Backoff::new(Duration::from_mins(2));
        assert_eq!(seconds(&mut slow, false), Some(120));
        assert_eq!(seconds(&mut slow, false), Some(120));
    }
}
