//! Going round in circles: the same reply again and again while the screen does not change.

use std::hash::{DefaultHasher, Hash, Hasher};

/// How many equal replies make a loop.
const ENOUGH: u32 = 3;

/// The last reply with what it was given for, and how often it came in a row.
#[derive(Debug, Default)]
pub(super) struct Repetition {
    last: Option<u64>,
    times: u32,
}

impl Repetition {
    /// Notes a reply: its text, what it asked for (in canonical text), and the fingerprint of the unmarked picture that
    /// it was given for. `None` breaks the row.
    pub(super) fn note(&mut self, seen: Option<(&str, &[String], u32)>) {
        let now = seen.map(digest);
        self.times = if now.is_some() && now == self.last {
            self.times + 1
        } else {
            1
        };
        self.last = now;
    }

    /// Checks whether the model goes round in circles.
    pub(super) fn is_loop(&self) -> bool {
        self.last.is_some() && self.times >= ENOUGH
    }

    /// Checks whether the loop began with the last reply.
    pub(super) fn has_just_begun(&self) -> bool {
        self.is_loop() && self.times == ENOUGH
    }
}

fn digest(seen: (&str, &[String], u32)) -> u64 {
    let mut hasher = DefaultHasher::new();
    seen.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_identical_replies_to_one_picture_are_a_loop() {
        let calls = ["left_click(1, 1)".to_owned()];
        let mut repetition = Repetition::default();
        let mut note = |text: &'static str, picture: u32| {
            repetition.note(Some((text, &calls, picture)));
            (repetition.is_loop(), repetition.has_just_begun())
        };
        assert_eq!(note("a", 1), (false, false));
        assert_eq!(note("a", 1), (false, false));
        assert_eq!(note("a", 1), (true, true));
        assert_eq!(note("a", 1), (true, false));
        assert_eq!(note("a", 2), (false, false));
        assert_eq!(note("b", 2), (false, false));
    }

    #[test]
    fn a_skipped_turn_resets_the_loop_count() {
        let mut repetition = Repetition::default();
        for _ in 0..5 {
            repetition.note(None);
            assert!(!repetition.is_loop());
        }
        for _ in 0..2 {
            repetition.note(Some(("a", &[], 1)));
        }
        repetition.note(None);
        repetition.note(Some(("a", &[], 1)));
        assert!(!repetition.is_loop());
    }
}
