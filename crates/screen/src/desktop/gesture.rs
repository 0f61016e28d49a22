//! Recognises what the user means by moving the mouse or pressing keys while the agent controls them.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use franz_frame::Area;

/// Something that the user did. Input from programs is not included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Input {
    /// Moved the mouse by this many pixels; the pointer is now at `x`, `y` of the desktop.
    Moved {
        /// To the right.
        dx: f64,
        /// Down.
        dy: f64,
        /// From the left edge.
        x: i32,
        /// From the top edge.
        y: i32,
    },
    /// Pressed Esc.
    Escape,
    /// Pressed another key, or a button.
    Other,
}

/// What the user means by an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gesture {
    /// Took the mouse: the agent pauses.
    TookMouse,
    /// Pressed Esc twice: the agent pauses.
    EscapeTwice,
    /// Pushed the pointer into a corner: the run stops.
    Corner,
}

/// A real movement is longer than this, in pixels; a mouse on a shaking table moves less.
const LEAST: f64 = 12.0;

/// A pause longer than this ends a movement.
const PAUSE: Duration = Duration::from_millis(500);

/// The time within which a second press of Esc completes the gesture.
const TWICE: Duration = Duration::from_millis(600);

/// The monitors as they are now, each of which has corners.
#[derive(Clone, Debug, Default)]
pub(super) struct Corners(Arc<Mutex<Vec<Area>>>);

impl Corners {
    pub(super) fn set(&self, monitors: impl Iterator<Item = Area>) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.clear();
        all.extend(monitors);
    }

    fn include(&self, x: i32, y: i32) -> bool {
        let at_end = |at: i32, start: i32, size: u32| at <= start || at >= start.saturating_add_unsigned(size) - 1;
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().any(|monitor| {
            monitor.contains(x, y) && at_end(x, monitor.x, monitor.width) && at_end(y, monitor.y, monitor.height)
        })
    }
}

/// Recognises gestures.
#[derive(Debug)]
pub(super) struct Gestures {
    monitors: Corners,
    moved: (f64, f64),
    last_move: Option<Instant>,
    last_escape: Option<Instant>,
}

impl Gestures {
    pub(super) fn on(monitors: Corners) -> Gestures {
        Gestures {
            monitors,
            moved: (0.0, 0.0),
            last_move: None,
            last_escape: None,
        }
    }

    /// Returns the gesture that this input completes, if any.
    pub(super) fn see(&mut self, input: Input, now: Instant) -> Option<Gesture> {
        let within = |last: Option<Instant>, time| last.is_some_and(|last| now.saturating_duration_since(last) <= time);
        match input {
            Input::Moved { dx, dy, x, y } => {
                if !within(self.last_move.replace(now), PAUSE) {
                    self.moved = (0.0, 0.0);
                }
                self.moved = (self.moved.0 + dx, self.moved.1 + dy);
                if self.moved.0.hypot(self.moved.1) <= LEAST {
                    return None;
                }
                Some(if self.monitors.include(x, y) {
                    Gesture::Corner
                } else {
                    Gesture::TookMouse
                })
            }
            Input::Escape => {
                let twice = within(self.last_escape.replace(now), TWICE);
                twice.then(|| {
                    self.last_escape = None;
                    Gesture::EscapeTwice
                })
            }
            Input::Other => {
                self.last_escape = None;
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corners(monitor: Area) -> Corners {
        let corners = Corners::default();
        corners.set([monitor].into_iter());
        corners
    }

    #[test]
    fn corners_are_those_of_the_monitors_as_they_are_now() {
        let corners = corners(Area::whole(800, 600));
        let mut gestures = Gestures::on(corners.clone());
        let now = Instant::now();
        assert_eq!(gestures.see(moved(50.0, 799, 599), now), Some(Gesture::Corner));
        corners.set([Area::whole(1600, 1200)].into_iter());
        assert_eq!(gestures.see(moved(50.0, 799, 599), now), Some(Gesture::TookMouse));
        assert_eq!(gestures.see(moved(50.0, 1599, 1199), now), Some(Gesture::Corner));
    }

    fn moved(dx: f64, x: i32, y: i32) -> Input {
        Input::Moved { dx, dy: 0.0, x, y }
    }

    fn seen(inputs: &[(u64, Input)]) -> Vec<Gesture> {
        let mut gestures = Gestures::on(corners(Area::whole(800, 600)));
        let began = Instant::now();
        let mut found = Vec::new();
        for (ms, input) in inputs {
            found.extend(gestures.see(*input, began + Duration::from_millis(*ms)));
        }
        found
    }

    #[test]
    fn a_real_movement_takes_the_mouse_and_a_shake_does_not() {
        let steps = |step: f64| (0..20).map(|n| (n * 10, moved(step, 400, 300))).collect::<Vec<_>>();
        assert_eq!(seen(&steps(1.0)).first(), Some(&Gesture::TookMouse));
        let shaking: Vec<_> = (0..50)
            .map(|n| (n * 10, moved(if n % 2 == 0 { 9.0 } else { -9.0 }, 400, 300)))
            .collect();
        assert_eq!(seen(&shaking), []);
        let slow: Vec<_> = (0..50).map(|n| (n * 600, moved(4.0, 400, 300))).collect();
        assert_eq!(seen(&slow), [], "what is not one movement is not added up");
        assert_eq!(seen(&[(0, moved(12.0, 400, 300))]), []);
        assert_eq!(seen(&[(0, moved(13.0, 400, 300))]), [Gesture::TookMouse]);
    }

    #[test]
    fn a_corner_is_where_two_edges_meet() {
        for (x, y, gesture) in [
            (0, 0, Gesture::Corner),
            (799, 0, Gesture::Corner),
            (0, 599, Gesture::Corner),
            (799, 599, Gesture::Corner),
            (0, 300, Gesture::TookMouse),
            (1, 1, Gesture::TookMouse),
        ] {
            assert_eq!(seen(&[(0, moved(-40.0, x, y))]), [gesture], "{x},{y}");
        }
    }

    #[test]
    fn escape_counts_twice_in_a_row() {
        use Input::{Escape, Other};
        assert_eq!(seen(&[(0, Escape), (300, Escape)]), [Gesture::EscapeTwice]);
        assert_eq!(seen(&[(0, Escape), (700, Escape)]), []);
        assert_eq!(seen(&[(0, Escape), (100, Other), (200, Escape)]), []);
        assert_eq!(
            seen(&[(0, Escape), (100, Escape), (200, Escape)]),
            [Gesture::EscapeTwice]
        );
    }
}
