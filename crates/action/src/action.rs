//! The set of actions.

use crate::aimed_at::AimedAt;
use crate::button::Button;
use crate::click::Click;
use crate::holding::{Held, Holding};
use crate::keys::Keys;
use crate::path::Path;
use crate::point::Point;
use crate::tool::Tool;
use crate::typing::Typing;
use crate::verb::Verb;

/// One thing to do on a screen.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// `left_click(x, y, count=1, modifiers=None)`, and the other clicks.
    Click(Click),
    /// `drag(x1, y1, x2, y2)`, or `drag(points=[[x, y], ...])`
    Drag(Path),
    /// `move(x, y)`
    Move(Point),
    /// `mouse_down(x=None, y=None, button="left")`: the button stays down until it is released, or until the end of the
    /// reply.
    MouseDown(Button, Option<Point>),
    /// `mouse_up(x=None, y=None, button="left")`
    MouseUp(Button, Option<Point>),
    /// `scroll(dy, x=None, y=None, dx=0)`, in wheel notches: `dy > 0` is down, `dx > 0` is right.
    Scroll {
        /// Notches down; negative is up.
        dy: i32,
        /// Notches to the right; negative is left.
        dx: i32,
        /// Where to scroll; `None` scrolls at the pointer.
        at: Option<Point>,
    },
    /// `type("text", x=None, y=None, replace=False)`
    Type(Typing),
    /// `press("ctrl+shift+t", count=1)`
    Press(Keys),
    /// `hold("shift", seconds, x=None, y=None)`
    Hold(Holding),
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
    /// `watch(seconds)`, in `0.0..=30.0`
    Watch(f64),
    /// `zoom(x1, y1, x2, y2)`: shows that part enlarged, next to the whole screen.
    Zoom(Point, Point),
    /// `windows()`
    Windows,
    /// `focus("title")`, with a full or partial title or a number from the list of windows
    Focus(String),
    /// `open("program")`
    Open(String),
    /// `ask("question")`: asks the person and reads the answer.
    Ask(String),
    /// `left_click(target="the Save button")` or `left_click(element=12)`: a verb that acts at one point, aimed at
    /// something whose position has yet to be found.
    Aimed(Verb, AimedAt),
}

impl Action {
    /// Returns one click with the left button.
    pub fn left_click(at: Point) -> Action {
        Action::Click(Click::new(Button::Left, 1, at))
    }

    /// Returns one click with the right button.
    pub fn right_click(at: Point) -> Action {
        Action::Click(Click::new(Button::Right, 1, at))
    }

    /// Returns a double click.
    pub fn double_click(at: Point) -> Action {
        Action::Click(Click::new(Button::Left, 2, at))
    }

    /// Returns one click with the middle button.
    pub fn middle_click(at: Point) -> Action {
        Action::Click(Click::new(Button::Middle, 1, at))
    }

    /// Returns three clicks with the left button.
    pub fn triple_click(at: Point) -> Action {
        Action::Click(Click::new(Button::Left, 3, at))
    }

    /// Returns a drag in a straight line.
    pub fn drag(from: Point, to: Point) -> Action {
        Action::Drag(Path::line(from, to))
    }

    /// Returns the action that types `text` at the text cursor.
    pub fn typing(text: impl Into<String>) -> Action {
        Action::Type(Typing::of(text))
    }

    /// Checks whether this action only looks or waits, leaving the screen unchanged.
    pub fn only_looks(&self) -> bool {
        matches!(
            self,
            Action::Screenshot
                | Action::Observe
                | Action::Wait(_)
                | Action::Watch(_)
                | Action::Zoom(..)
                | Action::Windows
                | Action::Ask(_)
        )
    }

    /// Returns the tool for this action.
    pub fn tool(&self) -> &'static Tool {
        self.verb().tool()
    }

    /// Returns the verb that best describes the action.
    pub fn verb(&self) -> Verb {
        match self {
            Action::Click(click) => click.verb(),
            Action::Drag(_) => Verb::Drag,
            Action::Move(_) => Verb::Move,
            Action::MouseDown(..) => Verb::MouseDown,
            Action::MouseUp(..) => Verb::MouseUp,
            Action::Scroll { .. } => Verb::Scroll,
            Action::Type(_) => Verb::Type,
            Action::Press(_) => Verb::Press,
            Action::Hold(_) => Verb::Hold,
            Action::ReadClipboard => Verb::ReadClipboard,
            Action::WriteClipboard(_) => Verb::WriteClipboard,
            Action::Wait(_) => Verb::Wait,
            Action::Screenshot => Verb::Screenshot,
            Action::Observe => Verb::Observe,
            Action::Watch(_) => Verb::Watch,
            Action::Zoom(..) => Verb::Zoom,
            Action::Windows => Verb::Windows,
            Action::Focus(_) => Verb::Focus,
            Action::Open(_) => Verb::Open,
            Action::Ask(_) => Verb::Ask,
            Action::Aimed(verb, _) => *verb,
        }
    }

    /// Returns the verbs for everything the action does: its own verb first, then those for anything it clicks or
    /// presses along the way. A verb that is switched off is therefore not performed as part of another action either.
    pub fn verbs(&self) -> Vec<Verb> {
        let mut verbs = vec![self.verb()];
        match self {
            Action::Click(click) if !click.modifiers.is_empty() => verbs.push(Verb::Press),
            Action::Type(Typing { at, replace, .. }) => {
                verbs.extend(at.map(|_| Verb::LeftClick));
                verbs.extend(replace.then_some(Verb::Press));
            }
            Action::MouseDown(button, _) => verbs.push(button.click()),
            Action::Hold(Holding { what, .. }) => verbs.push(match what {
                Held::Button(button) => button.click(),
                Held::Keys(_) => Verb::Press,
            }),
            _ => {}
        }
        verbs
    }

    /// Checks whether the simplest call of its tool fully describes the action: one click without keys, a straight
    /// drag, or text at the text cursor.
    pub fn is_plain(&self) -> bool {
        match self {
            Action::Click(click) => click.is_plain(),
            Action::Drag(path) => path.ends().is_some(),
            Action::Type(typing) => typing.is_plain(),
            _ => true,
        }
    }

    /// Returns the action that this verb performs at these points; `None` if the verb needs other arguments or a
    /// different number of points.
    pub fn at(verb: Verb, places: &[Point]) -> Option<Action> {
        match (verb, places) {
            (Verb::Move, [at]) => Some(Action::Move(*at)),
            (Verb::MouseDown, [at]) => Some(Action::MouseDown(Button::Left, Some(*at))),
            (Verb::MouseUp, [at]) => Some(Action::MouseUp(Button::Left, Some(*at))),
            (Verb::Drag, [from, to]) => Some(Action::drag(*from, *to)),
            (verb, [at]) => Click::of(verb, *at).map(Action::Click),
            _ => None,
        }
    }

    /// Returns the action moved to another point, if it acts at one.
    #[must_use]
    pub fn placed(mut self, place: Point) -> Action {
        match &mut self {
            Action::Click(click) => click.at = place,
            Action::Move(at) => *at = place,
            Action::MouseDown(_, at)
            | Action::MouseUp(_, at)
            | Action::Scroll { at, .. }
            | Action::Type(Typing { at, .. })
            | Action::Hold(Holding { at, .. }) => *at = Some(place),
            _ => {}
        }
        self
    }

    /// Returns the points that must still look the way the model saw them: where the action clicks, presses a button or
    /// drags.
    pub fn targets(&self) -> &[Point] {
        match self {
            Action::Move(_) | Action::Scroll { .. } => &[],
            _ => self.places(),
        }
    }

    /// Returns the points at which the action takes place, in order.
    pub fn places(&self) -> &[Point] {
        match self {
            Action::Click(click) => std::slice::from_ref(&click.at),
            Action::Drag(path) => path.points(),
            Action::Move(at) => std::slice::from_ref(at),
            Action::MouseDown(_, at)
            | Action::MouseUp(_, at)
            | Action::Scroll { at, .. }
            | Action::Type(Typing { at, .. })
            | Action::Hold(Holding { at, .. }) => at.as_slice(),
            Action::Press(_)
            | Action::ReadClipboard
            | Action::WriteClipboard(_)
            | Action::Wait(_)
            | Action::Screenshot
            | Action::Observe
            | Action::Watch(_)
            | Action::Zoom(..)
            | Action::Windows
            | Action::Focus(_)
            | Action::Open(_)
            | Action::Ask(_)
            | Action::Aimed(..) => &[],
        }
    }

    /// Returns the pointer's position after this action, if the action moves it.
    pub fn pointer(&self) -> Option<Point> {
        self.places().last().copied()
    }
}
