//! The message to the model after a fault: one sentence and one complete valid line, which is made from the model's own
//! reply where possible.

use franz_action::{Action, AimedAt, Click, Keys, Path, Point, Typing, Verb};

use super::{DialectReader, Fate, ReadStep};
use crate::dialect::Dialect;
use crate::geometry::{Geometry, Space, Spot};
use crate::plan::shortened;
use crate::wording::{Numbers, Writer};

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

/// Returns the message to the person about a reply in another dialect.
pub(super) fn to_the_person(dialect: &Dialect) -> String {
    let name = dialect.name;
    match dialect.fixed {
        Some(_) => format!("this is the {name} dialect; name the model's family with --family"),
        None => format!(
            "this is the {name} dialect, whose numbers can mean several things; name the model's family with --family"
        ),
    }
}

impl DialectReader<'_> {
    /// Returns the message to the model about these steps, which is empty if all of them are performed.
    pub(super) fn told(&self, steps: &[ReadStep]) -> String {
        let mut left = steps.iter().filter_map(|step| Some((step, step.why()?)));
        let Some((step, why)) = left.next() else {
            return String::new();
        };
        let done = steps.iter().filter(|step| step.action().is_some()).count();
        let name = if step.name.is_empty() { "The call" } else { &step.name };
        let name = shortened(name, 60);
        let what = match done {
            0 => format!("{name} was not done: {why}."),
            _ => format!("{done} done, but {name} was not: {why}."),
        };
        let line = match &step.fate {
            Fate::Left(_) => self.line_of(step),
            Fate::Act(_) | Fate::Ask(_) | Fate::Said => None,
        };
        match line {
            Some(line) => format!("{what} Write:\n{line}"),
            None => self.line_behind(&what),
        }
    }

    fn writer(&self) -> Option<Writer<'_>> {
        self.dialect.writer(&self.manner, Numbers::Counted(&self.geometry))
    }

    /// Returns a list of the available verbs.
    pub(super) fn instead(&self) -> String {
        let verbs = self.writer().map(|writer| writer.verbs()).unwrap_or_default();
        if verbs.is_empty() {
            return String::new();
        }
        format!("; use {}", verbs.join(", "))
    }

    /// Returns a sentence followed by a harmless valid line.
    pub(super) fn line_behind(&self, what: &str) -> String {
        let line = self.writer().and_then(|writer| writer.harmless());
        let line = line.unwrap_or_else(|| self.own_form.line(&self.own_form.look(), &self.geometry));
        format!("{what} Write:\n{line}")
    }

    /// Returns the line that the model should have written for a step of another dialect, with the step's own point.
    fn line_of(&self, step: &ReadStep) -> Option<String> {
        let [point] = step.points[..] else { return None };
        let clicks = step.name.to_ascii_lowercase().contains("click");
        if !clicks || self.geometry.space == Space::Unknown {
            return None;
        }
        // Do not repeat numbers that have no meaning in this run.
        let exact = self.geometry.thousandths(&Spot::Point(point)).ok()?;
        let at = Point::nearest(exact[0], exact[1]);
        let name = step.name.to_ascii_lowercase();
        let action = match () {
            () if name.contains("right") => Action::right_click(at),
            () if name.contains("double") => Action::double_click(at),
            () => Action::left_click(at),
        };
        let line = self.writer().and_then(|writer| writer.line(&action));
        Some(line.unwrap_or_else(|| self.own_form.line(&action, &self.geometry)))
    }
}
