//! Watching: collects the moments at which the screen changes, up to the number that a model is shown.

use std::time::Duration;

use franz_frame::Frame;
use franz_screen::Change;

/// How many moments to show.
const MOST: usize = 4;

/// A change no wider than this, in thousandths of the screen, counts as a blinking text cursor.
const CARET: f64 = 4.0;

/// The screen at one moment.
#[derive(Clone, Debug)]
pub(super) struct Moment {
    /// The time since the watch began.
    pub(super) after: Duration,
    /// The screen, scaled and without marks.
    pub(super) picture: Frame,
    /// The share of the screen that changed, in millionths.
    size: u64,
}

/// The moments so far, in order.
#[derive(Debug)]
pub(super) struct Moments {
    /// How many moments to keep.
    most: usize,
    kept: Vec<Moment>,
}

impl Moments {
    /// Returns a list without moments. It will keep at most four, and no more than there is room for.
    pub(super) fn within(room: usize) -> Moments {
        Moments {
            most: MOST.min(room),
            kept: Vec::new(),
        }
    }

    /// Notes a change. If there are too many moments, drops the one with the smallest change or, among equals,
    /// the latest one.
    pub(super) fn note(&mut self, after: Duration, change: Change, picture: impl FnOnce() -> Frame) {
        let Some(size) = size(change) else { return };
        let least = self.kept.iter().map(|moment| moment.size).min();
        if self.kept.len() == self.most && least.is_none_or(|least| size <= least) {
            return;
        }
        if self.kept.len() == self.most
            && let Some(index) = self.kept.iter().rposition(|moment| Some(moment.size) == least)
        {
            self.kept.remove(index);
        }
        self.kept.push(Moment {
            after,
            picture: picture(),
            size,
        });
    }

    /// Returns the moments.
    pub(super) fn into_inner(self) -> Vec<Moment> {
        self.kept
    }
}

/// Returns the share of the screen that changed; `None` if that is negligible.
fn size(change: Change) -> Option<u64> {
    let Change::Within(first, last) = change else {
        return None;
    };
    let (width, height) = (last.x.get() - first.x.get(), last.y.get() - first.y.get());
    (width > CARET).then_some((width * height.max(1.0)) as u64)
}

#[cfg(test)]
mod tests {
    use franz_action::Point;
    use franz_frame::PixelFormat;

    use super::*;

    fn within(width: i64, height: i64) -> Change {
        Change::Within(Point::clamped(0, 0), Point::clamped(width, height))
    }

    fn noted(room: usize, changes: &[Change]) -> Vec<u64> {
        let mut moments = Moments::within(room);
        for (second, change) in (1..).zip(changes) {
            let picture = || Frame::black(1, 1, PixelFormat::Rgb8).unwrap();
            moments.note(Duration::from_secs(second), *change, picture);
        }
        moments
            .into_inner()
            .iter()
            .map(|moment| moment.after.as_secs())
            .collect()
    }

    #[test]
    fn the_moments_of_the_largest_changes_are_kept_in_order() {
        let clock = within(50, 20);
        let flash = within(900, 900);
        for (changes, kept) in [
            (vec![], vec![]),
            (vec![Change::Nothing, Change::Cursor, Change::Unknown], vec![]),
            (vec![clock, flash, flash], vec![1, 2, 3]),
            (vec![clock; 9], vec![1, 2, 3, 4]),
            ([vec![clock; 6], vec![flash, clock, flash]].concat(), vec![1, 2, 7, 9]),
        ] {
            assert_eq!(noted(9, &changes), kept, "{changes:?}");
        }
        assert_eq!(noted(1, &[clock, flash, clock]), [2], "there is room for one picture");
        assert_eq!(noted(0, &[clock]), [0; 0], "there is no room");
    }

    #[test]
    fn a_blinking_caret_is_no_moment() {
        assert_eq!(noted(9, &[within(2, 30), within(4, 20), within(20, 2)]), [3]);
    }
}
