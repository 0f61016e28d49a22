//! Defines each action's name, parameters and one-line documentation in one place, for prompts, errors and schemas.

mod table;

use std::fmt;

use crate::verb::Verb;
pub use table::TOOLS;

/// The kind of value that a parameter accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamKind {
    /// A coordinate in 0..=1000.
    Coordinate,
    /// Two or more points, each a pair of numbers.
    Points,
    /// A number of wheel notches.
    Notches,
    /// A number of times, at least 1.
    Count,
    /// A number of seconds.
    Seconds,
    /// Any text.
    Text,
    /// Keys and chords by name.
    Keys,
    /// The names of keys to hold during the action.
    Modifiers,
    /// A key, a chord or a button to hold.
    Held,
    /// A mouse button by name.
    Button,
    /// Yes or no.
    Flag,
}

/// The value of a parameter that a call omits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Default {
    /// No default: the call must pass a value.
    Required,
    /// `None`
    None,
    /// `0`
    Zero,
    /// `1`
    One,
    /// `False`
    False,
    /// `"left"`
    Left,
}

impl Default {
    /// Returns the default as signatures write it.
    fn written(self) -> &'static str {
        match self {
            Default::Required => "",
            Default::None => "=None",
            Default::Zero => "=0",
            Default::One => "=1",
            Default::False => "=False",
            Default::Left => "=\"left\"",
        }
    }
}

/// When a model is told about a parameter. FRANZ accepts every parameter, whether or not the model is told about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offered {
    /// Wherever the tool is offered.
    Always,
    /// Only where this verb is switched on as well: a model that may not press keys is offered only the plain calls.
    With(Verb),
    /// Like [`Offered::With`], but only where calls give positions as numbers.
    Placed(Verb),
    /// Only where the model is given a list of elements.
    Elements,
    /// Never: it exists to match a parameter of another tool.
    Never,
}

impl Offered {
    /// Parameters that press keys along the way.
    pub const KEYS: Offered = Offered::With(Verb::Press);
    /// Parameters that click at a position first.
    pub const PLACE: Offered = Offered::Placed(Verb::Press);
    /// Paths with more than two points. They suit models that may hold something down; a reply with a single action can
    /// draw a path in no other way.
    pub const PATH: Offered = Offered::With(Verb::Hold);
}

/// One parameter of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Param {
    /// The name used for keyword arguments.
    pub name: &'static str,
    /// The kind of value that the parameter takes.
    pub kind: ParamKind,
    /// The value if a call omits the parameter.
    pub default: Default,
    /// When a model is told about the parameter.
    pub offered: Offered,
}

impl Param {
    /// Returns the name as it stands for a value in a call.
    fn in_a_call(&self) -> String {
        match self.kind {
            ParamKind::Text | ParamKind::Keys | ParamKind::Modifiers | ParamKind::Held | ParamKind::Button => {
                format!("\"{}\"", self.name)
            }
            _ => self.name.to_owned(),
        }
    }
}

/// One callable action.
#[derive(Debug, PartialEq, Eq)]
pub struct Tool {
    /// The verb that a call stands for.
    pub verb: Verb,
    /// The canonical name.
    pub name: &'static str,
    /// The parameters, in the order of positional arguments. Those that are always offered come first.
    pub params: &'static [Param],
    /// One neutral line that is true on any screen.
    pub doc: &'static str,
    /// The continuation of the documentation, and where the model sees it: wherever the last parameters are offered.
    pub more: Option<(Offered, &'static str)>,
}

impl Verb {
    /// Returns the tool for this verb.
    pub fn tool(self) -> &'static Tool {
        &TOOLS[self as usize]
    }
}

impl Tool {
    /// Returns the tool with this name; `click` is an alias of `left_click`.
    pub fn named(name: &str) -> Option<&'static Tool> {
        let name = if name == "click" { "left_click" } else { name };
        TOOLS.iter().find(|tool| tool.name == name)
    }

    /// Returns where a model is told how to write more than the plain call.
    pub(crate) fn beyond_plain(&self) -> Offered {
        self.more.map_or(Offered::KEYS, |(offered, _)| offered)
    }

    /// Returns the shortest call: the name, with the parameters that no call can omit. Those that take text are in quotes.
    pub fn shortest_call(&self) -> String {
        let needed = self.params.iter().filter(|param| param.default == Default::Required);
        let needed: Vec<String> = needed.map(Param::in_a_call).collect();
        format!("{}({})", self.name, needed.join(", "))
    }

    /// Returns the signature with these parameters, followed by the documentation.
    pub fn listed<'a>(&self, params: impl IntoIterator<Item = &'a Param>, doc: &str) -> String {
        let params = params.into_iter();
        let params: Vec<String> = params
            .map(|param| format!("{}{}", param.name, param.default.written()))
            .collect();
        format!("{}({}) -- {doc}", self.name, params.join(", "))
    }
}

/// Writes the signature and the documentation: `move(x, y) -- move the pointer ...`.
impl fmt::Display for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.listed(self.params, self.doc))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_read_like_python() {
        assert_eq!(
            Tool::named("scroll").unwrap().to_string(),
            "scroll(dy, x=None, y=None, dx=0) -- scroll by wheel notches at (x,y) or at the pointer; down and right are positive"
        );
        for (name, call) in [
            ("drag", "drag(x1, y1, x2, y2)"),
            ("scroll", "scroll(dy)"),
            ("hold", "hold(\"what\", seconds)"),
            ("windows", "windows()"),
        ] {
            assert_eq!(Tool::named(name).unwrap().shortest_call(), call);
        }
        assert_eq!(Tool::named("click").unwrap().name, "left_click");
        assert_eq!(Tool::named("clik"), None);
    }

    #[test]
    fn what_is_always_offered_comes_first() {
        let rank = |param: &Param| match param.offered {
            Offered::Always => 0,
            Offered::With(_) | Offered::Placed(_) | Offered::Elements => 1,
            Offered::Never => 2,
        };
        for tool in &TOOLS {
            assert!(tool.params.is_sorted_by_key(rank), "{}", tool.name);
            let needed = tool.params.iter().filter(|param| param.default == Default::Required);
            assert!(needed.into_iter().all(|param| rank(param) == 0), "{}", tool.name);
        }
    }
}
