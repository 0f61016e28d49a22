//! The functions that models call, and the tool behind each; `table` lists them.

mod table;

use franz_action::tool::Offered;
use franz_action::{Button, ToolSet, Verb};

use crate::geometry::Geometry;
pub(super) use table::FUNCTIONS;

/// A function as models see it.
#[derive(Debug)]
pub(super) struct Function {
    pub(super) name: &'static str,
    pub(super) purpose: Purpose,
    /// The description for models, which is empty if the name and parameters say enough.
    doc: &'static str,
    /// The parameters offered to a model.
    params: &'static [Property],
    /// Lists of parameters that calls can use in place of the offered ones.
    others: &'static [&'static [Property]],
}

/// What a call means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// An action.
    Act(Verb),
    /// One of [`CLICKS`].
    Click,
    /// Looking, after a wait if the call says how long.
    Look,
    /// Writing text to the clipboard, or reading the clipboard if there is no text.
    Clipboard,
    /// The end of the work.
    Finish,
}

/// One parameter of a function.
#[derive(Debug)]
pub(super) struct Property {
    pub(super) name: &'static str,
    pub(super) kind: PropertyKind,
    pub(super) required: bool,
    offered: Offered,
}

/// The kind of value that a parameter accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PropertyKind {
    /// The model's name for the thing that the call acts on.
    Label,
    /// The number of an element in the model's list.
    Element,
    /// A point or a box.
    Place,
    /// One of [`CLICKS`] by name.
    Click,
    /// Any text.
    Text,
    /// A key or chord by name.
    Key,
    /// One of [`DIRECTIONS`].
    Direction,
    /// Wheel notches.
    Amount,
    /// One number of a place.
    Coordinate,
    /// A number of seconds.
    Seconds,
    /// The final answer.
    Answer,
    /// Yes or no.
    Flag,
    /// A number of times.
    Count,
    /// Keys to hold down during the action.
    Modifiers,
    /// A mouse button.
    Button,
    /// A key, a chord or a button to hold.
    Held,
    /// Points of a path, either all of them or those between its ends.
    Points,
}

impl PropertyKind {
    /// Checks whether the value is always a string, whatever it looks like.
    pub(super) fn is_words(self) -> bool {
        matches!(
            self,
            PropertyKind::Label
                | PropertyKind::Click
                | PropertyKind::Text
                | PropertyKind::Key
                | PropertyKind::Direction
                | PropertyKind::Answer
                | PropertyKind::Button
                | PropertyKind::Held
        )
    }
}

/// The directions for scrolling.
pub(super) const DIRECTIONS: [&str; 4] = ["up", "down", "left", "right"];
/// What a call can do at a place. The first is the default.
pub(super) const CLICKS: [(&str, Verb); 8] = [
    ("left", Verb::LeftClick),
    ("double", Verb::DoubleLeftClick),
    ("right", Verb::RightClick),
    ("middle", Verb::MiddleClick),
    ("triple", Verb::TripleClick),
    ("hover", Verb::Move),
    ("down", Verb::MouseDown),
    ("up", Verb::MouseUp),
];

impl Function {
    /// Returns the function with this name, whether it is switched on or not.
    pub(super) fn named(name: &str) -> Option<&'static Function> {
        FUNCTIONS.iter().find(|function| function.name == name)
    }

    /// Iterates over the functions to offer. These are as few as possible for the tools that are switched on, because
    /// each function takes up some of the model's attention.
    pub(super) fn offered(tools: &ToolSet) -> impl Iterator<Item = &'static Function> {
        let on = |verb: Verb| tools.contains(verb.tool());
        FUNCTIONS.iter().filter(move |function| match function.purpose {
            Purpose::Act(Verb::DoubleLeftClick | Verb::RightClick | Verb::Move | Verb::MouseDown | Verb::MouseUp) => {
                false
            }
            Purpose::Act(Verb::ReadClipboard | Verb::WriteClipboard) => {
                function.is_on(tools) && !(on(Verb::ReadClipboard) && on(Verb::WriteClipboard))
            }
            Purpose::Act(Verb::Wait) => function.is_on(tools) && !on(Verb::Observe),
            _ => function.is_on(tools),
        })
    }

    /// Checks whether a call of this function can have any effect.
    pub(super) fn is_on(&self, tools: &ToolSet) -> bool {
        let on = |verb: Verb| tools.contains(verb.tool());
        match self.purpose {
            Purpose::Act(verb) => on(verb),
            Purpose::Click => clicks(tools).next().is_some(),
            Purpose::Look => on(Verb::Observe),
            Purpose::Clipboard => on(Verb::ReadClipboard) && on(Verb::WriteClipboard),
            Purpose::Finish => true,
        }
    }

    /// Returns the description for models.
    pub(super) fn doc(&self, tools: &ToolSet) -> &'static str {
        match self.purpose {
            Purpose::Look if !tools.has(Verb::Wait) => "look again",
            Purpose::Act(Verb::Type) if !tools.tells(Offered::PLACE) => "type where the cursor is",
            _ => self.doc,
        }
    }

    /// Checks whether the function performs an action. Ending the work is not an action.
    pub(super) fn acts(&self) -> bool {
        self.purpose != Purpose::Finish
    }

    /// Iterates over the parameters to offer. Leaves out those that need something that is switched off.
    pub(super) fn params<'a>(&self, tools: &'a ToolSet) -> impl Iterator<Item = &'static Property> + use<'a> {
        let (params, look) = (self.params, self.purpose == Purpose::Look);
        let chooses = clicks(tools).any(|(_, verb)| verb != Verb::LeftClick);
        let waits = tools.contains(Verb::Wait.tool());
        let takes_target = self.takes_target(tools);
        params.iter().filter(move |param| match param.kind {
            PropertyKind::Place if takes_target => false,
            PropertyKind::Click => chooses,
            PropertyKind::Seconds => waits || !look,
            _ => tools.tells(param.offered),
        })
    }

    /// Checks whether a call must fill this parameter.
    pub(super) fn needs(&self, param: &Property, tools: &ToolSet) -> bool {
        let is_left_out = matches!(param.kind, PropertyKind::Label | PropertyKind::Place) && self.takes_element(tools);
        !is_left_out && (param.required || param.kind == PropertyKind::Label && self.takes_target(tools))
    }

    /// Checks whether calls can give an element's number instead of any other place.
    pub(super) fn takes_element(&self, tools: &ToolSet) -> bool {
        let has_number = self.params.iter().any(|param| param.kind == PropertyKind::Element);
        has_number && tools.tells(Offered::Elements)
    }

    /// Checks whether calls name a target instead of giving a place.
    pub(super) fn takes_target(&self, tools: &ToolSet) -> bool {
        let verb = match self.purpose {
            Purpose::Act(verb) => verb,
            Purpose::Click => Verb::LeftClick,
            Purpose::Look | Purpose::Clipboard | Purpose::Finish => return false,
        };
        let has_label = self.params.iter().any(|param| param.kind == PropertyKind::Label);
        has_label && tools.takes_target(verb.tool())
    }

    /// Returns the parameter with this name, whether it is offered or only read.
    pub(super) fn param(&self, name: &str) -> Option<&'static Property> {
        let mut params = self.params.iter().chain(self.others.iter().copied().flatten());
        params.find(|param| param.name == name)
    }

    /// Returns the list of parameters that fits a call with these arguments.
    pub(super) fn filled<'a>(&self, given: impl Iterator<Item = &'a str>) -> &'static [Property] {
        let given: Vec<&str> = given.collect();
        let mut others = self.others.iter().copied();
        let other = others.find(|params| params.iter().any(|param| given.contains(&param.name)));
        other.unwrap_or(self.params)
    }

    /// Writes the function as a call in the text, with a word in place of each value, followed by its description.
    pub(super) fn line(&self, tools: &ToolSet, geometry: &Geometry) -> String {
        let members: Vec<String> = self
            .params(tools)
            .map(|param| {
                let value = match param.kind {
                    PropertyKind::Place => geometry.place_names().to_owned(),
                    PropertyKind::Click => {
                        let names: Vec<&str> = clicks(tools).map(|(name, _)| name).collect();
                        format!("\"<{}>\"", names.join(" or "))
                    }
                    PropertyKind::Direction => format!("\"<{}>\"", DIRECTIONS.join(" or ")),
                    PropertyKind::Points => format!("[{}, ...]", geometry.place_names()),
                    _ => param.placeholder().to_owned(),
                };
                format!("\"{}\": {value}", param.name)
            })
            .collect();
        let (name, members) = (self.name, members.join(", "));
        let does = match self.doc(tools) {
            "" => String::new(),
            doc => format!(" -- {doc}"),
        };
        format!("{{\"name\": \"{name}\", \"parameters\": {{{members}}}}}{does}")
    }

    /// Returns arguments with a word in place of each value, which show what to write but contain nothing to copy.
    pub(super) fn shape(&self, tools: &ToolSet) -> String {
        let says = |param: &&Property| param.kind == PropertyKind::Element || self.needs(param, tools);
        let params = self.params(tools).filter(says);
        let members: Vec<String> = params
            .map(|param| format!("\"{}\":{}", param.name, param.placeholder()))
            .collect();
        format!("{{{}}}", members.join(","))
    }
}

impl Property {
    /// Returns the placeholder for a value in such arguments. A call with a placeholder is never accepted.
    pub(super) fn placeholder(&self) -> &'static str {
        match self.kind {
            PropertyKind::Place => "[<number>, <number>]",
            PropertyKind::Element => "<its number>",
            PropertyKind::Label => "\"<what is there>\"",
            PropertyKind::Text => "\"<the text>\"",
            PropertyKind::Key => "\"<the key>\"",
            PropertyKind::Answer => "\"<what you did and found>\"",
            PropertyKind::Click | PropertyKind::Direction => "\"<which>\"",
            PropertyKind::Amount => "<wheel notches>",
            PropertyKind::Seconds => "<seconds>",
            PropertyKind::Coordinate => "<number>",
            PropertyKind::Flag => "<true or false>",
            PropertyKind::Count => "<how often>",
            PropertyKind::Modifiers => "\"<keys>\"",
            PropertyKind::Button => "\"<left or middle or right>\"",
            PropertyKind::Held => "\"<key or left button>\"",
            PropertyKind::Points => "[<points between>]",
        }
    }
}

/// Returns the names of the buttons.
pub(super) fn buttons() -> [&'static str; 3] {
    Button::ALL.map(Button::name)
}

/// Iterates over the clicks that are switched on.
pub(super) fn clicks(tools: &ToolSet) -> impl Iterator<Item = (&'static str, Verb)> {
    CLICKS.into_iter().filter(|(_, verb)| tools.contains(verb.tool()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_enabled_tool_is_offered_once() {
        for tools in [ToolSet::all(), ToolSet::of([])] {
            for tool in &franz_action::tool::TOOLS {
                let tools = if tools == ToolSet::all() {
                    tools.clone()
                } else {
                    ToolSet::of([tool.name])
                };
                let offers: Vec<&Function> = Function::offered(&tools).collect();
                let does = offers.iter().filter(|function| function.can(tool.verb)).count();
                // A new picture follows every call anyway.
                let wanted = usize::from(tool.verb != Verb::Screenshot);
                assert_eq!(does, wanted, "{}", tool.name);
            }
        }
    }

    impl Function {
        fn can(&self, verb: Verb) -> bool {
            match self.purpose {
                Purpose::Act(own) => own == verb,
                Purpose::Click => CLICKS.iter().any(|(_, click)| *click == verb),
                Purpose::Look => matches!(verb, Verb::Observe | Verb::Wait),
                Purpose::Clipboard => matches!(verb, Verb::ReadClipboard | Verb::WriteClipboard),
                Purpose::Finish => false,
            }
        }
    }
}
