//! The canonical text of an action: a call that any protocol could have written. Journals store it.

mod literal;

use std::fmt;
use std::str::FromStr;

use serde_json::Value;

use crate::action::Action;
use crate::aimed_at::AimedAt;
use crate::button::Button;
use crate::click::Click;
use crate::holding::Holding;
use crate::keys::{Keys, Modifier};
use crate::path::Path;
use crate::point::Point;
use crate::tool::Tool;
use crate::typing::Typing;
use crate::verb::Verb;
use literal::{Arguments, quoted};

/// A call under construction.
struct Call(Vec<String>);

impl Call {
    fn new(arguments: impl IntoIterator<Item = String>) -> Call {
        Call(arguments.into_iter().collect())
    }

    fn named(mut self, name: &str, value: Option<String>) -> Call {
        self.0.extend(value.map(|value| format!("{name}={value}")));
        self
    }
}

impl Action {
    /// Returns the canonical text, with each point written by `place`.
    pub fn call(&self, place: impl Fn(&Point) -> String) -> String {
        let optional = |at: &Option<Point>| at.as_ref().map(&place);
        let side = |button: &Button| (*button != Button::Left).then(|| quoted(button.name()));
        let call = match self {
            Action::Click(click) => Call::new([place(&click.at)])
                .named("count", (!click.is_counted_by_verb()).then(|| click.count.to_string()))
                .named("modifiers", held(&click.modifiers)),
            Action::Drag(path) => {
                if let Some((from, to)) = path.ends() {
                    Call::new([place(&from), place(&to)])
                } else {
                    let points: Vec<String> = path.points().iter().map(|at| format!("[{}]", place(at))).collect();
                    Call::new([format!("points=[{}]", points.join(", "))])
                }
            }
            Action::Move(at) => Call::new([place(at)]),
            Action::MouseDown(button, at) | Action::MouseUp(button, at) => {
                Call::new(optional(at)).named("button", side(button))
            }
            Action::Scroll { dy, dx, at } => {
                let call = Call::new([dy.to_string()].into_iter().chain(optional(at)));
                call.named("dx", (*dx != 0).then(|| dx.to_string()))
            }
            Action::Type(Typing { text, at, replace }) => {
                let call = Call::new([quoted(text)].into_iter().chain(optional(at)));
                call.named("replace", replace.then(|| "True".to_owned()))
            }
            Action::Press(keys) => {
                let count = keys.count();
                Call::new([quoted(&keys.names())]).named("count", (count != 1).then(|| count.to_string()))
            }
            Action::Hold(Holding { what, seconds, at }) => {
                let call = [quoted(&what.to_string()), seconds.to_string()];
                Call::new(call.into_iter().chain(optional(at)))
            }
            Action::WriteClipboard(text) | Action::Focus(text) | Action::Open(text) | Action::Ask(text) => {
                Call::new([quoted(text)])
            }
            Action::Wait(seconds) | Action::Watch(seconds) => Call::new([seconds.to_string()]),
            Action::Zoom(from, to) => Call::new([place(from), place(to)]),
            Action::ReadClipboard | Action::Screenshot | Action::Observe | Action::Windows => Call::new([]),
            Action::Aimed(_, AimedAt::Named(target)) => Call::new([format!("target={}", quoted(target))]),
            Action::Aimed(_, AimedAt::Element(number)) => Call::new([format!("element={number}")]),
        };
        format!("{}({})", self.tool().name, call.0.join(", "))
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.call(Point::to_string))
    }
}

/// Returns the modifiers as a string literal, or `None` if there are none.
fn held(modifiers: &[Modifier]) -> Option<String> {
    let names: Vec<&str> = modifiers.iter().map(|modifier| modifier.name()).collect();
    (!names.is_empty()).then(|| quoted(&names.join("+")))
}

/// The error for text that is not the canonical text of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not the text of an action")]
pub struct NotAnAction;

impl FromStr for Action {
    type Err = NotAnAction;

    /// Parses canonical text, as stored in journals. Dialects parse the text that models write.
    fn from_str(text: &str) -> Result<Action, NotAnAction> {
        read(text).ok_or(NotAnAction)
    }
}

fn read(text: &str) -> Option<Action> {
    let (name, arguments) = text.strip_suffix(')')?.split_once('(')?;
    let verb = Tool::named(name)?.verb;
    let mut args = Arguments::of(arguments)?;
    let mut named = |name| args.named(name).filter(|_| verb.aims());
    let action = match (named("target"), named("element")) {
        (None, None) => action(verb, &mut args)?,
        (Some(target), None) => Action::Aimed(verb, AimedAt::Named(target.as_str()?.to_owned())),
        (None, Some(number)) => Action::Aimed(verb, AimedAt::Element(u32::try_from(number.as_u64()?).ok()?)),
        (Some(_), Some(_)) => return None,
    };
    args.is_empty().then_some(action)
}

fn action(verb: Verb, args: &mut Arguments) -> Option<Action> {
    Some(match verb {
        Verb::LeftClick | Verb::RightClick | Verb::MiddleClick | Verb::DoubleLeftClick | Verb::TripleClick => {
            let plain = Click::of(verb, args.place()?)?;
            let modifiers = match args.named("modifiers") {
                Some(names) => Modifier::list(names.as_str()?).ok()?,
                None => Vec::new(),
            };
            Action::Click(Click {
                count: counted(args, plain.count)?,
                modifiers,
                ..plain
            })
        }
        Verb::Drag => Action::Drag(match args.named("points") {
            Some(points) => Path::along(points.as_array()?.iter().map(point).collect::<Option<_>>()?)?,
            None => Path::line(args.place()?, args.place()?),
        }),
        Verb::Move => Action::Move(args.place()?),
        Verb::MouseDown => {
            let at = args.place_if_any()?;
            Action::MouseDown(button(args)?, at)
        }
        Verb::MouseUp => {
            let at = args.place_if_any()?;
            Action::MouseUp(button(args)?, at)
        }
        Verb::Scroll => Action::Scroll {
            dy: whole(&args.next()?)?,
            at: args.place_if_any()?,
            dx: args.named("dx").map_or(Some(0), |dx| whole(&dx))?,
        },
        Verb::Type => Action::Type(Typing {
            text: args.text()?,
            at: args.place_if_any()?,
            replace: args.named("replace").map_or(Some(false), |replace| replace.as_bool())?,
        }),
        Verb::Press => {
            let keys: Keys = args.text()?.parse().ok()?;
            let count = counted(args, 1)?;
            Action::Press(keys.times(count))
        }
        Verb::Hold => Action::Hold(Holding {
            what: args.text()?.parse().ok()?,
            seconds: args.next()?.as_f64()?,
            at: args.place_if_any()?,
        }),
        Verb::WriteClipboard => Action::WriteClipboard(args.text()?),
        Verb::Wait => Action::Wait(args.next()?.as_f64()?),
        Verb::ReadClipboard => Action::ReadClipboard,
        Verb::Screenshot => Action::Screenshot,
        Verb::Observe => Action::Observe,
        Verb::Watch => Action::Watch(args.next()?.as_f64()?),
        Verb::Zoom => Action::Zoom(args.place()?, args.place()?),
        Verb::Windows => Action::Windows,
        Verb::Focus => Action::Focus(args.text()?),
        Verb::Open => Action::Open(args.text()?),
        Verb::Ask => Action::Ask(args.text()?),
    })
}

fn counted(args: &mut Arguments, usual: u32) -> Option<u32> {
    let count = args.named("count").map(|count| count.as_u64());
    let count = count.map_or(Some(usual), |count| u32::try_from(count?).ok())?;
    (count > 0).then_some(count)
}

fn button(args: &mut Arguments) -> Option<Button> {
    args.named("button")
        .map_or(Some(Button::Left), |name| Button::named(name.as_str()?))
}

fn whole(value: &Value) -> Option<i32> {
    i32::try_from(value.as_i64()?).ok()
}

fn point(value: &Value) -> Option<Point> {
    match &value.as_array()?[..] {
        [x, y] => Point::on_screen(x.as_f64()?, y.as_f64()?),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn canonical_text_reads_back() {
        for text in [
            "left_click(300, 400)",
            "left_click(299.6, 0.02)",
            "left_click(1, 2, count=4)",
            "left_click(1, 2, count=4, modifiers=\"ctrl+shift\")",
            "double_left_click(1, 2, modifiers=\"alt\")",
            "right_click(1, 2, count=2)",
            "drag(1, 2, 1000, 0)",
            "drag(points=[[1, 2], [3.5, 4], [5, 6]])",
            "mouse_down()",
            "mouse_down(1, 2)",
            "mouse_up(1, 2, button=\"right\")",
            "scroll(-3)",
            "scroll(3, 500, 500)",
            "scroll(0, 1, 2, dx=-5)",
            "type(\"it's (1, 2)\\n\\\"\u{e9}\")",
            "type(\"a, b]\", 1, 2)",
            "type(\"\", 1, 2, replace=True)",
            "press(\"ctrl+shift+t\")",
            "press(\"ctrl+a delete\", count=3)",
            "hold(\"left button\", 1.5, 1, 2)",
            "hold(\"ctrl+shift\", 2)",
            "write_clipboard(\"\")",
            "wait(0.1)",
            "observe()",
            "watch(2.5)",
            "zoom(1, 2, 300.5, 400)",
            "windows()",
            "focus(\"Inbox, \\\"Mail\\\"\")",
            "open(\"xterm\")",
            "left_click(target=\"the \\\"Save\\\" button (1, 2)\")",
            "double_left_click(element=12)",
        ] {
            let action: Action = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(action.to_string(), text);
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
            "left_click(1, 2, count=0)",
            "left_click(1, 2, count=-1)",
            "left_click(1, 2, modifiers=\"hyper\")",
            "left_click(1, 2) ",
            "left_click(1, 2,)",
            "drag(points=[[1, 2]])",
            "drag(points=[[1, 2], [3]])",
            "drag(1, 2, 3, 4, points=[[1, 2], [3, 4]])",
            "mouse_up(1)",
            "type('a')",
            "type(a)",
            "type(\"a\", 1)",
            "type(\"a\", replace=1)",
            "press(\"nokey\")",
            "hold(\"w\")",
            "wait(nan)",
            "observe(1)",
            "drag(target=\"a\")",
            "drag(element=1)",
            "left_click(element=\"1\")",
            "left_click(element=-1)",
            "left_click(1, 2, element=1)",
            "left_click(target=a)",
            "jump(1, 2)",
        ] {
            assert_eq!(text.parse::<Action>(), Err(NotAnAction), "{text}");
        }
    }
}
