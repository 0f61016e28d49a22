//! Remembers what is withheld now and what was withheld a moment ago, because a picture can still show a window at its
//! previous position.

use std::time::{Duration, Instant};

use super::sight::Sight;

/// How long the old position of a window that has moved or closed stays masked. Compositors show changes with a delay,
/// and fade windows out.
const HELD: Duration = Duration::from_millis(500);

/// Everything that is withheld now, and that was withheld until a moment ago.
#[derive(Default)]
pub(super) struct Recent {
    now: Sight,
    /// What was withheld earlier, each with the time it was replaced.
    before: Vec<(Instant, Sight)>,
}

impl Recent {
    /// Records what is withheld now.
    pub(super) fn note(&mut self, at: Instant, now: Sight) {
        if now != self.now {
            let before = std::mem::replace(&mut self.now, now);
            self.before.push((at, before));
        }
        self.before
            .retain(|(over, _)| at.saturating_duration_since(*over) < HELD);
    }

    /// Returns everything that is withheld.
    pub(super) fn all(&self) -> Sight {
        let held = self.before.iter().map(|(_, before)| before.clone());
        held.fold(self.now.clone(), |all, before| all.and(&before))
    }
}

#[cfg(test)]
mod tests {
    use super::super::cover::{Cover, MaskedPart};
    use super::*;
    use crate::window::WindowId;
    use franz_frame::Area;

    fn at(x: i32) -> Sight {
        let part = MaskedPart {
            area: Area {
                x,
                y: 0,
                width: 10,
                height: 10,
            },
            name: String::new(),
            window: Some(WindowId(1)),
        };
        Sight {
            cover: Cover { parts: vec![part] },
            ..Sight::default()
        }
    }

    #[test]
    fn the_way_of_a_window_stays_masked_for_a_moment() {
        let began = Instant::now();
        let mut recent = Recent::default();
        let mut note = |ms: u64, sight: Sight| {
            recent.note(began + Duration::from_millis(ms), sight);
            recent.all().cover.parts.first().map(|part| part.area.to_string())
        };
        let masked = |area: &str| Some(area.to_owned());
        assert_eq!(note(0, at(0)), masked("10x10 at 0,0"));
        assert_eq!(note(9000, at(0)), masked("10x10 at 0,0"));
        assert_eq!(note(9100, at(50)), masked("60x10 at 0,0"), "it may have moved just now");
        assert_eq!(note(9200, at(30)), masked("60x10 at 0,0"));
        assert_eq!(note(9599, at(30)), masked("60x10 at 0,0"));
        assert_eq!(note(9600, at(30)), masked("30x10 at 30,0"));
        assert_eq!(note(9700, at(30)), masked("10x10 at 30,0"));
        assert_eq!(note(9800, Sight::default()), masked("10x10 at 30,0"), "it has gone");
        assert_eq!(note(10_300, Sight::default()), None);
    }
}
