//! Turns an action into mouse and keyboard events, at a person's pace or as fast as programs can take them.

use std::io;
use std::time::{Duration, Instant};

use franz_action::keys::{Chord, Key};

use super::display::{Button, Display, DisplayError, Press};
use super::hold::Hold;
use crate::interrupt::Interrupt;

/// The pace of input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    /// The number of steps in one mouse movement.
    pub move_steps: u32,
    /// The pause between two steps.
    pub move_step: Duration,
    /// The pause between arriving and clicking.
    pub settle: Duration,
    /// How long a button is held in a click.
    pub hold: Duration,
    /// The pause between the clicks of a double click.
    pub between_clicks: Duration,
    /// The pause after the press and before the release of a drag.
    pub drag_pause: Duration,
    /// The pause after a character.
    pub character: Duration,
    /// The pause after a word.
    pub word: Duration,
}

impl Pace {
    /// The pace of a person.
    pub const HUMAN: Pace = Pace {
        move_steps: 20,
        move_step: Duration::from_millis(10),
        settle: Duration::from_millis(150),
        hold: Duration::from_millis(50),
        between_clicks: Duration::from_millis(80),
        drag_pause: Duration::from_millis(100),
        character: Duration::from_millis(80),
        word: Duration::from_millis(150),
    };
    /// As fast as programs can take it. A drag only counts once it is seen to move, and Chromium merges two clicks in
    /// the same millisecond. Where the display reports when a program has processed its input, no more time than this
    /// is needed.
    pub const FAST: Pace = Pace {
        move_steps: 4,
        move_step: Duration::from_millis(1),
        settle: Duration::from_millis(5),
        hold: Duration::from_millis(5),
        between_clicks: Duration::from_millis(5),
        drag_pause: Duration::from_millis(5),
        character: Duration::ZERO,
        word: Duration::ZERO,
    };
}

/// Clicks closer together than this, in pixels, count as one sequence.
const NEAR: u32 = 8;

/// How much longer than the double click time must pass to keep clicks apart.
const APART: Duration = Duration::from_millis(20);

/// How long to wait for a busy program in the middle of an action.
const LOOK: Duration = Duration::from_millis(100);

/// How long to wait where the program must have processed earlier input; a hung program gets its input anyway.
const PATIENCE: Duration = Duration::from_secs(3);

/// Why an action did not finish.
#[derive(Debug)]
pub(super) enum Unfinished {
    /// The user interrupted it.
    Interrupted,
    /// The display failed.
    Failed(DisplayError),
}

impl From<DisplayError> for Unfinished {
    fn from(error: DisplayError) -> Unfinished {
        Unfinished::Failed(error)
    }
}

type Done = Result<(), Unfinished>;

/// Tells others what may be down.
pub(super) type Tell = Box<dyn FnMut(&[Hold]) -> io::Result<()> + Send>;

/// The state of both hands on a display.
pub(super) struct Hands {
    held: Vec<Hold>,
    /// What others were last told may be down.
    told: Vec<Hold>,
    pub(super) tell: Option<Tell>,
    /// Whether something is being dragged.
    drags: bool,
    /// When and where a button was last released.
    clicked: Option<((i32, i32), Instant)>,
}

/// What an action needs: the display, the pace, and what interrupts it.
pub(super) struct Reach<'a> {
    pub(super) display: &'a mut dyn Display,
    pub(super) pace: Pace,
    pub(super) interrupt: &'a dyn Interrupt,
    /// Where the pointer was last moved to.
    pub(super) moved_to: &'a mut Option<(i32, i32)>,
}

impl Reach<'_> {
    fn pause(&self, duration: Duration) -> Done {
        if self.interrupt.is_set() || (!duration.is_zero() && self.interrupt.sleep(duration)) {
            return Err(Unfinished::Interrupted);
        }
        Ok(())
    }

    /// Moves the pointer as a hand does: slow, fast, slow.
    pub(super) fn glide(&mut self, to: (i32, i32)) -> Done {
        self.travel(to, |_| Ok(()))
    }

    /// Moves the pointer with a button down, waiting until each step is seen before the next. Many programs check the
    /// position and the buttons only when they get to an event, and ignore it if they no longer match.
    fn pull(&mut self, to: (i32, i32)) -> Done {
        self.travel(to, |reach| reach.taken(LOOK))
    }

    fn travel(&mut self, to: (i32, i32), mut seen: impl FnMut(&mut Self) -> Done) -> Done {
        // A pointer that is nowhere yet has no way to go.
        let from = self.display.pointer()?.or(*self.moved_to);
        if from == Some(to) {
            return self.pause(Duration::ZERO);
        }
        let from = from.unwrap_or(to);
        let steps = self.pace.move_steps.max(1);
        for step in 1..=steps {
            let (x, y) = between(from, to, f64::from(step) / f64::from(steps));
            self.display.move_to(x, y)?;
            *self.moved_to = Some((x, y));
            seen(self)?;
            self.pause(self.pace.move_step)?;
        }
        Ok(())
    }

    /// Pauses in a drag until the program has processed the earlier input.
    fn rest(&mut self) -> Done {
        self.pause(self.pace.drag_pause)?;
        self.taken(PATIENCE)
    }

    fn taken(&mut self, within: Duration) -> Done {
        let interrupt = self.interrupt;
        self.display.taken(within, &mut || !interrupt.is_set())?;
        self.pause(Duration::ZERO)
    }

    /// Turns the wheel notch by notch; positive numbers are down and right.
    pub(super) fn scroll(&mut self, dx: i32, dy: i32) -> Done {
        for (x, y, notches) in [(0, dy.signum(), dy.unsigned_abs()), (dx.signum(), 0, dx.unsigned_abs())] {
            for _ in 0..notches {
                self.display.notch(x, y)?;
                self.pause(self.pace.move_step)?;
            }
        }
        Ok(())
    }

    /// Types a text; returns how many characters were typed.
    fn type_text(&mut self, text: &str) -> (usize, Done) {
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
            let pause = if character.is_whitespace() {
                pace.word
            } else {
                pace.character
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

/// Returns the position at time `t` in 0.0..=1.0, by the smoothstep `t * t * (3 - 2 * t)` of the distance.
fn between(from: (i32, i32), to: (i32, i32), t: f64) -> (i32, i32) {
    let way = t * t * (3.0 - 2.0 * t);
    let at = |from: i32, to: i32| (f64::from(from) + (f64::from(to) - f64::from(from)) * way).round() as i32;
    (at(from.0, to.0), at(from.1, to.1))
}

impl Hands {
    pub(super) fn new() -> Hands {
        Hands {
            held: Vec::new(),
            told: Vec::new(),
            tell: None,
            drags: false,
            clicked: None,
        }
    }

    /// Clicks `times` times in one place, fast enough to count as a double or triple click.
    pub(super) fn click(&mut self, reach: &mut Reach<'_>, at: (i32, i32), button: Button, times: u32) -> Done {
        reach.glide(at)?;
        reach.pause(reach.pace.settle)?;
        self.keep_apart(reach, at)?;
        let most = reach.display.double_click_time() / 4;
        let (gap, hold) = (reach.pace.between_clicks.min(most), reach.pace.hold.min(most));
        for click in 0..times {
            if click > 0 {
                reach.pause(gap)?;
            }
            self.hold(reach, Hold::Button(button))?;
            // Without asking the program, which may take longer than the double click time.
            let interrupt = reach.interrupt;
            reach.display.passed(LOOK, &mut || !interrupt.is_set())?;
            reach.pause(hold)?;
            self.let_go_of_last(reach)?;
            self.clicked = Some((at, Instant::now()));
        }
        Ok(())
    }

    /// Waits until a click here no longer continues the previous ones: a click and a double click are not a triple
    /// click.
    fn keep_apart(&mut self, reach: &mut Reach<'_>, at: (i32, i32)) -> Done {
        let Some((place, when)) = self.clicked.take() else {
            return Ok(());
        };
        let is_near = place.0.abs_diff(at.0) <= NEAR && place.1.abs_diff(at.1) <= NEAR;
        let left = (reach.display.double_click_time() + APART).saturating_sub(when.elapsed());
        if is_near && !left.is_zero() {
            reach.pause(left)
        } else {
            Ok(())
        }
    }

    pub(super) fn drag(&mut self, reach: &mut Reach<'_>, from: (i32, i32), to: (i32, i32)) -> Done {
        reach.glide(from)?;
        reach.pause(reach.pace.settle)?;
        self.keep_apart(reach, from)?;
        self.hold(reach, Hold::Button(Button::Left))?;
        self.drags = true;
        reach.rest()?;
        reach.pull(to)?;
        reach.rest()?;
        self.drags = false;
        self.let_go_of_last(reach)
    }

    pub(super) fn press(&mut self, reach: &mut Reach<'_>, chord: &Chord) -> Done {
        reach.pause(Duration::ZERO)?;
        let modifiers = chord.modifiers.iter().map(|modifier| Key::Modifier(*modifier));
        let keys: Vec<_> = modifiers.chain([chord.key]).collect();
        // The keyboard may have to be changed for them.
        self.tell(keys.iter().copied().map(Hold::Key))?;
        let interrupt = reach.interrupt;
        let goes_on = &mut || !interrupt.is_set();
        reach.display.prepare(&keys, goes_on)?;
        reach.pause(Duration::ZERO)?;
        for key in keys {
            self.hold(reach, Hold::Key(key))?;
        }
        reach.pause(reach.pace.hold)?;
        while !self.held.is_empty() {
            self.let_go_of_last(reach)?;
        }
        reach.display.settle(goes_on)?;
        reach.pause(reach.pace.character)
    }

    /// Types a text; returns how many characters were typed. The display presses their keys itself, so all of them are
    /// told first.
    pub(super) fn type_text(&mut self, reach: &mut Reach<'_>, text: &str) -> (usize, Done) {
        if self.tell.is_some() {
            let mut keys: Vec<char> = text.chars().collect();
            keys.sort_unstable();
            keys.dedup();
            if let Err(error) = self.tell(keys.into_iter().map(Hold::typing)) {
                return (0, Err(error.into()));
            }
        }
        reach.type_text(text)
    }

    /// Releases what is held, whatever happens; a drag in progress is cancelled first.
    pub(super) fn let_go(&mut self, display: &mut dyn Display) -> Result<(), DisplayError> {
        let mut result = Ok(());
        if std::mem::take(&mut self.drags) {
            let escape = Hold::Key(Key::Named("esc"));
            // The drag has to end, whoever may know of the key.
            let _ = self.tell([escape]);
            self.held.push(escape);
            result = escape.put(display, Press::Down);
        }
        for held in std::mem::take(&mut self.held).into_iter().rev() {
            let up = held.put(display, Press::Up);
            if up.is_err() {
                self.held.insert(0, held);
            }
            result = result.and(up);
        }
        result = result.and(display.settle(&mut || false));
        if result.is_ok() && !std::mem::take(&mut self.told).is_empty() {
            // Whoever does not hear of it releases again what is up.
            let _ = self.tell.as_mut().map_or(Ok(()), |tell| tell(&[]));
        }
        result
    }

    fn hold(&mut self, reach: &mut Reach<'_>, what: Hold) -> Done {
        self.tell([what])?;
        // Recorded before pressing, so that a press that fails half-way is released as well.
        self.held.push(what);
        Ok(what.put(reach.display, Press::Down)?)
    }

    fn let_go_of_last(&mut self, reach: &mut Reach<'_>) -> Done {
        if let Some(&held) = self.held.last() {
            held.put(reach.display, Press::Up)?;
            self.held.pop();
        }
        Ok(())
    }

    /// Tells that these may be down, too.
    fn tell(&mut self, more: impl IntoIterator<Item = Hold>) -> Result<(), DisplayError> {
        let Some(tell) = &mut self.tell else { return Ok(()) };
        let known = self.told.len();
        for hold in more {
            if !self.told.contains(&hold) {
                self.told.push(hold);
            }
        }
        if self.told.len() == known {
            return Ok(());
        }
        tell(&self.told).map_err(|error| {
            self.told.truncate(known);
            DisplayError::Refused(format!(
                "nothing is pressed any more, because the guardian that would release it is gone ({error}); start the run again"
            ))
        })
    }
}
