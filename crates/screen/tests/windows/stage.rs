//! What every test begins with: the desktop for itself, and patience.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use franz_action::{Action, Outcome, Point};
use franz_screen::desktop::{self, DesktopOptions, Display};
use franz_screen::{ActionId, Desktop, Interrupt, Pace, Screen, Target};

/// There is only one desktop.
static DESKTOP: Mutex<()> = Mutex::new(());

/// How long a program may take, in seconds: under load each character takes Wine's editor 10 ms.
const PATIENCE_S: u64 = 60;

/// The desktop, which no other test uses meanwhile.
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

    /// Acts, and it is done.
    pub(crate) fn act(&mut self, action: &Action) {
        assert_eq!(self.act_until(action, &Never), Outcome::DONE, "{action:?}");
    }

    pub(crate) fn act_until(&mut self, action: &Action, interrupt: &dyn Interrupt) -> Outcome {
        self.desktop
            .perform(ActionId { turn: 1, index: 0 }, action, interrupt)
            .unwrap()
    }

    /// Acts until this comes of it, five times at most: under Wine a busy program hears from the X server of places where the pointer
    /// was before, and puts it back there.
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

    /// The point of a pixel of the desktop.
    pub(crate) fn point(&self, (x, y): (i32, i32)) -> Point {
        let (width, height) = self.desktop.size();
        franz_frame::Area::whole(width, height).point(x, y)
    }
}

/// Waits until no other test uses the desktop, also when one has failed.
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    DESKTOP.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The desktop below that of a [`Stage`].
pub(crate) fn display() -> Box<dyn Display> {
    desktop::open(&Target::Session).unwrap()
}

/// Asks again and again whether it is so, for as long as one of several attempts may take.
pub(crate) fn comes_soon(is_so: impl FnMut() -> bool) -> bool {
    comes_by(Instant::now() + Duration::from_secs(PATIENCE_S / 5), is_so)
}

/// Asks again and again until it is so.
#[track_caller]
pub(crate) fn eventually(what: &str, is_so: impl FnMut() -> bool) {
    assert!(comes_by(patience(), is_so), "never {what}");
}

/// Asks again and again until the answer is this.
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
        // Leaves the processor to the program that is waited for.
        thread::sleep(Duration::from_millis(2));
    }
    true
}

/// Nobody breaks off.
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
