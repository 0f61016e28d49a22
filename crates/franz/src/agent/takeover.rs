//! A person has taken over a private screen: their mouse and keys are passed on, and they see what happens. Nothing of it
//! is recorded or shown to the model.

use std::fmt;
use std::time::{Duration, Instant};

use base64_simd::STANDARD;
use franz_action::{Action, Button, Norm, Point};
use franz_frame::{Area, Frame, png};
use franz_panel::controls::PersonInput;
use franz_record::{Event, LivePicture};
use franz_screen::{ActionId, Change, Interrupt};

use super::Agent;
use crate::stop::Stop;

/// The time between two pictures: at most 15 a second.
const BETWEEN: Duration = Duration::from_millis(66);
/// The time until the next look where nothing has changed.
const LOOK: Duration = Duration::from_millis(10);

/// After so many parts, or so many bytes of them, a whole picture follows: the panel keeps all since the last one.
const MOST_PARTS: u64 = 30;
const MOST_BYTES: usize = 8 << 20;

/// The most notches of the wheel at once.
const MOST_NOTCHES: i32 = 100;

impl Agent {
    /// Lets the person act until they give the screen back.
    pub(super) fn hand_over(&mut self, turn: u64) {
        self.let_go();
        self.tell(&Event::TakenOver { turn });
        let (began, mut tally, mut shown) = (Instant::now(), Tally::default(), Live::default());
        let mut next = began;
        while let Some(inputs) = self.stop.next_inputs(next.saturating_duration_since(Instant::now())) {
            for input in inputs {
                self.do_for_person(&input, &mut tally);
            }
            if Instant::now() >= next {
                let began = Instant::now();
                let is_shown = self.show_live(&mut shown);
                next = began + if is_shown { BETWEEN } else { LOOK };
            }
        }
        self.let_go();
        self.trail.let_go.clear();
        tally.seconds = began.elapsed().as_secs();
        let told = tally.to_string();
        self.tell(&Event::GivenBack {
            turn,
            did: told.clone(),
        });
        self.trail.handed = Some(told);
        self.trail.outdated = true;
        self.trail.lookout.forget_look();
    }

    /// Tells the model what the person did while they had the screen.
    pub(super) fn tell_of_takeover(&mut self, turn: &mut super::Turn) {
        if let Some(did) = self.trail.handed.take() {
            self.tell_model(turn, &format!("NOTICE: {did}"));
        }
    }

    fn do_for_person(&mut self, input: &PersonInput, tally: &mut Tally) {
        let action = match input {
            PersonInput::LetGo => {
                self.let_go();
                return;
            }
            input => action(input),
        };
        let Some(action) = action else { return };
        tally.note(&action);
        let nowhere = ActionId { turn: 0, index: 0 };
        // The person sees what comes of it.
        let _ = self.screen.unmasked().perform(nowhere, &action, &Ends(&self.stop));
    }

    /// Shows the person what has changed of the screen. Returns whether anything has.
    fn show_live(&mut self, shown: &mut Live) -> bool {
        let screen = self.screen.unmasked();
        let is_new = shown.frame.is_none();
        if screen.capture().is_err() || (screen.change() == Change::Nothing && !is_new) {
            return false;
        }
        let picture = shown.next(screen.frame());
        let is_shown = picture.is_some();
        if let Some(picture) = picture {
            self.tell(&Event::Live(picture));
        }
        is_shown
    }
}

/// Breaks off what the person does when the run ends.
struct Ends<'a>(&'a Stop);

impl Interrupt for Ends<'_> {
    fn is_set(&self) -> bool {
        self.0.ending().is_some()
    }

    fn sleep(&self, duration: Duration) -> bool {
        self.0.sleep_until_over(duration);
        self.is_set()
    }
}

/// Returns the action that an input is; `None` if it is none.
fn action(input: &PersonInput) -> Option<Action> {
    let place = |(x, y): (f64, f64)| Point {
        x: Norm::nearest(x * 1000.0),
        y: Norm::nearest(y * 1000.0),
    };
    Some(match input {
        PersonInput::Move { at } => Action::Move(place(*at)),
        PersonInput::Down { button, at } => Action::MouseDown(Button::named(button)?, Some(place(*at))),
        PersonInput::Up { button, at } => Action::MouseUp(Button::named(button)?, Some(place(*at))),
        PersonInput::Scroll { dy, dx, at } => Action::Scroll {
            dy: (*dy).clamp(-MOST_NOTCHES, MOST_NOTCHES),
            dx: (*dx).clamp(-MOST_NOTCHES, MOST_NOTCHES),
            at: Some(place(*at)),
        },
        PersonInput::Press { keys } => Action::Press(keys.parse().ok()?),
        PersonInput::Type { text } => Action::typing(text.clone()),
        PersonInput::LetGo => return None,
    })
}

/// What the person did, in numbers: what they typed is nobody's business.
#[derive(Default)]
struct Tally {
    seconds: u64,
    clicks: usize,
    characters: usize,
    keys: usize,
}

impl Tally {
    fn note(&mut self, action: &Action) {
        match action {
            Action::MouseDown(..) => self.clicks += 1,
            Action::Type(typing) => self.characters += typing.text.chars().count(),
            Action::Press(_) => self.keys += 1,
            _ => {}
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let did = [
            counted(self.clicks, "click", "clicks"),
            counted(self.characters, "character typed", "characters typed"),
            counted(self.keys, "key press", "key presses"),
        ];
        let did: Vec<String> = did.into_iter().flatten().collect();
        let did = if did.is_empty() {
            "nothing pressed".to_owned()
        } else {
            did.join(", ")
        };
        let seconds = self.seconds;
        write!(
            f,
            "the person used mouse and keyboard for {seconds} s: {did}. Look at the new picture."
        )
    }
}

/// Words a number of things; `None` for none.
fn counted(count: usize, one: &str, many: &str) -> Option<String> {
    match count {
        0 => None,
        1 => Some(format!("1 {one}")),
        count => Some(format!("{count} {many}")),
    }
}

/// The last picture that was shown.
#[derive(Default)]
struct Live {
    frame: Option<Frame>,
    number: u64,
    /// How many parts were sent since the last whole picture, and their bytes.
    parts: u64,
    bytes: usize,
}

impl Live {
    /// Returns what has changed; `None` if nothing has.
    fn next(&mut self, frame: &Frame) -> Option<LivePicture> {
        let size = (frame.width(), frame.height());
        let whole = Area::whole(size.0, size.1);
        let before = self
            .frame
            .as_ref()
            .filter(|before| (before.width(), before.height()) == size);
        let changed = match before {
            Some(before) => changed(before, frame)?,
            None => whole,
        };
        let is_whole = before.is_none() || self.parts >= MOST_PARTS || self.bytes >= MOST_BYTES;
        let area = if is_whole { whole } else { changed };
        let png = png::encode(&frame.part(area)?).ok()?;
        (self.parts, self.bytes) = if is_whole {
            (0, 0)
        } else {
            (self.parts + 1, self.bytes + png.len())
        };
        self.number += 1;
        self.frame = Some(frame.clone());
        Some(LivePicture {
            number: self.number,
            whole: is_whole,
            screen: size,
            at: (area.x as u32, area.y as u32),
            png: STANDARD.encode_to_string(png),
        })
    }
}

/// Returns the smallest area that holds all that differs between two pictures of one size.
fn changed(before: &Frame, after: &Frame) -> Option<Area> {
    let stride = before.data().len() / before.height() as usize;
    let depth = stride / before.width() as usize;
    let rows = before.data().chunks(stride).zip(after.data().chunks(stride));
    let (mut top, mut bottom, mut left, mut right) = (None, 0, usize::MAX, 0);
    for (y, (old, new)) in rows.enumerate().filter(|(_, (old, new))| old != new) {
        top.get_or_insert(y);
        bottom = y;
        let differs = |(old, new): (&u8, &u8)| old != new;
        let first = old.iter().zip(new).position(differs)? / depth;
        let last = old.iter().zip(new).rposition(differs)? / depth;
        (left, right) = (left.min(first), right.max(last));
    }
    let top = top?;
    Some(Area {
        x: left as i32,
        y: top as i32,
        width: (right - left + 1) as u32,
        height: (bottom - top + 1) as u32,
    })
}
