//! What every test needs: exclusive use of the desktop, and patience.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use franz_action::{Action, Outcome, Point};
use franz_screen::desktop::{self, DesktopOptions, Display};
use franz_screen::{ActionId, Desktop, Interrupt, Pace, Screen, Target};

/// There is only one desktop.
static DESKTOP: Mutex<()> = Mutex::new(());

/// How long a program may take, in seconds. Under load, Wine's editor takes 10 ms for each character.
const PATIENCE_S: u64 = 60;

/// The desktop, which no other test uses at the same time.
pub(crate) struct Stage {
    pub(crate) desktop: Desktop,
    _alone: MutexGuard<'static, ()>,
}

impl Stage {
    pub(crate) fn new() -> Stage {
        Stage::at(Pace::FAST)
    }

    pub(crate) fn at(pace: Pace) -> Stage {
        let alone = alone();
        let options = DesktopOptions {
            monitor: None,
            region: None,
            cursor: false,
            pace,
        };
        Stage {
            desktop: Desktop::new(display(), options).unwrap(),
            _alone: alone,
        }
    }

    /// Performs an action, which must be carried out in full.
    pub(crate) fn act(&mut self, action: &Action) {
        assert_eq!(self.act_until(action, &Never), Outcome::DONE, "{action:?}");
    }

    pub(crate) fn act_until(&mut self, action: &Action, interrupt: &dyn Interrupt) -> Outcome {
        self.desktop
            .perform(ActionId { turn: 1, index: 0 }, action, interrupt)
            .unwrap()
    }

    /// Performs an action until it has this effect, at most five times. Under Wine, the X server reports earlier
    /// positions of the pointer to a busy program, which moves the pointer back there.
    #[track_caller]
    pub(crate) fn act_for<T: PartialEq + std::fmt::Debug>(
        &mut self,
        action: &Action,
        expected: &T,
        mut now: impl FnMut() -> T,
    ) {
        for _ in 1..5 {
            self.act(action);
            if comes_soon(|| now() == *expected) {
                return;
            }
        }
        self.act(action);
        becomes(expected, now);
    }

    pub(crate) fn press(&mut self, chord: &str) {
        self.act(&Action::Press(chord.parse().unwrap()));
    }

    /// Returns the point at a pixel of the desktop.
    pub(crate) fn point(&self, (x, y): (i32, i32)) -> Point {
        let (width, height) = self.desktop.size();
        franz_frame::Area::whole(width, height).point(x, y)
    }
}

/// Waits until no other test uses the desktop, even if a test has failed.
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    DESKTOP.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Opens the display underneath a [`Stage`].
pub(crate) fn display() -> Box<dyn Display> {
    desktop::open(&Target::Session { consent: None }).unwrap()
}

/// Polls until the condition holds, for as long as one of several attempts may take. Returns whether it held.
pub(crate) fn comes_soon(is_so: impl FnMut() -> bool) -> bool {
    comes_by(Instant::now() + Duration::from_secs(PATIENCE_S / 5), is_so)
}

/// Polls until the condition holds.
#[track_caller]
pub(crate) fn eventually(what: &str, is_so: impl FnMut() -> bool) {
    assert!(comes_by(patience(), is_so), "never {what}");
}

/// Polls until the answer is the expected one.
#[track_caller]
pub(crate) fn becomes<T: PartialEq + std::fmt::Debug>(expected: &T, mut now: impl FnMut() -> T) {
    let mut last = now();
    comes_by(patience(), || {
        last = now();
        last == *expected
    });
    assert_eq!(last, *expected);
}

fn patience() -> Instant {
    Instant::now() + Duration::from_secs(PATIENCE_S)
}

fn comes_by(end: Instant, mut is_so: impl FnMut() -> bool) -> bool {
    while !is_so() {
        if Instant::now() >= end {
            return false;
        }
        // Leave the processor to the program that this waits for.
        thread::sleep(Duration::from_millis(2));
    }
    true
}

/// An interrupt that is never set.
pub(crate) struct Never;

impl Interrupt for Never {
    fn is_set(&self) -> bool {
        false
    }

    fn sleep(&self, duration: Duration) -> bool {
        thread::sleep(duration);
        false
    }
}
