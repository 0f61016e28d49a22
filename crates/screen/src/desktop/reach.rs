//! Gives the hands access to the display, at a pace, until they are interrupted.

use std::time::Duration;

use franz_frame::Area;

use super::display::{Display, DisplayError};
use super::pace::Pace;
use super::travel::Travel;
use crate::interrupt::Interrupt;

/// How long the pointer stays at each position of a drag. Browsers tell a page only the last movement of each frame,
/// which would cut the corners of a path.
const FRAME: Duration = Duration::from_millis(25);
/// How long to wait for a busy program in the middle of an action.
pub(super) const LOOK: Duration = Duration::from_millis(100);

/// A pointer that arrives sooner than this goes all the way at once, because hardly anything can change until then.
const NOTICEABLE: Duration = Duration::from_millis(50);

/// How long to wait when the program must have processed earlier input first. A hung program gets its input anyway.
const PATIENCE: Duration = Duration::from_secs(3);

/// Why an action did not finish.
#[derive(Debug)]
pub(super) enum Unfinished {
    /// The user interrupted it.
    Interrupted,
    /// Something that the hands already hold is in the way.
    InTheWay(String),
    /// The display failed.
    Failed(DisplayError),
}

impl From<DisplayError> for Unfinished {
    fn from(error: DisplayError) -> Unfinished {
        Unfinished::Failed(error)
    }
}

pub(super) type Done = Result<(), Unfinished>;

/// What an action needs: the display, the pace, and what interrupts it.
pub(super) struct Reach<'a> {
    pub(super) display: &'a mut dyn Display,
    /// `None` while a person acts, because people see the effect of their input, and pause on their own.
    pub(super) pace: Option<Pace>,
    pub(super) interrupt: &'a dyn Interrupt,
    /// Where the pointer was last moved to.
    pub(super) moved_to: &'a mut Option<(i32, i32)>,
    /// The movement that was begun before the action.
    pub(super) under_way: &'a mut Option<Travel>,
}

impl Reach<'_> {
    /// Pauses for this part of the pace.
    pub(super) fn pause_for(&self, part: fn(&Pace) -> Duration) -> Done {
        self.pause(self.pace.as_ref().map_or(Duration::ZERO, part))
    }

    /// Pauses for this long, unless a person acts.
    pub(super) fn pause(&self, duration: Duration) -> Done {
        let duration = self.pace.map_or(Duration::ZERO, |_| duration);
        if self.interrupt.is_set() || (!duration.is_zero() && self.interrupt.sleep(duration)) {
            return Err(Unfinished::Interrupted);
        }
        Ok(())
    }

    /// Moves the pointer the way a hand does: slow, fast, slow.
    pub(super) fn glide(&mut self, to: (i32, i32)) -> Done {
        self.travel(to, |_| Ok(()))
    }

    /// Moves the pointer with a button down, waiting after each step until the program has seen it. Many programs check
    /// the position and the buttons only when they get to an event, and ignore it if they no longer match.
    pub(super) fn pull(&mut self, to: (i32, i32)) -> Done {
        self.travel(to, |reach| reach.taken(LOOK))?;
        self.pause(FRAME)
    }

    /// Returns the pointer's position, if known.
    pub(super) fn place(&mut self) -> Result<Option<(i32, i32)>, DisplayError> {
        Ok(self.display.pointer()?.or(*self.moved_to))
    }

    /// Moves the pointer towards a position until the next step would take it into the area around that position.
    /// Returns where the pointer is then, or `None` if it has not moved. The action's own movement begins there.
    pub(super) fn approach(&mut self, to: (i32, i32), near: Area) -> Result<Option<(i32, i32)>, Unfinished> {
        let is_slow = |pace: Pace| pace.move_step * pace.move_steps >= NOTICEABLE;
        let from = self.place()?.filter(|_| self.pace.is_some_and(is_slow));
        let Some(mut travel) = from.map(|from| self.travel_from(from, to)) else {
            return Ok(None);
        };
        while let Some((x, y)) = travel.ahead().filter(|(x, y)| !near.contains(*x, *y)) {
            travel.go_on();
            self.move_to((x, y))?;
            self.pause_for(|pace| pace.move_step)?;
        }
        let at = travel.has_begun().then(|| travel.at());
        *self.under_way = at.map(|_| travel);
        Ok(at)
    }

    fn travel(&mut self, to: (i32, i32), mut seen: impl FnMut(&mut Self) -> Done) -> Done {
        let reported = self.display.pointer()?;
        // Without a known position, there is no path to follow.
        let here = reported.or(*self.moved_to);
        let begun = self.under_way.take();
        if here == Some(to) {
            if reported.is_none() {
                // A person may have moved the pointer away.
                self.move_to(to)?;
            }
            return self.pause(Duration::ZERO);
        }
        let begun = begun.filter(|travel| travel.leads(here, to));
        let mut travel = begun.unwrap_or_else(|| self.travel_from(here.unwrap_or(to), to));
        while let Some(at) = travel.ahead() {
            travel.go_on();
            self.move_to(at)?;
            seen(self)?;
            self.pause_for(|pace| pace.move_step)?;
        }
        Ok(())
    }

    fn travel_from(&self, from: (i32, i32), to: (i32, i32)) -> Travel {
        Travel::new(from, to, self.pace.map_or(1, |pace| pace.move_steps))
    }

    fn move_to(&mut self, (x, y): (i32, i32)) -> Done {
        self.display.move_to(x, y)?;
        *self.moved_to = Some((x, y));
        Ok(())
    }

    /// Pauses until the program has processed the earlier input.
    pub(super) fn rest(&mut self) -> Done {
        self.pause_for(|pace| pace.drag_pause)?;
        self.taken(PATIENCE)
    }

    pub(super) fn taken(&mut self, within: Duration) -> Done {
        let interrupt = self.interrupt;
        if self.pace.is_some() {
            self.display.taken(within, &mut || !interrupt.is_set())?;
        }
        self.pause(Duration::ZERO)
    }

    /// Turns the wheel notch by notch; positive numbers are down and right.
    pub(super) fn scroll(&mut self, dx: i32, dy: i32) -> Done {
        for (x, y, notches) in [(0, dy.signum(), dy.unsigned_abs()), (dx.signum(), 0, dx.unsigned_abs())] {
            for _ in 0..notches {
                self.display.notch(x, y)?;
                self.pause_for(|pace| pace.move_step)?;
            }
        }
        Ok(())
    }

    /// Types text; returns how many characters were typed.
    pub(super) fn type_text(&mut self, text: &str) -> (usize, Done) {
        let (pace, interrupt) = (self.pace, self.interrupt);
        let mut typed = 0;
        let mut broken_off = interrupt.is_set();
        if broken_off {
            return (0, Err(Unfinished::Interrupted));
        }
        let done = self.display.type_text(text, &mut |character| {
            let Some(character) = character else {
                broken_off = interrupt.is_set();
                return !broken_off;
            };
            typed += 1;
            let pause = match pace {
                Some(pace) if character.is_whitespace() => pace.word,
                Some(pace) => pace.character,
                None => Duration::ZERO,
            };
            broken_off = interrupt.is_set() || (!pause.is_zero() && interrupt.sleep(pause));
            !broken_off
        });
        let done = match done {
            Err(error) => Err(error.into()),
            Ok(()) if broken_off && typed < text.chars().count() => Err(Unfinished::Interrupted),
            Ok(()) => Ok(()),
        };
        (typed, done)
    }
}
