//! The table of functions that models call, and the tool behind each.

use franz_action::{Tool, ToolSet, Verb};

/// One function on the wire.
#[derive(Debug)]
pub(super) struct Function {
    pub(super) name: &'static str,
    /// What a call means; the tool's documentation is also the function's.
    verb: Verb,
    pub(super) params: &'static [Property],
    /// Example arguments, shown to a model that wrote wrong ones.
    pub(super) example: &'static str,
}

/// One parameter of a function.
#[derive(Debug)]
pub(super) struct Property {
    pub(super) name: &'static str,
    pub(super) kind: PropertyKind,
    pub(super) required: bool,
}

/// What a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PropertyKind {
    /// The model's name for the thing it acts on.
    Label,
    /// A point or a box.
    Place,
    /// Any text.
    Text,
    /// A key or chord by name.
    Key,
    /// One of [`DIRECTIONS`].
    Direction,
    /// Wheel notches.
    Amount,
    /// A coordinate in 0..=1000.
    Coordinate,
    /// A number of seconds.
    Seconds,
}

impl PropertyKind {
    /// Checks whether the value is always a string, whatever it looks like.
    pub(super) fn is_words(self) -> bool {
        matches!(
            self,
            PropertyKind::Label | PropertyKind::Text | PropertyKind::Key | PropertyKind::Direction
        )
    }
}

/// The directions for scrolling.
pub(super) const DIRECTIONS: [&str; 4] = ["up", "down", "left", "right"];

const fn required(name: &'static str, kind: PropertyKind) -> Property {
    let required = true;
    Property { name, kind, required }
}

const fn optional(name: &'static str, kind: PropertyKind) -> Property {
    let required = false;
    Property { name, kind, required }
}

const BOX: Property = required("box", PropertyKind::Place);

/// The functions, in the order in which a model reads about them.
pub(super) static FUNCTIONS: [Function; 12] = [
    Function {
        name: "observe_screen",
        verb: Verb::Observe,
        params: &[],
        example: "{}",
    },
    Function {
        name: "click_element",
        verb: Verb::LeftClick,
        params: &[required("label", PropertyKind::Label), BOX],
        example: r#"{"label":"OK button","box":[500,300]}"#,
    },
    Function {
        name: "type_text",
        verb: Verb::Type,
        params: &[required("text", PropertyKind::Text)],
        example: r#"{"text":"hello"}"#,
    },
    Function {
        name: "press_key",
        verb: Verb::Press,
        params: &[required("key", PropertyKind::Key)],
        example: r#"{"key":"ctrl+s"}"#,
    },
    Function {
        name: "scroll_at_position",
        verb: Verb::Scroll,
        params: &[
            optional("box", PropertyKind::Place),
            optional("direction", PropertyKind::Direction),
            optional("amount", PropertyKind::Amount),
        ],
        example: r#"{"box":[500,500],"direction":"down","amount":3}"#,
    },
    Function {
        name: "double_click",
        verb: Verb::DoubleLeftClick,
        params: &[BOX, optional("label", PropertyKind::Label)],
        example: r#"{"box":[500,300]}"#,
    },
    Function {
        name: "right_click",
        verb: Verb::RightClick,
        params: &[BOX, optional("label", PropertyKind::Label)],
        example: r#"{"box":[500,300]}"#,
    },
    Function {
        name: "drag",
        verb: Verb::Drag,
        params: &[
            required("x1", PropertyKind::Coordinate),
            required("y1", PropertyKind::Coordinate),
            required("x2", PropertyKind::Coordinate),
            required("y2", PropertyKind::Coordinate),
        ],
        example: r#"{"x1":200,"y1":300,"x2":600,"y2":300}"#,
    },
    Function {
        name: "move",
        verb: Verb::Move,
        params: &[BOX],
        example: r#"{"box":[500,300]}"#,
    },
    Function {
        name: "read_clipboard",
        verb: Verb::ReadClipboard,
        params: &[],
        example: "{}",
    },
    Function {
        name: "write_clipboard",
        verb: Verb::WriteClipboard,
        params: &[required("text", PropertyKind::Text)],
        example: r#"{"text":"hello"}"#,
    },
    Function {
        name: "wait",
        verb: Verb::Wait,
        params: &[required("seconds", PropertyKind::Seconds)],
        example: r#"{"seconds":2}"#,
    },
];

impl Function {
    /// Returns the function with this name, switched on or not.
    pub(super) fn named(name: &str) -> Option<&'static Function> {
        FUNCTIONS.iter().find(|function| function.name == name)
    }

    /// Iterates over the functions whose tools are switched on.
    pub(super) fn enabled(tools: &ToolSet) -> impl Iterator<Item = &'static Function> {
        FUNCTIONS.iter().filter(|function| tools.contains(function.tool()))
    }

    /// Returns the tool behind the function.
    pub(super) fn tool(&self) -> &'static Tool {
        self.verb.tool()
    }

    /// Returns the parameter with this name.
    pub(super) fn param(&self, name: &str) -> Option<&'static Property> {
        self.params.iter().find(|param| param.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_has_a_tool_of_its_own() {
        let mut tools: Vec<_> = FUNCTIONS.iter().map(|function| function.tool().name).collect();
        tools.sort_unstable();
        tools.dedup();
        assert_eq!(tools.len(), FUNCTIONS.len());
    }
}
