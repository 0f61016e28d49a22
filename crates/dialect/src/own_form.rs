//! The forms of FRANZ's own calls, and how a call is written in each.

use franz_action::{Action, AimedAt, Click, Keys, Path, Point, Typing, Verb};

use crate::geometry::Geometry;

/// The form of a profile's own calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnForm {
    /// A function call, as an object.
    Tools,
    /// A call after the label `ACTION:`.
    Sections,
    /// A call on its own line.
    Lines,
    /// A call in a block of Python.
    Python,
}

impl OwnForm {
    /// Returns the action that profiles of this form use to look at the screen.
    pub(crate) fn look(self) -> Action {
        match self {
            OwnForm::Tools | OwnForm::Sections => Action::Observe,
            OwnForm::Lines | OwnForm::Python => Action::Screenshot,
        }
    }

    /// Writes an action as one valid line or block, with places in the model's numbers.
    pub fn line(self, action: &Action, geometry: &Geometry) -> String {
        let call = geometry.spoken(action);
        match self {
            OwnForm::Tools => function(action, geometry),
            OwnForm::Sections => format!("ACTION: {call}"),
            OwnForm::Lines => call,
            OwnForm::Python => format!("```python\n{call}\n```"),
        }
    }
}

/// Writes an action as a function call, with places in the model's numbers.
fn function(action: &Action, geometry: &Geometry) -> String {
    let place = |at: &Point| format!("[{}]", geometry.pair(*at).join(", "));
    let click = |at: &Point, rest: String| {
        let arguments = format!("{{\"label\": \"target\", \"box\": {}{rest}}}", place(at));
        ("click_element", arguments)
    };
    let (name, arguments) = match action {
        Action::Click(one) => click(&one.at, kind(one)),
        Action::Move(at) => click(at, ", \"kind\": \"hover\"".to_owned()),
        Action::Aimed(_, AimedAt::Named(target)) => (
            "click_element",
            format!("{{\"label\": {}}}", serde_json::Value::from(target.as_str())),
        ),
        Action::Aimed(_, AimedAt::Element(number)) => ("click_element", format!("{{\"element\": {number}}}")),
        Action::Type(typing) => ("type_text", typed(typing, place)),
        Action::Press(keys) => ("press_key", pressed(keys)),
        Action::Drag(path) => ("drag", dragged(path, place)),
        Action::Wait(seconds) => ("wait", format!("{{\"seconds\": {seconds}}}")),
        _ => ("observe_screen", "{}".to_owned()),
    };
    format!("{{\"name\": \"{name}\", \"parameters\": {arguments}}}")
}

/// Returns the click's name, which is written after its place.
fn kind(click: &Click) -> String {
    let plain = Click::of(click.verb(), click.at);
    let kind = match click.verb() {
        Verb::RightClick => ", \"kind\": \"right\"",
        Verb::MiddleClick => ", \"kind\": \"middle\"",
        Verb::DoubleLeftClick => ", \"kind\": \"double\"",
        Verb::TripleClick => ", \"kind\": \"triple\"",
        _ => "",
    };
    let counted = plain.is_some_and(|plain| plain.count == click.count);
    let count = if counted {
        String::new()
    } else {
        format!(", \"count\": {}", click.count)
    };
    let held: Vec<&str> = click.modifiers.iter().map(|modifier| modifier.name()).collect();
    let held = if held.is_empty() {
        String::new()
    } else {
        format!(", \"modifiers\": \"{}\"", held.join("+"))
    };
    format!("{kind}{count}{held}")
}

fn dragged(path: &Path, place: impl Fn(&Point) -> String) -> String {
    if let Some((from, to)) = path.ends() {
        return format!("{{\"from\": {}, \"to\": {}}}", place(&from), place(&to));
    }
    let points: Vec<String> = path.points().iter().map(place).collect();
    format!("{{\"points\": [{}]}}", points.join(", "))
}

fn typed(Typing { text, at, replace }: &Typing, place: impl Fn(&Point) -> String) -> String {
    let at = at
        .as_ref()
        .map_or_else(String::new, |at| format!(", \"box\": {}", place(at)));
    let replace = if *replace { ", \"replace\": true" } else { "" };
    format!("{{\"text\": {}{at}{replace}}}", serde_json::Value::from(text.as_str()))
}

fn pressed(keys: &Keys) -> String {
    let count = match keys.count() {
        1 => String::new(),
        count => format!(", \"count\": {count}"),
    };
    format!("{{\"key\": {}{count}}}", serde_json::Value::from(keys.names()))
}
