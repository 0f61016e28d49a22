//! The action set, and its canonical text form: a call that any protocol could have written.

use std::fmt;
use std::str::FromStr;

use crate::call::{self, CallError};
use crate::keys::Chord;
use crate::point::Point;
use crate::tool::Tool;
use crate::verb::Verb;

/// One thing to do on a screen.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// `left_click(x, y)`
    LeftClick(Point),
    /// `right_click(x, y)`
    RightClick(Point),
    /// `middle_click(x, y)`
    MiddleClick(Point),
    /// `double_left_click(x, y)`
    DoubleLeftClick(Point),
    /// `triple_click(x, y)`
    TripleClick(Point),
    /// `drag(x1, y1, x2, y2)`
    Drag(Point, Point),
    /// `move(x, y)`
    Move(Point),
    /// `scroll(dy, x=None, y=None, dx=0)`, in wheel notches: `dy > 0` is down, `dx > 0` is right.
    Scroll {
        /// Notches down (negative: up).
        dy: i32,
        /// Notches to the right (negative: left).
        dx: i32,
        /// Where; `None` is wherever the pointer stands.
        at: Option<Point>,
    },
    /// `type("text")`
    Type(String),
    /// `press("ctrl+shift+t")`
    Press(Chord),
    /// `read_clipboard()`
    ReadClipboard,
    /// `write_clipboard("text")`
    WriteClipboard(String),
    /// `wait(seconds)`, in `0.0..=30.0`
    Wait(f64),
    /// `screenshot()`
    Screenshot,
    /// `observe()`
    Observe,
}

impl Action {
    /// The tool this action is a call of.
    pub fn tool(&self) -> &'static Tool {
        self.verb().tool()
    }

    fn verb(&self) -> Verb {
        match self {
            Action::LeftClick(_) => Verb::LeftClick,
            Action::RightClick(_) => Verb::RightClick,
            Action::MiddleClick(_) => Verb::MiddleClick,
            Action::DoubleLeftClick(_) => Verb::DoubleLeftClick,
            Action::TripleClick(_) => Verb::TripleClick,
            Action::Drag(..) => Verb::Drag,
            Action::Move(_) => Verb::Move,
            Action::Scroll { .. } => Verb::Scroll,
            Action::Type(_) => Verb::Type,
            Action::Press(_) => Verb::Press,
            Action::ReadClipboard => Verb::ReadClipboard,
            Action::WriteClipboard(_) => Verb::WriteClipboard,
            Action::Wait(_) => Verb::Wait,
            Action::Screenshot => Verb::Screenshot,
            Action::Observe => Verb::Observe,
        }
    }

    /// Where the pointer stands after this action, when the action moves it.
    pub fn pointer(&self) -> Option<Point> {
        match self {
            Action::LeftClick(at)
            | Action::RightClick(at)
            | Action::MiddleClick(at)
            | Action::DoubleLeftClick(at)
            | Action::TripleClick(at)
            | Action::Drag(_, at)
            | Action::Move(at) => Some(*at),
            Action::Scroll { at, .. } => *at,
            Action::Type(_)
            | Action::Press(_)
            | Action::ReadClipboard
            | Action::WriteClipboard(_)
            | Action::Wait(_)
            | Action::Screenshot
            | Action::Observe => None,
        }
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.tool().name;
        match self {
            Action::LeftClick(at)
            | Action::RightClick(at)
            | Action::MiddleClick(at)
            | Action::DoubleLeftClick(at)
            | Action::TripleClick(at)
            | Action::Move(at) => write!(f, "{name}({at})"),
            Action::Drag(from, to) => write!(f, "{name}({from}, {to})"),
            Action::Scroll { dy, dx, at } => {
                write!(f, "{name}({dy}")?;
                if let Some(at) = at {
                    write!(f, ", {at}")?;
                }
                if *dx != 0 {
                    write!(f, ", dx={dx}")?;
                }
                f.write_str(")")
            }
            Action::Type(text) | Action::WriteClipboard(text) => write!(f, "{name}({})", quoted(text)),
            Action::Press(chord) => write!(f, "{name}({})", quoted(&chord.to_string())),
            Action::Wait(seconds) => write!(f, "{name}({seconds})"),
            Action::ReadClipboard | Action::Screenshot | Action::Observe => write!(f, "{name}()"),
        }
    }
}

/// A string as a JSON string literal, which is a Python literal as well.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

impl FromStr for Action {
    type Err = CallError;

    /// Reads the canonical text form back, and any other call with literal arguments.
    fn from_str(text: &str) -> Result<Action, CallError> {
        call::read(text).map(|bound| bound.action)
    }
}
