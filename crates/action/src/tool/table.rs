//! The table of tools. To add a tool, add its verb, then an entry here at the same position.

use super::{Default, Offered, Param, ParamKind, Tool};
use crate::verb::Verb;

const fn required(name: &'static str, kind: ParamKind) -> Param {
    with_default(name, kind, Default::Required)
}

const fn with_default(name: &'static str, kind: ParamKind, default: Default) -> Param {
    Param {
        name,
        kind,
        default,
        offered: Offered::Always,
    }
}

impl Param {
    const fn offered(self, offered: Offered) -> Param {
        Param { offered, ..self }
    }

    const fn only_read(self) -> Param {
        self.offered(Offered::Never)
    }
}

const X: Param = required("x", ParamKind::Coordinate);
const Y: Param = required("y", ParamKind::Coordinate);
const X_OR_NONE: Param = with_default("x", ParamKind::Coordinate, Default::None);
const Y_OR_NONE: Param = with_default("y", ParamKind::Coordinate, Default::None);
const COUNT: Param = with_default("count", ParamKind::Count, Default::One);
const MODIFIERS: Param = with_default("modifiers", ParamKind::Modifiers, Default::None);
const BUTTON: Param = with_default("button", ParamKind::Button, Default::Left);

const fn tool(verb: Verb, name: &'static str, params: &'static [Param], doc: &'static str) -> Tool {
    Tool {
        verb,
        name,
        params,
        doc,
        more: None,
    }
}

impl Tool {
    const fn more(self, offered: Offered, doc: &'static str) -> Tool {
        Tool {
            more: Some((offered, doc)),
            ..self
        }
    }
}

/// The table of tools, in the order of [`Verb`].
pub static TOOLS: [Tool; 24] = [
    tool(
        Verb::LeftClick,
        "left_click",
        &[X, Y, COUNT.offered(Offered::KEYS), MODIFIERS.offered(Offered::KEYS)],
        "click the left mouse button at (x,y)",
    )
    .more(Offered::KEYS, ", count times, holding modifiers such as \"ctrl+shift\""),
    tool(
        Verb::RightClick,
        "right_click",
        &[X, Y, COUNT.only_read(), MODIFIERS.only_read()],
        "click the right mouse button at (x,y)",
    ),
    tool(
        Verb::MiddleClick,
        "middle_click",
        &[X, Y, COUNT.only_read(), MODIFIERS.only_read()],
        "click the middle mouse button at (x,y)",
    ),
    tool(
        Verb::DoubleLeftClick,
        "double_left_click",
        &[X, Y, MODIFIERS.only_read()],
        "double-click the left mouse button at (x,y)",
    ),
    tool(
        Verb::TripleClick,
        "triple_click",
        &[X, Y, MODIFIERS.only_read()],
        "click the left mouse button three times at (x,y)",
    ),
    tool(
        Verb::Drag,
        "drag",
        &[
            required("x1", ParamKind::Coordinate),
            required("y1", ParamKind::Coordinate),
            required("x2", ParamKind::Coordinate),
            required("y2", ParamKind::Coordinate),
            with_default("points", ParamKind::Points, Default::None).offered(Offered::PATH),
        ],
        "drag in a straight line from (x1,y1) to (x2,y2)",
    )
    .more(Offered::PATH, "; or, with only points=[[x, y], ...], along all of them"),
    tool(
        Verb::Move,
        "move",
        &[X, Y],
        "move the pointer to (x,y) without clicking",
    ),
    tool(
        Verb::MouseDown,
        "mouse_down",
        &[X_OR_NONE, Y_OR_NONE, BUTTON],
        "press a mouse button at (x,y) or at the pointer, and keep it down until mouse_up or the end of your reply",
    ),
    tool(
        Verb::MouseUp,
        "mouse_up",
        &[X_OR_NONE, Y_OR_NONE, BUTTON],
        "release the mouse button at (x,y) or at the pointer",
    ),
    tool(
        Verb::Scroll,
        "scroll",
        &[
            required("dy", ParamKind::Notches),
            X_OR_NONE,
            Y_OR_NONE,
            with_default("dx", ParamKind::Notches, Default::Zero),
        ],
        "scroll by wheel notches at (x,y) or at the pointer; down and right are positive",
    ),
    tool(
        Verb::Type,
        "type",
        &[
            required("text", ParamKind::Text),
            X_OR_NONE.offered(Offered::PLACE),
            Y_OR_NONE.offered(Offered::PLACE),
            with_default("replace", ParamKind::Flag, Default::False).offered(Offered::PLACE),
            with_default("enter", ParamKind::Flag, Default::False).offered(Offered::KEYS),
        ],
        "type text at the last click position",
    )
    .more(
        Offered::PLACE,
        ", or first click at (x,y); replace overwrites everything there, enter presses Enter at the end",
    ),
    tool(
        Verb::Press,
        "press",
        &[required("keys", ParamKind::Keys), COUNT],
        "press a key or chord, such as \"enter\" or \"ctrl+s\", or several: \"ctrl+a delete\"",
    ),
    tool(
        Verb::Hold,
        "hold",
        &[
            required("what", ParamKind::Held),
            required("seconds", ParamKind::Seconds),
            X_OR_NONE,
            Y_OR_NONE,
        ],
        "hold a key, a chord or \"left button\" down at the pointer or at (x,y), for up to 30 seconds",
    ),
    tool(
        Verb::ReadClipboard,
        "read_clipboard",
        &[],
        "read the text on the clipboard; the next feedback contains it",
    ),
    tool(
        Verb::WriteClipboard,
        "write_clipboard",
        &[required("text", ParamKind::Text)],
        "put text on the clipboard, ready to paste",
    ),
    tool(
        Verb::Wait,
        "wait",
        &[required("seconds", ParamKind::Seconds)],
        "wait for up to 30 seconds",
    ),
    tool(Verb::Screenshot, "screenshot", &[], "take a fresh screenshot"),
    tool(Verb::Observe, "observe", &[], "look at the screen without acting"),
    tool(
        Verb::Watch,
        "watch",
        &[required("seconds", ParamKind::Seconds)],
        "watch the screen for up to 30 seconds; you see the moments at which it changed",
    ),
    tool(
        Verb::Zoom,
        "zoom",
        &[
            required("x1", ParamKind::Coordinate),
            required("y1", ParamKind::Coordinate),
            required("x2", ParamKind::Coordinate),
            required("y2", ParamKind::Coordinate),
        ],
        "next time, also see the part from (x1,y1) to (x2,y2) enlarged",
    ),
    tool(
        Verb::Windows,
        "windows",
        &[],
        "list the windows: number, title, position, and which one is in front",
    ),
    tool(
        Verb::Focus,
        "focus",
        &[required("window", ParamKind::Text)],
        "bring a window to the front, by its number or a part of its title",
    ),
    tool(
        Verb::Open,
        "open",
        &[required("program", ParamKind::Text)],
        "start a program by its name",
    ),
    tool(
        Verb::Ask,
        "ask",
        &[required("question", ParamKind::Text)],
        "ask the person who gave the task, and wait for the answer",
    ),
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
