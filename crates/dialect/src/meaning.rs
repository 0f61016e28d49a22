//! Meanings: what a verb in any dialect asks for, and the actions that a call becomes. Only exact requests become
//! actions.

mod keyboard;
mod pointer;
mod wheel;

use franz_action::text::shortened;
use franz_action::{Action, Button, Point};
use serde_json::Value;

use crate::bind::LONGEST_WAIT_S;
use crate::geometry::{Axes, Geometry, PlaceError, Spot};
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
    /// A direction and an amount in units of the coordinate space, which cannot be converted to notches.
    Grid,
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
pub(crate) enum CallFault {
    /// Its place cannot be used.
    #[error("{0}")]
    Place(PlaceError),
    /// Another reason, in words for the model.
    #[error("{0}")]
    Words(String),
}

impl From<PlaceError> for CallFault {
    fn from(error: PlaceError) -> CallFault {
        CallFault::Place(error)
    }
}

impl From<SpotError> for CallFault {
    fn from(error: SpotError) -> CallFault {
        CallFault::Words(error.to_string())
    }
}

fn words(text: impl Into<String>) -> CallFault {
    CallFault::Words(text.into())
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
const SECONDS: [&str; 5] = ["time", "seconds", "duration", "value", "delay"];

/// Units of time, each with its length in seconds.
const UNITS: [(&[&str], f64); 3] = [
    (
        &[
            "",
            "s",
            "sec",
            "secs",
            "second",
            "seconds",
            "\u{79d2}",
            "\u{79d2}\u{949f}",
        ],
        1.0,
    ),
    (
        &["ms", "msec", "millisecond", "milliseconds", "\u{6beb}\u{79d2}"],
        0.001,
    ),
    (&["m", "min", "mins", "minute", "minutes", "\u{5206}\u{949f}"], 60.0),
];

/// Checks whether any verb has an argument with this name.
pub(crate) fn reads(key: &str) -> bool {
    let others = [
        "answer", "question", "success", "status", "index", "ref", "selector", "id",
    ];
    let known = |names: &[&str]| names.iter().any(|name| same(name, key));
    spot::reads(key)
        || known(&HELD)
        || known(&SECONDS)
        || known(&WINDOW)
        || known(&PROGRAM)
        || known(&["ms"])
        || known(&others)
        || pointer::reads(key)
        || keyboard::reads(key)
        || wheel::reads(key)
}

/// Checks whether an argument with this name gives a click's button, count or held keys.
pub(crate) fn changes_click(key: &str) -> bool {
    let held = HELD.iter().chain(&["text", "keys", "key"]);
    pointer::reads(key) || pointer::changes(key) || held.into_iter().any(|name| same(name, key))
}

/// Reads a call with this meaning.
pub(crate) fn read(means: Means, args: &Arguments, around: &Surroundings<'_>) -> Result<Does, CallFault> {
    let args = &named(means, args, around)?;
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
        Means::Wait(tenths) => waited(tenths, args),
        Means::Look => Ok(one(Action::Screenshot, Vec::new())),
        Means::Watch => lasting(10, args).map(|seconds| one(Action::Watch(seconds), Vec::new())),
        Means::Zoom => pointer::zoomed(args, around),
        Means::Windows => Ok(one(Action::Windows, Vec::new())),
        Means::Focus => named_one(args, &WINDOW, Action::Focus),
        Means::Open => named_one(args, &PROGRAM, Action::Open),
        Means::ReadClipboard => Ok(one(Action::ReadClipboard, Vec::new())),
        Means::WriteClipboard => keyboard::copied(args),
        Means::Finish(success) => Ok(finished(success, args)),
        Means::Ask => Ok(Does::Ask(
            said(args, &["text", "content", "question", "message", "value"]).unwrap_or_default(),
        )),
        Means::Note => Ok(Does::Note),
        Means::Told(why) => Err(words(why)),
    }
}

/// Returns the arguments with the positional ones named, in the order for this meaning.
fn named(means: Means, args: &Arguments, around: &Surroundings<'_>) -> Result<Arguments, CallFault> {
    let mut read = args.clone();
    if read.positional.is_empty() {
        return Ok(read);
    }
    let list = |value: &Value| {
        value.is_array() || value.is_object() || value.as_str().is_some_and(|text| text.contains(['(', '<', '[', ',']))
    };
    let counts = read.positional.get(1).is_some_and(Value::is_number);
    let is_word = |value: &Value| value.is_string() && spot::number(value).is_none();
    let order: &[&str] = match means {
        Means::Click(_) | Means::Move if read.positional.first().is_some_and(list) => &["coordinate"],
        Means::Click(_) if read.positional.get(2).is_some_and(is_word) => &["x", "y", "button", "count", "modifiers"],
        Means::Click(click) if around.pauses && click != ClickKind::Left => &["x", "y", "interval", "button"],
        Means::Click(_) => &["x", "y", "num_clicks", "interval", "button"],
        Means::Down | Means::Up if read.positional.first().is_some_and(is_word) => &["button"],
        Means::Down | Means::Up => &["x", "y", "button"],
        Means::Hold => &["what", "seconds", "x", "y"],
        Means::Drag | Means::Zoom if read.positional.first().is_some_and(list) => &["start", "end"],
        Means::Drag if read.positional.len() >= 4 => &["x1", "y1", "x2", "y2"],
        Means::Move | Means::Drag => &["x", "y", "duration"],
        Means::Scroll(_) if read.positional.first().is_some_and(is_word) => &["direction", "amount", "x", "y"],
        Means::Scroll(_) if read.positional.get(2).is_some_and(is_word) => &["x", "y", "direction", "amount"],
        // Gemini's own scroll gives a direction. A scroll without one has FRANZ's form.
        Means::Scroll(Wheel::Down | Wheel::Grid) => &["dy", "x", "y", "dx"],
        Means::Scroll(_) => &["amount", "x", "y"],
        Means::Swipe => &["start", "end"],
        Means::Select => &["start_box", "end_box"],
        Means::Type(_) if around.pauses && counts => &["text", "interval"],
        Means::Type(_) => &["text", "x", "y", "replace", "enter"],
        Means::WriteClipboard | Means::Ask | Means::Finish(_) => &["text"],
        Means::Keys if around.pauses && counts => &["keys", "presses", "interval"],
        Means::Chord | Means::Keys => {
            let keys = std::mem::take(&mut read.positional);
            let keys = match &keys[..] {
                [one] => one.clone(),
                _ => Value::from(keys),
            };
            read.named.push(("keys".to_owned(), keys));
            return Ok(read);
        }
        Means::Zoom => &["x1", "y1", "x2", "y2"],
        Means::Focus | Means::Open => &["name"],
        Means::Wait(_) | Means::Watch => &["time"],
        Means::Windows
        | Means::Look
        | Means::ReadClipboard
        | Means::Note
        | Means::Told(_)
        | Means::Fixed(_)
        | Means::Gesture => {
            return Ok(read);
        }
    };
    let values = std::mem::take(&mut read.positional);
    if values.len() > order.len() {
        return Err(words("the call has more arguments than it takes"));
    }
    if let Some(twice) = order.iter().take(values.len()).find(|name| read.get(&[name]).is_some()) {
        return Err(words(format!("'{twice}' is given twice")));
    }
    let names = order.iter().map(|name| ordered(name, around.geometry.axes).to_owned());
    read.named.extend(names.zip(values));
    Ok(read)
}

/// Returns the name of a positional argument if places are written in this order of axes.
fn ordered(name: &'static str, axes: Axes) -> &'static str {
    match name {
        _ if axes == Axes::Xy => name,
        "x" => "y",
        "y" => "x",
        "x1" => "y1",
        "y1" => "x1",
        "x2" => "y2",
        "y2" => "x2",
        _ => name,
    }
}

fn one(action: Action, points: Vec<[f64; 2]>) -> Does {
    Does::Perform(vec![(action, points)])
}

fn resolved(spot: &Spot, around: &Surroundings<'_>) -> Result<(Point, [f64; 2]), CallFault> {
    if matches!(spot, Spot::Corners(_) | Spot::NamedCorners(_)) && !around.boxes {
        return Err(words("a place is two numbers here, not a box"));
    }
    let exact = around.geometry.thousandths(spot)?;
    Ok((Point::nearest(exact[0], exact[1]), exact))
}

/// Returns a call's only place, if it has one.
fn placed(args: &Arguments, around: &Surroundings<'_>) -> Result<Option<(Point, [f64; 2])>, CallFault> {
    let place = spot::place(args)?;
    refuse_others(args, place.as_slice())?;
    place.map(|place| resolved(&place, around)).transpose()
}

fn at_pointer(around: &Surroundings<'_>) -> Result<(Point, [f64; 2]), CallFault> {
    let point = around.pointer.ok_or_else(|| {
        words("it begins at the pointer, but the pointer's place is unknown; give the place, or move there first")
    })?;
    Ok((point, [point.x.get(), point.y.get()]))
}

/// Refuses a call that gives a place other than these.
fn refuse_others(args: &Arguments, read: &[Spot]) -> Result<(), CallFault> {
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
fn refuse_held(args: &Arguments, names: &[&str]) -> Result<(), CallFault> {
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

fn named_one(args: &Arguments, names: &[&str], act: fn(String) -> Action) -> Result<Does, CallFault> {
    let name = said(args, names).filter(|name| !name.trim().is_empty());
    let name = name.ok_or_else(|| words("the name is missing"))?;
    Ok(one(act(name), Vec::new()))
}

fn waited(tenths: u32, args: &Arguments) -> Result<Does, CallFault> {
    lasting(tenths, args).map(|seconds| one(Action::Wait(seconds), Vec::new()))
}

/// Reads a number of seconds. If there is none, returns this many tenths of a second.
fn lasting(tenths: u32, args: &Arguments) -> Result<f64, CallFault> {
    let seconds = seconds(args)?.unwrap_or(f64::from(tenths) / 10.0);
    if seconds > LONGEST_WAIT_S {
        return Err(words("a wait can last at most 30 seconds"));
    }
    Ok(seconds)
}

/// Returns the number of seconds in a call, if it gives one.
fn seconds(args: &Arguments) -> Result<Option<f64>, CallFault> {
    let seconds = match (args.get(&SECONDS), args.get(&["ms"])) {
        (Some(Value::String(text)), _) => time(text),
        (Some(value), _) => spot::number(value),
        (None, Some(ms)) => spot::number(ms).map(|ms| ms / 1000.0),
        (None, None) => return Ok(None),
    };
    let seconds = seconds.filter(|seconds: &f64| seconds.is_finite() && *seconds >= 0.0);
    let seconds = seconds.ok_or_else(|| words("the number of seconds could not be read"))?;
    Ok(Some(seconds))
}

/// Reads a time with or without its unit, in seconds.
fn time(text: &str) -> Option<f64> {
    let text = text.trim();
    let number = text.trim_end_matches(|c: char| c.is_alphabetic() || c == ' ' || c == '.' && text.ends_with('.'));
    let unit = text.get(number.len()..)?.trim_matches([' ', '.']).to_lowercase();
    let (_, length) = UNITS.iter().find(|(names, _)| names.contains(&unit.as_str()))?;
    number.parse::<f64>().ok().map(|number| number * length)
}

fn finished(success: bool, args: &Arguments) -> Does {
    let status = said(args, &["status", "goal_status", "success"]).unwrap_or_default();
    Does::Finish {
        answer: said(
            args,
            &[
                "answer", "text", "content", "message", "info", "return", "value", "reason",
            ],
        )
        .unwrap_or_default(),
        success: success && is_success(&status),
    }
}

/// Checks whether a status consists only of words that report success. An empty status changes nothing.
fn is_success(status: &str) -> bool {
    let status = status.to_lowercase();
    let mut words = status
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    words.all(|word| SUCCESS.contains(&word))
}

/// Words that report success, and words around them that change nothing.
const SUCCESS: [&str; 34] = [
    "success",
    "successful",
    "successfully",
    "succeeded",
    "complete",
    "completed",
    "done",
    "finish",
    "finished",
    "true",
    "yes",
    "ok",
    "1",
    "achieved",
    "solved",
    "all",
    "fully",
    "task",
    "goal",
    "answer",
    "answered",
    "the",
    "is",
    "was",
    "has",
    "have",
    "been",
    "tasks",
    "goals",
    "reached",
    "\u{6210}\u{529f}",
    "\u{5b8c}\u{6210}",
    "\u{5df2}\u{5b8c}\u{6210}",
    "\u{4efb}\u{52a1}\u{5b8c}\u{6210}",
];

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_words_report_success() {
        for status in [
            "",
            "success",
            "Successfully completed",
            "complete",
            "DONE",
            "task_completed",
            "The task is complete",
            "goal reached",
            "\u{4efb}\u{52a1}\u{5b8c}\u{6210}",
            "true",
            "1",
        ] {
            assert!(is_success(status), "{status}");
        }
        for status in [
            "failure",
            "failed",
            "unsuccessful",
            "incomplete",
            "partial",
            "partially completed",
            "not completed",
            "the task has not been completed",
            "infeasible",
            "false",
            "0",
            "unknown",
        ] {
            assert!(!is_success(status), "{status}");
        }
    }

    #[test]
    fn times_keep_their_units() {
        for (text, seconds) in [
            ("2", Some(2.0)),
            ("2.5s", Some(2.5)),
            ("2 seconds", Some(2.0)),
            ("2 sec.", Some(2.0)),
            ("500ms", Some(0.5)),
            ("500 Milliseconds", Some(0.5)),
            ("1 minute", Some(60.0)),
            ("0.25min", Some(15.0)),
            ("2\u{79d2}", Some(2.0)),
            ("1 hour", None),
            ("1 min 30 s", None),
            ("soon", None),
            ("", None),
        ] {
            assert_eq!(time(text), seconds, "{text}");
        }
    }
}
