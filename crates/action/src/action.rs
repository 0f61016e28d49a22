//! The set of actions and their canonical text: a call that any protocol could have written.

use std::fmt;
use std::str::FromStr;

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
        /// Notches down; negative is up.
        dy: i32,
        /// Notches to the right; negative is left.
        dx: i32,
        /// Where to scroll; `None` is at the pointer.
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
    /// `left_click(target="the Save button")`: one of the verbs that act at one place, on a thing that is named and has yet
    /// to be found.
    Aimed(Verb, String),
}

impl Action {
    /// Checks whether this leaves the screen as it is: it only looks, or waits.
    pub fn only_looks(&self) -> bool {
        matches!(self, Action::Screenshot | Action::Observe | Action::Wait(_))
    }

    /// Returns the tool that this action calls.
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
            Action::Aimed(verb, _) => *verb,
        }
    }

    /// Returns the action of this verb at these places; `None` if it takes more than places, or not so many.
    pub fn at(verb: Verb, places: &[Point]) -> Option<Action> {
        Some(match (verb, places) {
            (Verb::LeftClick, [at]) => Action::LeftClick(*at),
            (Verb::RightClick, [at]) => Action::RightClick(*at),
            (Verb::MiddleClick, [at]) => Action::MiddleClick(*at),
            (Verb::DoubleLeftClick, [at]) => Action::DoubleLeftClick(*at),
            (Verb::TripleClick, [at]) => Action::TripleClick(*at),
            (Verb::Move, [at]) => Action::Move(*at),
            (Verb::Drag, [from, to]) => Action::Drag(*from, *to),
            _ => return None,
        })
    }

    /// Returns the places that must be as the model saw them: where it clicks, and where it drags from and to.
    pub fn places(&self) -> Vec<Point> {
        match self {
            Action::LeftClick(at)
            | Action::RightClick(at)
            | Action::MiddleClick(at)
            | Action::DoubleLeftClick(at)
            | Action::TripleClick(at) => vec![*at],
            Action::Drag(from, to) => vec![*from, *to],
            Action::Move(_)
            | Action::Scroll { .. }
            | Action::Type(_)
            | Action::Press(_)
            | Action::ReadClipboard
            | Action::WriteClipboard(_)
            | Action::Wait(_)
            | Action::Screenshot
            | Action::Observe
            | Action::Aimed(..) => Vec::new(),
        }
    }

    /// Returns where the pointer is after this action, if the action moves it.
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
            | Action::Observe
            | Action::Aimed(..) => None,
        }
    }
}

impl Action {
    /// Returns the canonical text, with each place written by this function.
    pub fn call(&self, place: impl Fn(&Point) -> String) -> String {
        let name = self.tool().name;
        match self {
            Action::LeftClick(at)
            | Action::RightClick(at)
            | Action::MiddleClick(at)
            | Action::DoubleLeftClick(at)
            | Action::TripleClick(at)
            | Action::Move(at) => format!("{name}({})", place(at)),
            Action::Drag(from, to) => format!("{name}({}, {})", place(from), place(to)),
            Action::Scroll { dy, dx, at } => {
                let at = at.as_ref().map_or_else(String::new, |at| format!(", {}", place(at)));
                let sideways = if *dx == 0 { String::new() } else { format!(", dx={dx}") };
                format!("{name}({dy}{at}{sideways})")
            }
            Action::Type(text) | Action::WriteClipboard(text) => format!("{name}({})", quoted(text)),
            Action::Press(chord) => format!("{name}({})", quoted(&chord.to_string())),
            Action::Wait(seconds) => format!("{name}({seconds})"),
            Action::ReadClipboard | Action::Screenshot | Action::Observe => format!("{name}()"),
            Action::Aimed(_, target) => format!("{name}(target={})", quoted(target)),
        }
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.call(Point::to_string))
    }
}

/// Returns a string as a JSON string literal, which is also a Python literal.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The error for a text that is not an action's canonical text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not the text of an action")]
pub struct NotAnAction;

impl FromStr for Action {
    type Err = NotAnAction;

    /// Reads the canonical text back, as journals keep it. Dialects read what models write.
    fn from_str(text: &str) -> Result<Action, NotAnAction> {
        read(text).ok_or(NotAnAction)
    }
}

fn read(text: &str) -> Option<Action> {
    let (name, args) = text.strip_suffix(')')?.split_once('(')?;
    let text = || serde_json::from_str::<String>(args).ok();
    let verb = Tool::named(name)?.verb;
    if let Some(target) = args.strip_prefix("target=").filter(|_| verb.aims()) {
        return Some(Action::Aimed(verb, serde_json::from_str(target).ok()?));
    }
    Some(match verb {
        Verb::LeftClick
        | Verb::RightClick
        | Verb::MiddleClick
        | Verb::DoubleLeftClick
        | Verb::TripleClick
        | Verb::Move
        | Verb::Drag => {
            let numbers = numbers(args)?;
            let (pairs, rest) = numbers.as_chunks();
            let places: Vec<Point> = pairs.iter().map(|[x, y]| Point::nearest(*x, *y)).collect();
            Action::at(verb, &places).filter(|_| rest.is_empty())?
        }
        Verb::Scroll => scroll(args)?,
        Verb::Type => Action::Type(text()?),
        Verb::Press => Action::Press(text()?.parse().ok()?),
        Verb::WriteClipboard => Action::WriteClipboard(text()?),
        Verb::Wait => Action::Wait(args.parse().ok().filter(|seconds: &f64| seconds.is_finite())?),
        Verb::ReadClipboard if args.is_empty() => Action::ReadClipboard,
        Verb::Screenshot if args.is_empty() => Action::Screenshot,
        Verb::Observe if args.is_empty() => Action::Observe,
        Verb::ReadClipboard | Verb::Screenshot | Verb::Observe => return None,
    })
}

fn numbers(args: &str) -> Option<Vec<f64>> {
    let number = |text: &str| text.trim().parse().ok().filter(|number: &f64| number.is_finite());
    args.split(',').map(number).collect()
}

fn scroll(args: &str) -> Option<Action> {
    let (args, dx) = match args.split_once(", dx=") {
        Some((args, dx)) => (args, dx.parse().ok()?),
        None => (args, 0),
    };
    let (dy, place) = args
        .split_once(", ")
        .map_or((args, None), |(dy, place)| (dy, Some(place)));
    let dy = dy.parse().ok()?;
    let at = match place.map(numbers) {
        None => None,
        Some(place) => match place?[..] {
            [x, y] => Some(Point::nearest(x, y)),
            _ => return None,
        },
    };
    Some(Action::Scroll { dy, dx, at })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn canonical_text_reads_back() {
        for text in [
            "left_click(300, 400)",
            "left_click(299.6, 0.02)",
            "drag(1, 2, 1000, 0)",
            "scroll(-3)",
            "scroll(3, 500, 500)",
            "scroll(0, 1, 2, dx=-5)",
            "type(\"it's (1, 2)\\n\\\"\u{e9}\")",
            "press(\"ctrl+shift+t\")",
            "write_clipboard(\"\")",
            "wait(0.1)",
            "observe()",
            "left_click(target=\"the \\\"Save\\\" button (1, 2)\")",
        ] {
            assert_eq!(text.parse::<Action>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn nothing_else_does() {
        for text in [
            "",
            "left_click",
            "left_click(1)",
            "left_click(1, 2, 3)",
            "left_click(x=1, y=2)",
            "left_click(1, 2) ",
            "type('a')",
            "type(a)",
            "press(\"nokey\")",
            "wait(nan)",
            "observe(1)",
            "drag(target=\"a\")",
            "left_click(target=a)",
            "jump(1, 2)",
        ] {
            assert_eq!(text.parse::<Action>(), Err(NotAnAction), "{text}");
        }
    }
}
