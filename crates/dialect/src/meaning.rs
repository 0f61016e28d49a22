//! Meanings: what a verb in any dialect asks for, and the actions that a call becomes. Only exact requests become
//! actions.

mod ending;
mod keyboard;
mod pointer;
mod positional;
mod seconds;
mod wheel;

use franz_action::text::shortened;
use franz_action::{Action, Button, Point};
use serde_json::Value;

use crate::geometry::{Geometry, PlaceError, Spot};
use crate::manner::Manner;
use crate::notation::{Arguments, same};
use crate::spot::{self, SpotError};

/// Which click a verb stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClickKind {
    /// The left button, once.
    Left,
    /// The right button.
    Right,
    /// The middle button.
    Middle,
    /// The left button, twice.
    Double,
    /// The left button, three times.
    Triple,
}

impl ClickKind {
    /// Returns the button and the number of clicks.
    pub(crate) fn usual(self) -> (Button, u32) {
        match self {
            ClickKind::Left => (Button::Left, 1),
            ClickKind::Right => (Button::Right, 1),
            ClickKind::Middle => (Button::Middle, 1),
            ClickKind::Double => (Button::Left, 2),
            ClickKind::Triple => (Button::Left, 3),
        }
    }
}

/// Whether to press the Enter key after typing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Enter {
    /// If an argument asks for it. Without such an argument, the family's habit decides.
    OrHabit,
    /// Only if an argument asks for it, whatever the family's habit.
    OnlyIfAsked,
    /// Always.
    Always,
}

/// How a scroll amount is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wheel {
    /// A direction and a number of notches, or this many notches if the call gives no amount.
    Notches(i32),
    /// One signed number, positive for up: notches or, if 100 or more, hundredths of a notch.
    Up,
    /// The same as `Up` but sideways, positive for right.
    Right,
    /// One signed number of notches, positive for up.
    UpNotches,
    /// The same as `UpNotches` but sideways, positive for right.
    RightNotches,
    /// Signed pixels per axis, positive for down and right.
    Pixels,
    /// A verb that includes the direction, with an amount of notches.
    Toward(&'static str, i32),
    /// Gemini's forms: a direction and an amount in pixels or notches, or this many notches if the call gives none. An
    /// amount in units of the coordinate space cannot be converted to notches.
    Grid(i32),
    /// FRANZ's own form: signed notches per axis, positive for down and right.
    Down,
}

impl Wheel {
    /// The number of notches if a scroll or swipe gives no amount.
    pub(crate) const USUAL: i32 = 5;
}

/// What a verb asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Means {
    /// A click at a place. Without a place, a click at the pointer if the dialect allows it.
    Click(ClickKind),
    /// Moving the pointer.
    Move,
    /// A drag between two places, along a path, or from the pointer.
    Drag,
    /// A drag if the call gives an end, otherwise a click.
    Select,
    /// Turning the wheel.
    Scroll(Wheel),
    /// A drag between two places, or turning the wheel in a direction.
    Swipe,
    /// Typing text.
    Type(Enter),
    /// Pressing one chord.
    Chord,
    /// Pressing keys one after another.
    Keys,
    /// Pressing this key.
    Fixed(&'static str),
    /// A key that goes down, is pressed and goes up in separate items, which together form a chord.
    Gesture,
    /// Pressing a button and keeping it down.
    Down,
    /// Releasing a button.
    Up,
    /// Holding a key or a button down for a while.
    Hold,
    /// Waiting. If the call gives no time, this many tenths of a second.
    Wait(u32),
    /// Looking.
    Look,
    /// Watching for a number of seconds.
    Watch,
    /// Enlarging the part between two places.
    Zoom,
    /// Listing the windows.
    Windows,
    /// Bringing a window to the front.
    Focus,
    /// Starting a program.
    Open,
    /// Reading the clipboard.
    ReadClipboard,
    /// Writing text to the clipboard.
    WriteClipboard,
    /// The end of the work. The flag says whether that is a success if the call gives no status.
    Finish(bool),
    /// A question to the person.
    Ask,
    /// A remark that changes nothing.
    Note,
    /// Something that cannot be done exactly, with the message for the model.
    Told(&'static str),
}

/// The result of reading one call.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Does {
    /// Actions in order, each with the exact thousandths of its places.
    Perform(Vec<(Action, Vec<[f64; 2]>)>),
    /// The end of the work.
    Finish {
        /// The final words.
        answer: String,
        /// Whether the model says that it succeeded.
        success: bool,
    },
    /// A question to the person.
    Ask(String),
    /// A remark. Nothing happens on the screen.
    Note,
}

/// Why a call is not performed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(crate) enum MeaningError {
    /// Its place cannot be used.
    #[error("{0}")]
    Place(PlaceError),
    /// Another reason, in words for the model.
    #[error("{0}")]
    Words(String),
}

impl From<PlaceError> for MeaningError {
    fn from(error: PlaceError) -> MeaningError {
        MeaningError::Place(error)
    }
}

impl From<SpotError> for MeaningError {
    fn from(error: SpotError) -> MeaningError {
        MeaningError::Words(error.to_string())
    }
}

fn words(text: impl Into<String>) -> MeaningError {
    MeaningError::Words(text.into())
}

/// The context for reading a call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surroundings<'a> {
    /// Whether a place may be a box.
    pub(crate) boxes: bool,
    /// Whether pauses follow the place of a click and the text to type.
    pub(crate) pauses: bool,
    /// Whether a click without a place is at the pointer.
    pub(crate) clicks_at_pointer: bool,
    pub(crate) geometry: Geometry,
    /// How the family writes and what its calls mean.
    pub(crate) manner: &'a Manner,
    /// Where the pointer is, if known.
    pub(crate) pointer: Option<Point>,
}

/// How many characters of an argument's name to quote.
const LONGEST_NAME: usize = 60;
const HELD: [&str; 8] = [
    "hold_keys",
    "hold_key",
    "held_keys",
    "modifiers",
    "modifier",
    "modifier_keys",
    "key_modifiers",
    "hold",
];
const WINDOW: [&str; 7] = ["window", "title", "name", "text", "number", "app", "id"];
const PROGRAM: [&str; 6] = ["program", "name", "app", "app_name", "application", "text"];

/// Checks whether any verb has an argument with this name.
pub(crate) fn reads(key: &str) -> bool {
    let others = [
        "answer", "question", "success", "status", "index", "ref", "selector", "id",
    ];
    let known = |names: &[&str]| names.iter().any(|name| same(name, key));
    spot::reads(key)
        || known(&HELD)
        || known(&WINDOW)
        || known(&PROGRAM)
        || known(&others)
        || pointer::reads(key)
        || keyboard::reads(key)
        || wheel::reads(key)
        || seconds::reads(key)
}

/// Checks whether an argument with this name gives a click's button, count or held keys.
pub(crate) fn changes_click(key: &str) -> bool {
    let held = HELD.iter().chain(&["text", "keys", "key"]);
    pointer::reads(key) || pointer::changes(key) || held.into_iter().any(|name| same(name, key))
}

/// Reads a call with this meaning.
pub(crate) fn read(means: Means, args: &Arguments, around: &Surroundings<'_>) -> Result<Does, MeaningError> {
    let args = &positional::named(means, args, around)?;
    match means {
        Means::Click(click) => pointer::clicked(click, args, around),
        Means::Move => pointer::moved(args, around),
        Means::Select if !spot::has_end(args) => pointer::clicked(ClickKind::Left, args, around),
        Means::Drag | Means::Select => pointer::dragged(args, around),
        Means::Scroll(wheel) => wheel::scrolled(wheel, args, around),
        Means::Swipe => wheel::swiped(args, around),
        Means::Type(enter) => keyboard::typed(enter, args, around),
        Means::Chord => keyboard::pressed(args, true),
        Means::Keys => keyboard::pressed(args, false),
        Means::Fixed(key) => keyboard::pressed(
            &Arguments::of([("keys".to_owned(), Value::from(key))].into_iter().collect()),
            true,
        ),
        Means::Gesture => keyboard::gesture(args),
        Means::Down => pointer::button(Action::MouseDown, args, around),
        Means::Up => pointer::button(Action::MouseUp, args, around),
        Means::Hold => keyboard::held(args, around),
        Means::Wait(tenths) => seconds::waited(tenths, args),
        Means::Look => Ok(one(Action::Screenshot, Vec::new())),
        Means::Watch => seconds::lasting(10, args).map(|seconds| one(Action::Watch(seconds), Vec::new())),
        Means::Zoom => pointer::zoomed(args, around),
        Means::Windows => Ok(one(Action::Windows, Vec::new())),
        Means::Focus => named_one(args, &WINDOW, Action::Focus),
        Means::Open => named_one(args, &PROGRAM, Action::Open),
        Means::ReadClipboard => Ok(one(Action::ReadClipboard, Vec::new())),
        Means::WriteClipboard => keyboard::copied(args),
        Means::Finish(success) => Ok(ending::finished(success, args)),
        Means::Ask => Ok(Does::Ask(
            said(args, &["text", "content", "question", "message", "value"]).unwrap_or_default(),
        )),
        Means::Note => Ok(Does::Note),
        Means::Told(why) => Err(words(why)),
    }
}

fn one(action: Action, points: Vec<[f64; 2]>) -> Does {
    Does::Perform(vec![(action, points)])
}

fn resolved(spot: &Spot, around: &Surroundings<'_>) -> Result<(Point, [f64; 2]), MeaningError> {
    if matches!(spot, Spot::Corners(_) | Spot::NamedCorners(_)) && !around.boxes {
        return Err(words("a place is two numbers here, not a box"));
    }
    let exact = around.geometry.thousandths(spot)?;
    Ok((Point::nearest(exact[0], exact[1]), exact))
}

/// Returns a call's only place, if it has one.
fn placed(args: &Arguments, around: &Surroundings<'_>) -> Result<Option<(Point, [f64; 2])>, MeaningError> {
    let place = spot::place(args)?;
    refuse_others(args, place.as_slice())?;
    place.map(|place| resolved(&place, around)).transpose()
}

fn at_pointer(around: &Surroundings<'_>) -> Result<(Point, [f64; 2]), MeaningError> {
    let point = around.pointer.ok_or_else(|| {
        words("it begins at the pointer, but the pointer's place is unknown; give the place, or move there first")
    })?;
    Ok((point, [point.x.get(), point.y.get()]))
}

/// Refuses a call that gives a place other than these.
fn refuse_others(args: &Arguments, read: &[Spot]) -> Result<(), MeaningError> {
    match spot::unread(args, read) {
        Some(key) => {
            let key = shortened(key, LONGEST_NAME);
            let advice = match read {
                [] => "use the name from the instructions",
                _ => "give each place once",
            };
            Err(words(format!("the place in '{key}' has no meaning here; {advice}")))
        }
        None => Ok(()),
    }
}

/// Refuses a call that asks for keys to be held down.
fn refuse_held(args: &Arguments, names: &[&str]) -> Result<(), MeaningError> {
    match args.get(names) {
        Some(value) if !is_empty(value) => {
            Err(words("keys can be held only during clicks; press the chord separately"))
        }
        _ => Ok(()),
    }
}

/// Checks whether an argument asks for nothing.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Array(list) => list.is_empty(),
        Value::String(text) => ["", "false", "no", "none"].contains(&text.trim().to_ascii_lowercase().as_str()),
        Value::Bool(asked) => !asked,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::Null => true,
        Value::Object(_) => false,
    }
}

fn named_one(args: &Arguments, names: &[&str], act: fn(String) -> Action) -> Result<Does, MeaningError> {
    let name = said(args, names).filter(|name| !name.trim().is_empty());
    let name = name.ok_or_else(|| words("the name is missing"))?;
    Ok(one(act(name), Vec::new()))
}

/// Returns the first of these arguments as a string.
fn said(args: &Arguments, names: &[&str]) -> Option<String> {
    match args.get(names)? {
        Value::String(text) => Some(text.clone()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
        other => Some(other.to_string()),
    }
}

fn flag(args: &Arguments, names: &[&str]) -> Option<bool> {
    match args.get(names)? {
        Value::Bool(flag) => Some(*flag),
        Value::Number(number) => number.as_f64().map(|number| number != 0.0),
        Value::String(text) => Some(matches!(
            text.trim().to_ascii_lowercase().as_str(),
            "true" | "1" | "yes"
        )),
        _ => None,
    }
}
