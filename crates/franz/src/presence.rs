//! Tracks whether somebody who could help is present, either at a terminal or on a page of the dashboard.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long somebody who has closed their page might still reopen it.
pub(crate) const AWAY: Duration = Duration::from_secs(30);

/// How long the stream of an open page may be closed so that the pages of other runs have their turns.
const TURNS: Duration = Duration::from_secs(5);

/// The known presence of the person. Clones share it.
#[derive(Clone, Debug)]
pub(crate) struct Presence {
    terminal: bool,
    page: Arc<Mutex<Page>>,
}

#[derive(Clone, Copy, Debug)]
enum Page {
    Closed { since: Option<Instant> },
    Open,
}

impl Presence {
    /// Returns the presence of a person, with or without a terminal and an open page.
    pub(crate) fn new(terminal: bool, page: bool) -> Presence {
        let page = if page { Page::Open } else { Page::Closed { since: None } };
        Presence {
            terminal,
            page: Arc::new(Mutex::new(page)),
        }
    }

    /// Notes that a page is open, or that the last one was closed.
    pub(crate) fn set_page(&self, is_open: bool, now: Instant) {
        let page = if is_open {
            Page::Open
        } else {
            Page::Closed { since: Some(now) }
        };
        *self.page.lock().unwrap_or_else(PoisonError::into_inner) = page;
    }

    /// Checks whether a page is open, even if others have their turns.
    pub(crate) fn is_page_open(&self) -> bool {
        self.is_page_open_at(Instant::now())
    }

    fn is_page_open_at(&self, now: Instant) -> bool {
        self.had_page(TURNS, now)
    }

    /// Checks whether a terminal is attached, or a page is open or was until a moment ago.
    pub(crate) fn is_anybody_there(&self) -> bool {
        self.is_anybody_there_at(Instant::now())
    }

    fn is_anybody_there_at(&self, now: Instant) -> bool {
        self.terminal || self.had_page(AWAY, now)
    }

    /// Checks whether a page is open, or was within this time.
    fn had_page(&self, within: Duration, now: Instant) -> bool {
        match *self.page.lock().unwrap_or_else(PoisonError::into_inner) {
            Page::Open => true,
            Page::Closed { since } => since.is_some_and(|since| now.saturating_duration_since(since) < within),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn somebody_is_there_until_thirty_seconds_after_the_last_page_was_closed() {
        let now = Instant::now();
        let at = |seconds| now + Duration::from_secs(seconds);
        let presence = Presence::new(false, false);
        assert!(!presence.is_anybody_there_at(now));
        presence.set_page(true, now);
        assert!(presence.is_anybody_there_at(at(3600)));
        presence.set_page(false, now);
        assert!(presence.is_anybody_there_at(at(29)) && !presence.is_anybody_there_at(at(31)));
        assert!(presence.is_page_open_at(at(4)) && !presence.is_page_open_at(at(6)));
        assert!(Presence::new(true, false).is_anybody_there_at(at(31)));
        assert!(!Presence::new(true, false).is_page_open_at(now));
        assert!(Presence::new(false, true).is_anybody_there_at(at(31)));
    }
}
