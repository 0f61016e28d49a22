//! The result of one call: one line of compact JSON. It is at most a thousand characters long, not counting text that
//! was read.

use std::fmt::Write;

use franz_action::keys::Modifier;
use franz_action::{Action, Holding, Point, Typing};
use serde_json::Value;

use crate::geometry::Geometry;
use crate::plan::Scene;

/// The room for a note or a picture's name, in characters as JSON writes them.
const NAME_ROOM: usize = 150;
/// The room for a message, in characters as JSON writes them.
const MESSAGE_ROOM: usize = 700;

/// Returns the result of a call that was performed.
pub(super) fn done(action: &Action, note: Option<&str>, scene: &Scene<'_>, geometry: &Geometry) -> String {
    let mut line = Line::ok();
    match action {
        Action::Click(click) => {
            line.member("clicked_at", place(geometry, &[click.at]));
            if !click.is_plain() {
                line.member("count", click.count);
                line.member("modifiers", names(&click.modifiers));
            }
        }
        Action::Drag(path) => line.member("dragged", place(geometry, path.points())),
        Action::Move(at) => line.member("moved_to", place(geometry, &[*at])),
        Action::MouseDown(button, at) => held(&mut line, "button_down", button.name(), at.as_slice(), geometry),
        Action::MouseUp(button, at) => held(&mut line, "button_up", button.name(), at.as_slice(), geometry),
        Action::Hold(Holding { what, seconds, at }) => {
            held(&mut line, "held", &what.to_string(), at.as_slice(), geometry);
            line.member("seconds", *seconds);
        }
        Action::Scroll { dy, dx, .. } => {
            let (direction, amount) = if *dy == 0 && *dx != 0 { across(*dx) } else { along(*dy) };
            line.member("scrolled", direction);
            line.member("amount", amount);
            if *dy != 0 && *dx != 0 {
                let (direction, amount) = across(*dx);
                line.member("sideways", format!("{direction} {amount}"));
            }
        }
        Action::Type(Typing { text, at, replace }) => {
            line.member("typed", text.chars().count());
            if at.is_some() {
                line.member("clicked_at", place(geometry, at.as_slice()));
                line.member("replaced", *replace);
            }
        }
        Action::Press(keys) => {
            line.member("pressed", keys.names());
            if keys.count() > 1 {
                line.member("count", keys.count());
            }
        }
        Action::WriteClipboard(text) => line.member("written", text.chars().count()),
        // Either nothing was read, and the note says why, or only the record contains the place.
        Action::ReadClipboard | Action::Windows | Action::Focus(_) | Action::Ask(_) | Action::Aimed(..) => {}
        Action::Watch(seconds) => line.member("watched", *seconds),
        Action::Zoom(from, to) => line.member("enlarged", place(geometry, &[*from, *to])),
        Action::Open(program) => line.member("opened", fitted(program, NAME_ROOM)),
        Action::Wait(seconds) => line.member("waited", *seconds),
        Action::Screenshot | Action::Observe => {
            line.member("file", fitted(scene.picture, NAME_ROOM));
            line.member("screen_width", scene.screen.0);
            line.member("screen_height", scene.screen.1);
        }
    }
    if let Some(note) = note {
        line.member("note", fitted(note, NAME_ROOM));
    }
    line.end()
}

/// Describes what is held down, and where.
fn held(line: &mut Line, member: &str, what: &str, at: &[Point], geometry: &Geometry) {
    line.member(member, what);
    if !at.is_empty() {
        line.member("position", place(geometry, at));
    }
}

fn names(modifiers: &[Modifier]) -> String {
    let names: Vec<&str> = modifiers.iter().map(|modifier| modifier.name()).collect();
    names.join("+")
}

/// Returns the coordinates of these points as an array, in the model's numbers.
fn place(geometry: &Geometry, points: &[Point]) -> Value {
    let number = |number: String| serde_json::from_str(&number).unwrap_or(Value::Null);
    points
        .iter()
        .flat_map(|point| geometry.pair(*point))
        .map(number)
        .collect()
}

/// Returns the result of a call that read text, with that text verbatim.
pub(super) fn read(text: &str, note: Option<&str>) -> String {
    let mut line = Line::ok();
    line.member("text", text);
    if let Some(note) = note {
        line.member("note", fitted(note, NAME_ROOM));
    }
    line.end()
}

/// Returns the result of a question, with the person's words verbatim.
pub(super) fn answered(words: &str) -> String {
    let mut line = Line::ok();
    line.member("the person answered", words);
    line.end()
}

/// Returns the result of a call that did nothing on the screen.
pub(super) fn noted(note: &str) -> String {
    let mut line = Line::ok();
    line.member("note", note);
    line.end()
}

/// Returns the result of a call that was not performed.
pub(super) fn failed(kind: &str, message: &str) -> String {
    let (kind, message) = (Value::from(kind), Value::from(fitted(message, MESSAGE_ROOM)));
    format!(r#"{{"ok":false,"error":{{"type":{kind},"message":{message}}}}}"#)
}

fn along(dy: i32) -> (&'static str, u32) {
    (if dy < 0 { "up" } else { "down" }, dy.unsigned_abs())
}

fn across(dx: i32) -> (&'static str, u32) {
    (if dx < 0 { "left" } else { "right" }, dx.unsigned_abs())
}

/// A JSON object under construction, whose members keep their order.
struct Line(String);

impl Line {
    fn ok() -> Line {
        Line(r#"{"ok":true"#.to_owned())
    }

    fn member(&mut self, name: &str, value: impl Into<Value>) {
        // Writing into a string cannot fail.
        let _ = write!(self.0, r#","{name}":{}"#, value.into());
    }

    fn end(mut self) -> String {
        self.0.push('}');
        self.0
    }
}

/// Returns the text, cut off where its JSON would exceed the room.
fn fitted(text: &str, room: usize) -> String {
    let mut left = room;
    let end = text.char_indices().find_map(|(at, c)| {
        let width = width(c);
        let fits = width <= left;
        left = left.saturating_sub(width);
        (!fits).then_some(at)
    });
    match end.and_then(|end| text.get(..end)) {
        Some(begin) => format!("{begin}\u{2026}"),
        None => text.to_owned(),
    }
}

/// Returns how many characters this character takes up in JSON.
fn width(c: char) -> usize {
    match c {
        '"' | '\\' => 2,
        c if c < ' ' => 6,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_by_their_length_as_json() {
        assert_eq!(fitted("abc", 3), "abc");
        assert_eq!(fitted("abcd", 3), "abc\u{2026}");
        assert_eq!(fitted("\"\"", 3), "\"\u{2026}");
        assert_eq!(fitted("\u{e9}\n", 6), "\u{e9}\u{2026}");
        let line = failed("t", &"\u{1}\"\u{e9}".repeat(1000));
        assert!(line.chars().count() < 1000, "{line}");
    }

    #[test]
    fn a_scroll_in_two_directions_is_reported_with_both() {
        let scene = Scene {
            picture: "",
            screen: (1, 1),
        };
        let geometry = Geometry {
            space: crate::Space::Unknown,
            axes: crate::Axes::Xy,
            picture: None,
            screen: None,
        };
        let result = |dy, dx| done(&Action::Scroll { dy, dx, at: None }, None, &scene, &geometry);
        assert_eq!(
            result(3, -5),
            r#"{"ok":true,"scrolled":"down","amount":3,"sideways":"left 5"}"#
        );
        assert_eq!(result(0, 2), r#"{"ok":true,"scrolled":"right","amount":2}"#);
    }
}
