//! How long to wait before a restart, and when to give up.

use std::time::Duration;

use crate::config::settings::PanelSettings;

/// The longest wait before a restart.
const LONGEST: Duration = Duration::from_mins(1);

/// How many times the wait can double.
const DOUBLED: u32 = 16;

/// A count of consecutive deaths.
#[derive(Clone, Debug)]
pub(in crate::watch) struct Backoff {
    first_pause: Duration,
    /// The number of deaths in a row, without a completed turn, after which to give up; 0 means never.
    enough: u32,
    in_a_row: u32,
}

impl Backoff {
    pub(in crate::watch) fn of(panel: &PanelSettings) -> Backoff {
        Backoff::new(Duration::from_secs_f64(panel.restart_s), panel.max_deaths)
    }

    pub(in crate::watch) fn new(first_pause: Duration, enough: u32) -> Backoff {
        Backoff {
            first_pause,
            enough,
            in_a_row: 0,
        }
    }

    /// Returns how long to wait before the next start, or `None` to give up. `useful` means that a turn was completed
    /// before this death.
    pub(in crate::watch) fn after_death(&mut self, useful: bool) -> Option<Duration> {
        self.in_a_row = if useful { 1 } else { self.in_a_row.saturating_add(1) };
        if self.enough > 0 && self.in_a_row >= self.enough {
            return None;
        }
        let doubled = self.first_pause.saturating_mul(1 << (self.in_a_row - 1).min(DOUBLED));
        Some(doubled.min(LONGEST.max(self.first_pause)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_until_giving_up_and_reset_after_a_turn() {
        let mut backoff = Backoff::new(Duration::from_secs(3), 5);
        let seconds = |backoff: &mut Backoff, useful| backoff.after_death(useful).map(|pause| pause.as_secs());
        assert_eq!(seconds(&mut backoff, false), Some(3));
        assert_eq!(seconds(&mut backoff, false), Some(6));
        assert_eq!(seconds(&mut backoff, true), Some(3));
        for pause in [6, 12, 24] {
            assert_eq!(seconds(&mut backoff, false), Some(pause));
        }
        assert_eq!(seconds(&mut backoff, false), None);
        let mut slow = Backoff::new(Duration::from_mins(2), 5);
        assert_eq!(seconds(&mut slow, false), Some(120));
        assert_eq!(seconds(&mut slow, false), Some(120));
    }

    #[test]
    fn a_person_may_want_it_tried_for_ever() {
        let mut backoff = Backoff::new(Duration::from_secs(3), 0);
        let pauses: Vec<_> = (0..100).map(|_| backoff.after_death(false)).collect();
        assert_eq!(pauses[99], Some(LONGEST));
        assert!(pauses.iter().all(Option::is_some));
    }
}
