//! The newest events, for clients that reconnect.

use std::collections::VecDeque;
use std::sync::Arc;

/// How many events to keep. They take up at most 2 MB.
pub(super) const KEPT: usize = 1000;

/// The newest [`KEPT`] events, numbered from 1. When it is full, each new event replaces the oldest.
#[derive(Default)]
pub(super) struct EventRing {
    events: VecDeque<Arc<str>>,
    newest: u64,
}

impl EventRing {
    /// Adds an event and returns its number.
    pub(super) fn push(&mut self, event: Arc<str>) -> u64 {
        if self.events.len() == KEPT {
            self.events.pop_front();
        }
        self.events.push_back(event);
        self.newest += 1;
        self.newest
    }

    /// Returns the number of the newest event; 0 before the first event.
    pub(super) fn newest(&self) -> u64 {
        self.newest
    }

    /// Returns up to `limit` events after number `after`, with their numbers. `None` if some of them are gone.
    pub(super) fn behind(&self, after: u64, limit: usize) -> Option<Vec<(u64, Arc<str>)>> {
        let gone = self.newest - self.events.len() as u64;
        let skip = usize::try_from(after.checked_sub(gone)?).ok()?;
        let numbers = after + 1..;
        let events = self.events.iter().skip(skip).take(limit).cloned();
        Some(numbers.zip(events).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_events_make_room_and_are_missed() {
        let mut ring = EventRing::default();
        assert_eq!(ring.behind(0, 9), Some(vec![]));
        for number in 1..=KEPT as u64 + 5 {
            assert_eq!(ring.push(number.to_string().into()), number);
        }
        let newest = ring.newest();
        assert_eq!(ring.behind(4, 9), None);
        let from_five: Vec<(u64, Arc<str>)> = ring.behind(5, 2).unwrap();
        assert_eq!(from_five, [(6, "6".into()), (7, "7".into())]);
        assert_eq!(ring.behind(5, usize::MAX).unwrap().len(), KEPT);
        assert_eq!(
            ring.behind(newest - 1, 9),
            Some(vec![(newest, newest.to_string().into())])
        );
        assert_eq!(ring.behind(newest, 9), Some(vec![]));
    }
}
