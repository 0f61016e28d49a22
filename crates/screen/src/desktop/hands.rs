//! Turns an action into mouse and keyboard events, at a person's pace or as fast as programs can take them.

use std::io;
use std::time::{Duration, Instant};

use franz_action::keys::{Chord, Key, Modifier};
use franz_action::{Button, Held, Keys, Typing};

use super::display::{Display, DisplayError, Press};
use super::hold::Hold;
use super::reach::{Done, LOOK, Reach, Unfinished};

/// Clicks closer together than this, in pixels, count as one sequence.
const NEAR: u32 = 8;

/// How long to wait beyond the double-click time to keep clicks apart.
const APART: Duration = Duration::from_millis(20);

/// Reports what might be down.
pub(super) type Tell = Box<dyn FnMut(&[Hold]) -> io::Result<()> + Send>;

/// A position on the desktop, in pixels.
type Pixel = (i32, i32);

/// The state of both hands on a display.
pub(super) struct Hands {
    /// The keys and buttons that the current action holds down, in the order in which they were pressed.
    held: Vec<Hold>,
    /// The buttons that earlier actions hold down.
    kept: Vec<Button>,
    /// The holds that were last reported as possibly down.
    told: Vec<Hold>,
    pub(super) tell: Option<Tell>,
    /// Whether something is being dragged.
    drags: bool,
    /// When and where a button was last released.
    clicked: Option<(Pixel, Instant)>,
}

impl Hands {
    pub(super) fn new() -> Hands {
        Hands {
            held: Vec::new(),
            kept: Vec::new(),
            told: Vec::new(),
            tell: None,
            drags: false,
            clicked: None,
        }
    }

    /// Clicks at one position while holding these keys down. Clicks several times if asked to, fast enough for a double
    /// or triple click.
    pub(super) fn click(
        &mut self,
        reach: &mut Reach<'_>,
        at: Pixel,
        (button, times): (Button, u32),
        modifiers: &[Modifier],
    ) -> Done {
        self.refuse_kept(button)?;
        self.go(reach, at)?;
        self.keep_apart(reach, at)?;
        self.hold_keys(reach, modifiers.iter().copied().map(Key::Modifier).collect())?;
        let most = reach.display.double_click_time() / 4;
        let (gap, hold) = reach.pace.map_or_else(Default::default, |pace| {
            (pace.between_clicks.min(most), pace.hold.min(most))
        });
        for click in 0..times {
            if click > 0 {
                reach.pause(gap)?;
            }
            self.hold(reach, Hold::Button(button))?;
            // Do not ask the program whether it is ready, because its answer can take longer than the double-click
            // time.
            let interrupt = reach.interrupt;
            reach.display.passed(LOOK, &mut || !interrupt.is_set())?;
            reach.pause(hold)?;
            self.let_go_of_last(reach)?;
            self.clicked = Some((at, Instant::now()));
        }
        if modifiers.is_empty() {
            return Ok(());
        }
        // A busy program checks the keys only when it processes the click, so do not release them before that.
        reach.rest()?;
        self.let_go_of_keys(reach)
    }

    /// Moves the pointer, and pauses before the next event there.
    fn go(&mut self, reach: &mut Reach<'_>, at: Pixel) -> Done {
        self.move_to(reach, at)?;
        reach.pause_for(|pace| pace.settle)
    }

    /// Moves the pointer the way a hand does, or drags whatever an earlier action holds.
    pub(super) fn move_to(&mut self, reach: &mut Reach<'_>, at: Pixel) -> Done {
        if self.kept.is_empty() {
            return reach.glide(at);
        }
        self.drags = self.kept.contains(&Button::Left);
        self.tell_place(reach, at)?;
        reach.pull(at)?;
        reach.rest()
    }

    /// Presses a button that stays down after this action.
    pub(super) fn press_button(&mut self, reach: &mut Reach<'_>, button: Button, at: Option<Pixel>) -> Done {
        self.refuse_kept(button)?;
        if let Some(at) = at {
            self.go(reach, at)?;
        }
        if let Some(at) = reach.place()? {
            self.keep_apart(reach, at)?;
        }
        self.hold(reach, Hold::Button(button))?;
        reach.rest()?;
        self.held.pop();
        self.kept.push(button);
        Ok(())
    }

    /// Releases a button that an earlier action pressed.
    pub(super) fn release_button(&mut self, reach: &mut Reach<'_>, button: Button, at: Option<Pixel>) -> Done {
        let Some(place) = self.kept.iter().position(|kept| *kept == button) else {
            let why = format!("the {button} button is not down; press it in the same reply");
            return Err(Unfinished::InTheWay(why));
        };
        if let Some(at) = at {
            self.move_to(reach, at)?;
        }
        self.drags = false;
        self.kept.remove(place);
        self.held.push(Hold::Button(button));
        self.let_go_of_last(reach)?;
        self.clicked = reach.place()?.map(|at| (at, Instant::now()));
        Ok(())
    }

    fn refuse_kept(&self, button: Button) -> Done {
        if self.kept.contains(&button) {
            let why = format!("the {button} button is still down; release it first");
            return Err(Unfinished::InTheWay(why));
        }
        Ok(())
    }

    /// Holds keys or a button down for a while.
    pub(super) fn hold_for(
        &mut self,
        reach: &mut Reach<'_>,
        what: &Held,
        for_how_long: Duration,
        at: Option<Pixel>,
    ) -> Done {
        if let Held::Button(button) = what {
            self.refuse_kept(*button)?;
        }
        if let Some(at) = at {
            self.go(reach, at)?;
        }
        match what {
            Held::Button(button) => {
                if let Some(at) = reach.place()? {
                    self.keep_apart(reach, at)?;
                }
                self.hold(reach, Hold::Button(*button))?;
                reach.pause(for_how_long)?;
                self.let_go_of_last(reach)
            }
            Held::Keys(chord) => {
                self.hold_keys(reach, keys(chord))?;
                reach.pause(for_how_long)?;
                self.let_go_of_keys(reach)
            }
        }
    }

    /// Waits until a click here no longer continues the previous ones, so that a click and a double click do not become
    /// a triple click.
    fn keep_apart(&mut self, reach: &mut Reach<'_>, at: Pixel) -> Done {
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

    /// Drags with the left button through these positions, without releasing it in between.
    pub(super) fn drag(&mut self, reach: &mut Reach<'_>, way: &[Pixel]) -> Done {
        let [from, rest @ ..] = way else { return Ok(()) };
        self.refuse_kept(Button::Left)?;
        self.go(reach, *from)?;
        self.keep_apart(reach, *from)?;
        self.hold(reach, Hold::Button(Button::Left))?;
        self.drags = true;
        reach.rest()?;
        for to in rest {
            self.tell_place(reach, *to)?;
            reach.pull(*to)?;
        }
        reach.rest()?;
        self.drags = false;
        self.let_go_of_last(reach)
    }

    /// Presses chords one after another, and repeats the sequence as often as asked.
    pub(super) fn press(&mut self, reach: &mut Reach<'_>, keys: &Keys) -> Done {
        for _ in 0..keys.count() {
            for chord in keys.chords() {
                self.press_chord(reach, chord)?;
            }
        }
        Ok(())
    }

    fn press_chord(&mut self, reach: &mut Reach<'_>, chord: &Chord) -> Done {
        self.hold_keys(reach, keys(chord))?;
        reach.pause_for(|pace| pace.hold)?;
        self.let_go_of_keys(reach)?;
        reach.pause_for(|pace| pace.character)
    }

    /// Presses keys in order, and keeps them down.
    fn hold_keys(&mut self, reach: &mut Reach<'_>, keys: Vec<Key>) -> Done {
        reach.pause(Duration::ZERO)?;
        if keys.is_empty() {
            return Ok(());
        }
        // Report the keys first, because preparing them can change the keyboard.
        self.tell(keys.iter().copied().map(Hold::Key))?;
        let interrupt = reach.interrupt;
        reach.display.prepare(&keys, &mut || !interrupt.is_set())?;
        reach.pause(Duration::ZERO)?;
        for key in keys {
            self.hold(reach, Hold::Key(key))?;
        }
        Ok(())
    }

    /// Releases the keys of this action, the last first.
    fn let_go_of_keys(&mut self, reach: &mut Reach<'_>) -> Done {
        while !self.held.is_empty() {
            self.let_go_of_last(reach)?;
        }
        let interrupt = reach.interrupt;
        Ok(reach.display.settle(&mut || !interrupt.is_set())?)
    }

    /// Clicks into a field, if one is given, and types; returns how many characters were typed.
    pub(super) fn type_into(&mut self, reach: &mut Reach<'_>, typing: &Typing, at: Option<Pixel>) -> (usize, Done) {
        let entered = match at {
            Some(at) => self.enter_field(reach, at, typing),
            None => Ok(()),
        };
        match entered {
            Ok(()) if typing.text.is_empty() => (0, Ok(())),
            Ok(()) => self.type_text(reach, &typing.text),
            Err(unfinished) => (0, Err(unfinished)),
        }
    }

    /// Puts the text cursor into a field; to replace its text, selects all of it, or deletes it if the new text is
    /// empty.
    fn enter_field(&mut self, reach: &mut Reach<'_>, at: Pixel, Typing { text, replace, .. }: &Typing) -> Done {
        self.click(reach, at, (Button::Left, 1), &[])?;
        reach.rest()?;
        if !replace {
            return Ok(());
        }
        let all = Chord::with(&[Modifier::Ctrl], Key::Char('a'));
        self.press_chord(reach, &all)?;
        if text.is_empty() {
            let delete = Chord::with(&[], Key::Named("delete"));
            self.press_chord(reach, &delete)?;
        }
        Ok(())
    }

    /// Types text; returns how many characters were typed. The display presses the keys itself, so all of them are
    /// reported first.
    fn type_text(&mut self, reach: &mut Reach<'_>, text: &str) -> (usize, Done) {
        // The two characters that end a line on Windows are one press of Enter.
        let text = &text.replace("\r\n", "\n");
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

    /// Releases everything, including the buttons that earlier actions hold, and returns those buttons.
    pub(super) fn let_go_of_all(&mut self, display: &mut dyn Display) -> Result<Vec<Button>, DisplayError> {
        let kept = std::mem::take(&mut self.kept);
        self.held.splice(0..0, kept.iter().copied().map(Hold::Button));
        self.let_go(display)?;
        Ok(kept)
    }

    /// Checks whether earlier actions still hold a button, or failed to release something.
    pub(super) fn hold_something(&self) -> bool {
        !self.kept.is_empty() || !self.held.is_empty()
    }

    /// Records that the buttons held by earlier actions will be released normally, without cancelling the drag.
    pub(super) fn ends_drag(&mut self) {
        self.drags = false;
    }

    /// Releases whatever the current action holds, after cancelling any drag that the action began.
    pub(super) fn let_go(&mut self, display: &mut dyn Display) -> Result<(), DisplayError> {
        let mut result = Ok(());
        if self.kept.is_empty() && std::mem::take(&mut self.drags) {
            let escape = Hold::Key(Key::Named("esc"));
            // The drag must end, even if the report about the key fails.
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
        let mut kept: Vec<Hold> = self.kept.iter().copied().map(Hold::Button).collect();
        if !kept.is_empty() {
            kept.extend(self.told.iter().filter(|hold| matches!(hold, Hold::Place(..))));
        }
        if result.is_ok() && self.told != kept {
            self.told.clone_from(&kept);
            // If this report fails, the guardian merely releases keys and buttons that are already up.
            let _ = self.tell.as_mut().map_or(Ok(()), |tell| tell(&kept));
        }
        result
    }

    fn hold(&mut self, reach: &mut Reach<'_>, what: Hold) -> Done {
        if let (Hold::Button(_), Some(at)) = (what, reach.place()?) {
            self.tell_place(reach, at)?;
        }
        self.tell([what])?;
        // Record the hold before pressing, so that it is released even if the press fails halfway.
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

    /// Reports the position at which buttons will be released, if another process needs it to release them.
    fn tell_place(&mut self, reach: &Reach<'_>, (x, y): Pixel) -> Result<(), DisplayError> {
        if reach.display.places_release() {
            self.told.retain(|hold| !matches!(hold, Hold::Place(..)));
            self.tell([Hold::Place(x, y)])?;
        }
        Ok(())
    }

    /// Reports these holds as possibly down, in addition to what is already held.
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
                "FRANZ no longer presses keys or buttons, because the guardian that releases them is gone ({error}); start the run again"
            ))
        })
    }
}

/// Returns the keys of a chord, in the order in which they are pressed.
fn keys(chord: &Chord) -> Vec<Key> {
    let modifiers = chord.modifiers.iter().copied().map(Key::Modifier);
    modifiers.chain([chord.key]).collect()
}
