//! The page that has taken over the agent's screen.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use franz_panel::Refused;

/// A page is lost if it has neither asked for pictures nor sent input for this long. All keys and buttons that it held
/// down are then released.
const LOST: Duration = Duration::from_millis(500);
/// How long a lost page may take to return.
const AWAY: Duration = Duration::from_secs(5);

/// The page that has the screen. Clones share it.
#[derive(Clone, Default)]
pub(super) struct Holder(Arc<Mutex<Option<Held>>>);

struct Held {
    key: String,
    /// How many requests for pictures are waiting.
    waiting: usize,
    seen: Instant,
    /// Whether the keys and buttons were already released because the page is lost.
    is_let_go: bool,
}

impl Held {
    /// Notes that the page is there, so that what it holds down from now on is let go if it is lost again.
    fn heard(&mut self) {
        self.seen = Instant::now();
        self.is_let_go = false;
    }
}

impl Holder {
    fn lock(&self) -> MutexGuard<'_, Option<Held>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether a page has the screen.
    pub(super) fn is_held(&self) -> bool {
        self.lock().is_some()
    }

    /// Notes that no page has the screen any more.
    pub(super) fn clear(&self) {
        self.lock().take();
    }

    /// Gives the screen to the page with this key. Returns whether that page did not have it before.
    pub(super) fn take(&self, key: &str) -> Result<bool, Refused> {
        if key.is_empty() {
            return Err(Refused::Wrong(
                "key must be a word that you choose and send with every input".to_owned(),
            ));
        }
        let mut held = self.lock();
        match held.as_mut() {
            Some(held) if held.key == key => {
                held.heard();
                return Ok(false);
            }
            Some(_) => return Err(Refused::Decided("another page has taken over the screen".to_owned())),
            None => {}
        }
        *held = Some(Held {
            key: key.to_owned(),
            waiting: 0,
            seen: Instant::now(),
            is_let_go: false,
        });
        Ok(true)
    }

    /// Notes that the page with this key starts or stops waiting for a picture.
    pub(super) fn sees(&self, key: &str, waits: bool) {
        if let Some(held) = self.lock().as_mut().filter(|held| held.key == key) {
            held.heard();
            held.waiting = if waits {
                held.waiting + 1
            } else {
                held.waiting.saturating_sub(1)
            };
        }
    }

    /// Notes a sign of life of the page with this key. Returns whether that page has the screen.
    pub(super) fn hears(&self, key: &str) -> bool {
        let mut held = self.lock();
        let page = held.as_mut().filter(|held| held.key == key);
        page.map(Held::heard).is_some()
    }

    /// Returns the step that is due now because the page is lost.
    pub(super) fn due(&self, now: Instant) -> Due {
        let mut held = self.lock();
        let Some(page) = held.as_mut() else {
            return Due::Over;
        };
        let away = now.saturating_duration_since(page.seen);
        if page.waiting > 0 || away < LOST {
            return Due::Nothing;
        }
        if away >= AWAY {
            held.take();
            return Due::GiveBack;
        }
        if std::mem::replace(&mut page.is_let_go, true) {
            Due::Nothing
        } else {
            Due::LetGo
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Due {
    Nothing,
    LetGo,
    GiveBack,
    Over,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_page_has_the_screen() {
        let holder = Holder::default();
        assert!(holder.take("").is_err());
        assert_eq!(holder.take("a"), Ok(true));
        assert_eq!(holder.take("a"), Ok(false));
        assert!(holder.take("b").is_err());
        assert!(holder.hears("a") && !holder.hears("b"));
        holder.clear();
        assert_eq!(holder.take("b"), Ok(true));
    }

    #[test]
    fn what_a_lost_page_held_is_let_go_once() {
        let holder = Holder::default();
        holder.take("a").unwrap();
        let now = Instant::now();
        let after = |seconds: f64| now + Duration::from_secs_f64(seconds);
        assert_eq!(holder.due(now), Due::Nothing);
        holder.sees("a", true);
        assert_eq!(holder.due(after(60.0)), Due::Nothing, "a request waits");
        holder.sees("a", false);
        assert_eq!(holder.due(after(1.0)), Due::LetGo);
        assert_eq!(holder.due(after(2.0)), Due::Nothing);
        holder.sees("b", true);
        assert_eq!(holder.due(after(6.0)), Due::GiveBack, "another page only watches");
        assert_eq!(holder.due(after(7.0)), Due::Over);
    }

    #[test]
    fn input_shows_that_a_page_is_there() {
        let holder = Holder::default();
        holder.take("a").unwrap();
        let lost = Instant::now() + LOST;
        assert_eq!(holder.due(lost), Due::LetGo);
        assert!(!holder.hears("b"));
        assert_eq!(
            holder.due(lost),
            Due::Nothing,
            "another page says nothing about this one"
        );
        assert!(holder.hears("a"));
        let lost = Instant::now() + LOST;
        assert_eq!(holder.due(lost), Due::LetGo, "what it has pressed since");
    }
}
