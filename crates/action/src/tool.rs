//! The tools: each action's name, parameters and one-line documentation, defined once for prompts, errors and schemas.

use std::fmt;

use crate::action::Action;
use crate::verb::Verb;

/// What a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamKind {
    /// A coordinate in 0..=1000.
    Coordinate,
    /// A number of wheel notches.
    Notches,
    /// A number of seconds.
    Seconds,
    /// Any text.
    Text,
    /// A key or chord by name.
    Keys,
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
}

/// One parameter of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Param {
    /// The name, as keyword arguments write it.
    pub name: &'static str,
    /// What the parameter takes.
    pub kind: ParamKind,
    /// The value if a call omits it.
    pub default: Default,
}

const fn required(name: &'static str, kind: ParamKind) -> Param {
    Param {
        name,
        kind,
        default: Default::Required,
    }
}

const X: Param = required("x", ParamKind::Coordinate);
const Y: Param = required("y", ParamKind::Coordinate);

/// One callable action.
#[derive(Debug, PartialEq, Eq)]
pub struct Tool {
    /// What a call means.
    pub verb: Verb,
    /// The canonical name.
    pub name: &'static str,
    /// The parameters, in the order of positional arguments.
    pub params: &'static [Param],
    /// One neutral line, true on any screen.
    pub doc: &'static str,
}

/// The table of tools, in the order of [`Verb`].
pub static TOOLS: [Tool; 15] = [
    Tool {
        verb: Verb::LeftClick,
        name: "left_click",
        params: &[X, Y],
        doc: "click the left mouse button at (x,y)",
    },
    Tool {
        verb: Verb::RightClick,
        name: "right_click",
        params: &[X, Y],
        doc: "click the right mouse button at (x,y)",
    },
    Tool {
        verb: Verb::MiddleClick,
        name: "middle_click",
        params: &[X, Y],
        doc: "click the middle mouse button at (x,y)",
    },
    Tool {
        verb: Verb::DoubleLeftClick,
        name: "double_left_click",
        params: &[X, Y],
        doc: "double-click the left mouse button at (x,y)",
    },
    Tool {
        verb: Verb::TripleClick,
        name: "triple_click",
        params: &[X, Y],
        doc: "click the left mouse button three times at (x,y)",
    },
    Tool {
        verb: Verb::Drag,
        name: "drag",
        params: &[
            required("x1", ParamKind::Coordinate),
            required("y1", ParamKind::Coordinate),
            required("x2", ParamKind::Coordinate),
            required("y2", ParamKind::Coordinate),
        ],
        doc: "drag in a straight line from (x1,y1) to (x2,y2)",
    },
    Tool {
        verb: Verb::Move,
        name: "move",
        params: &[X, Y],
        doc: "move the pointer to (x,y) without clicking",
    },
    Tool {
        verb: Verb::Scroll,
        name: "scroll",
        params: &[
            required("dy", ParamKind::Notches),
            Param {
                name: "x",
                kind: ParamKind::Coordinate,
                default: Default::None,
            },
            Param {
                name: "y",
                kind: ParamKind::Coordinate,
                default: Default::None,
            },
            Param {
                name: "dx",
                kind: ParamKind::Notches,
                default: Default::Zero,
            },
        ],
        doc: "scroll by wheel notches at (x,y) or at the pointer; down and right are positive",
    },
    Tool {
        verb: Verb::Type,
        name: "type",
        params: &[required("text", ParamKind::Text)],
        doc: "type text at the last click position",
    },
    Tool {
        verb: Verb::Press,
        name: "press",
        params: &[required("keys", ParamKind::Keys)],
        doc: "press a key or chord, such as \"enter\" or \"ctrl+s\"",
    },
    Tool {
        verb: Verb::ReadClipboard,
        name: "read_clipboard",
        params: &[],
        doc: "read the text on the clipboard; the next feedback contains it",
    },
    Tool {
        verb: Verb::WriteClipboard,
        name: "write_clipboard",
        params: &[required("text", ParamKind::Text)],
        doc: "put text on the clipboard, ready to paste",
    },
    Tool {
        verb: Verb::Wait,
        name: "wait",
        params: &[required("seconds", ParamKind::Seconds)],
        doc: "wait for up to 30 seconds",
    },
    Tool {
        verb: Verb::Screenshot,
        name: "screenshot",
        params: &[],
        doc: "take a fresh screenshot",
    },
    Tool {
        verb: Verb::Observe,
        name: "observe",
        params: &[],
        doc: "look at the screen without acting",
    },
];

const _: () = {
    let mut index = 0;
    while index < TOOLS.len() {
        assert!(
            TOOLS[index].verb as usize == index,
            "the tools must be in the order of the verbs"
        );
        index += 1;
    }
};

impl Tool {
    /// Returns the tool with this name; `click` is an alias of `left_click`.
    pub fn named(name: &str) -> Option<&'static Tool> {
        let name = if name == "click" { "left_click" } else { name };
        TOOLS.iter().find(|tool| tool.name == name)
    }
}

/// Writes the signature and the documentation: `drag(x1, y1, x2, y2) -- drag in a straight line ...`.
impl fmt::Display for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.listed(self.params))
    }
}

impl Tool {
    /// Returns the signature with these parameters, and the documentation.
    pub fn listed<'a>(&self, params: impl IntoIterator<Item = &'a Param>) -> String {
        let params = params.into_iter().map(|param| {
            let default = match param.default {
                Default::Required => "",
                Default::None => "=None",
                Default::Zero => "=0",
            };
            format!("{}{default}", param.name)
        });
        let params: Vec<String> = params.collect();
        format!("{}({}) -- {}", self.name, params.join(", "), self.doc)
    }
}

/// The tools a profile has switched on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolSet {
    enabled: [bool; TOOLS.len()],
    targets: bool,
}

impl ToolSet {
    /// Returns the set of all tools.
    pub fn all() -> ToolSet {
        ToolSet {
            enabled: [true; TOOLS.len()],
            targets: false,
        }
    }

    /// Returns the set of tools with these names, ignoring unknown names.
    pub fn of<'a>(names: impl IntoIterator<Item = &'a str>) -> ToolSet {
        let mut set = ToolSet {
            enabled: [false; TOOLS.len()],
            targets: false,
        };
        for tool in names.into_iter().filter_map(Tool::named) {
            set.enabled[tool.verb as usize] = true;
        }
        set
    }

    /// Returns the set whose calls may name a target instead of a place, because somebody finds it.
    #[must_use]
    pub fn with_targets(self) -> ToolSet {
        ToolSet { targets: true, ..self }
    }

    /// Checks whether calls of this tool may name a target instead of a place.
    pub fn takes_target(&self, tool: &Tool) -> bool {
        self.targets && tool.verb.aims()
    }

    /// Checks whether this tool may be called.
    pub fn contains(&self, tool: &Tool) -> bool {
        self.enabled[tool.verb as usize]
    }

    /// Checks whether an action may be performed: its tool is enabled, or it only looks, or it is the move to where a
    /// drag begins.
    pub fn permits(&self, action: &Action) -> bool {
        let leads_to_a_drag = matches!(action, Action::Move(_)) && self.enabled[Verb::Drag as usize];
        leads_to_a_drag || action.only_looks() || self.contains(action.tool())
    }

    /// Returns the enabled tool with this name or alias.
    pub fn get(&self, name: &str) -> Option<&'static Tool> {
        Tool::named(name).filter(|tool| self.contains(tool))
    }

    /// Returns the enabled tools, sorted by name.
    pub fn sorted(&self) -> Vec<&'static Tool> {
        let mut tools: Vec<_> = TOOLS.iter().filter(|tool| self.contains(tool)).collect();
        tools.sort_unstable_by_key(|tool| tool.name);
        tools
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::point::Point;

    #[test]
    fn looking_is_always_permitted_and_moving_needs_a_tool_that_moves() {
        let at = Point::clamped(1, 2);
        for (tools, action, permitted) in [
            (vec![], Action::Wait(1.0), true),
            (vec![], Action::Observe, true),
            (vec![], Action::Move(at), false),
            (vec!["drag"], Action::Move(at), true),
            (vec!["drag"], Action::LeftClick(at), false),
            (vec!["left_click"], Action::LeftClick(at), true),
        ] {
            assert_eq!(ToolSet::of(tools).permits(&action), permitted, "{action}");
        }
    }

    #[test]
    fn signatures_read_like_python() {
        assert_eq!(
            Tool::named("scroll").unwrap().to_string(),
            "scroll(dy, x=None, y=None, dx=0) -- scroll by wheel notches at (x,y) or at the pointer; down and right are positive"
        );
        assert_eq!(Tool::named("click").unwrap().name, "left_click");
        assert_eq!(Tool::named("clik"), None);
    }

    #[test]
    fn a_set_lists_its_tools_by_name() {
        let set = ToolSet::of(["type", "drag", "left_click", "nonsense"]);
        let names: Vec<_> = set.sorted().iter().map(|tool| tool.name).collect();
        assert_eq!(names, ["drag", "left_click", "type"]);
        assert!(set.get("click").is_some());
        assert!(set.get("press").is_none());
    }
}
