//! Defines a stroke: the smallest unit that is either on the canvas or missing.

use franz_action::{Action, Point};

/// One mark of the drawing, in normalised coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stroke {
    /// A straight line.
    Line(Point, Point),
    /// A filled spot made by a click.
    Dot(Point),
    /// Text that begins at a click, so drawing it takes two calls.
    Word(Point, &'static str),
}

impl Stroke {
    /// Returns the calls that draw the stroke, in order.
    pub fn calls(self) -> Vec<Action> {
        match self {
            Stroke::Line(from, to) => vec![Action::drag(from, to)],
            Stroke::Dot(at) => vec![Action::left_click(at)],
            Stroke::Word(at, text) => vec![Action::left_click(at), Action::typing(text.to_owned())],
        }
    }

    /// Returns the names of the tools needed to draw the stroke.
    pub fn tools(self) -> Vec<&'static str> {
        self.calls().iter().map(|call| call.tool().name).collect()
    }
}
