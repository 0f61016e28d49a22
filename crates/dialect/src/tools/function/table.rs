//! The table of functions.

use franz_action::Verb;
use franz_action::tool::Offered;

use super::{Function, Property, PropertyKind, Purpose};

const fn required(name: &'static str, kind: PropertyKind) -> Property {
    let (required, offered) = (true, Offered::Always);
    Property {
        name,
        kind,
        required,
        offered,
    }
}

const fn optional(name: &'static str, kind: PropertyKind) -> Property {
    extra(name, kind, Offered::Always)
}

const fn extra(name: &'static str, kind: PropertyKind, offered: Offered) -> Property {
    let required = false;
    Property {
        name,
        kind,
        required,
        offered,
    }
}

const BOX: Property = required("box", PropertyKind::Place);
const TEXT: Property = required("text", PropertyKind::Text);
const COUNT: Property = extra("count", PropertyKind::Count, Offered::KEYS);
const MODIFIERS: Property = extra("modifiers", PropertyKind::Modifiers, Offered::KEYS);
const ANYWHERE: Property = optional("box", PropertyKind::Place);
const BUTTON: Property = optional("button", PropertyKind::Button);

const fn function(name: &'static str, purpose: Purpose, doc: &'static str, params: &'static [Property]) -> Function {
    Function {
        name,
        purpose,
        doc,
        params,
        others: &[],
    }
}

/// The functions, in the order in which models read about them.
pub(in crate::tools) static FUNCTIONS: [Function; 23] = [
    function(
        "observe_screen",
        Purpose::Look,
        "look or wait",
        &[optional("seconds", PropertyKind::Seconds)],
    ),
    function(
        "click_element",
        Purpose::Click,
        "",
        &[
            extra("element", PropertyKind::Element, Offered::Elements),
            required("label", PropertyKind::Label),
            BOX,
            optional("kind", PropertyKind::Click),
            COUNT,
            MODIFIERS,
        ],
    ),
    function(
        "type_text",
        Purpose::Act(Verb::Type),
        "at the cursor or box",
        &[
            TEXT,
            extra("box", PropertyKind::Place, Offered::PLACE),
            extra("replace", PropertyKind::Flag, Offered::PLACE),
            extra("enter", PropertyKind::Flag, Offered::KEYS),
        ],
    ),
    function(
        "press_key",
        Purpose::Act(Verb::Press),
        "",
        &[required("key", PropertyKind::Key), COUNT],
    ),
    function(
        "scroll_at_position",
        Purpose::Act(Verb::Scroll),
        "",
        &[
            ANYWHERE,
            optional("direction", PropertyKind::Direction),
            optional("amount", PropertyKind::Amount),
        ],
    ),
    Function {
        name: "drag",
        purpose: Purpose::Act(Verb::Drag),
        doc: "",
        params: &[
            required("from", PropertyKind::Place),
            required("to", PropertyKind::Place),
            extra("via", PropertyKind::Points, Offered::PATH),
        ],
        others: &[
            &[required("points", PropertyKind::Points)],
            &[required("path", PropertyKind::Points)],
            &[
                required("x1", PropertyKind::Coordinate),
                required("y1", PropertyKind::Coordinate),
                required("x2", PropertyKind::Coordinate),
                required("y2", PropertyKind::Coordinate),
            ],
        ],
    },
    function("mouse_down", Purpose::Act(Verb::MouseDown), "", &[ANYWHERE, BUTTON]),
    function("mouse_up", Purpose::Act(Verb::MouseUp), "", &[ANYWHERE, BUTTON]),
    function(
        "hold",
        Purpose::Act(Verb::Hold),
        "",
        &[
            required("what", PropertyKind::Held),
            required("seconds", PropertyKind::Seconds),
            ANYWHERE,
        ],
    ),
    function(
        "watch",
        Purpose::Act(Verb::Watch),
        "see what changes",
        &[required("seconds", PropertyKind::Seconds)],
    ),
    Function {
        name: "zoom",
        purpose: Purpose::Act(Verb::Zoom),
        doc: "enlarge a part",
        params: &[
            required("from", PropertyKind::Place),
            required("to", PropertyKind::Place),
        ],
        others: &[&[
            required("x1", PropertyKind::Coordinate),
            required("y1", PropertyKind::Coordinate),
            required("x2", PropertyKind::Coordinate),
            required("y2", PropertyKind::Coordinate),
        ]],
    },
    function("windows", Purpose::Act(Verb::Windows), "", &[]),
    function(
        "focus",
        Purpose::Act(Verb::Focus),
        "number or title",
        &[required("window", PropertyKind::Text)],
    ),
    function(
        "open",
        Purpose::Act(Verb::Open),
        "start a program",
        &[required("program", PropertyKind::Text)],
    ),
    function(
        "clipboard",
        Purpose::Clipboard,
        "write or read it",
        &[optional("text", PropertyKind::Text)],
    ),
    function("read_clipboard", Purpose::Act(Verb::ReadClipboard), "", &[]),
    function("write_clipboard", Purpose::Act(Verb::WriteClipboard), "", &[TEXT]),
    function(
        "wait",
        Purpose::Act(Verb::Wait),
        "",
        &[required("seconds", PropertyKind::Seconds)],
    ),
    function(
        "finish",
        Purpose::Finish,
        "",
        &[
            required("answer", PropertyKind::Answer),
            optional("success", PropertyKind::Flag),
        ],
    ),
    function(
        "ask",
        Purpose::Act(Verb::Ask),
        "",
        &[required("question", PropertyKind::Text)],
    ),
    function(
        "double_click",
        Purpose::Act(Verb::DoubleLeftClick),
        "",
        &[BOX, optional("label", PropertyKind::Label)],
    ),
    function(
        "right_click",
        Purpose::Act(Verb::RightClick),
        "",
        &[BOX, optional("label", PropertyKind::Label)],
    ),
    function("move", Purpose::Act(Verb::Move), "", &[BOX]),
];
