//! `franz`: FRANZ's own names, in the common reader: what counts where a family's dialect found nothing.

use crate::dialect::{Dialect, Notation, Row};
use crate::geometry::Space;
use crate::meaning::{Click, Enter, Means, Wheel};

pub(super) static DIALECT: Dialect = Dialect {
    name: "franz",
    fixed: Some(Space::Thousandths),
    notations: &[Notation::Tags, Notation::Lines, Notation::Objects],
    tools: &[],
    verb_keys: &[],
    batches: &[],
    qualifiers: &[],
    rows: &ROWS,
    boxes: true,
    signs: |_| false,
    wording: None,
};

/// FRANZ's own verbs, each with the names that other programs give it. None of those is offered to a model.
static ROWS: [Row; 30] = [
    Row {
        names: &[
            "left_click",
            "click",
            "click_element",
            "left_single",
            "single_click",
            "click_at",
            "click_mouse",
            "mouse_click",
            "mouse_left_click",
            "tap",
            "computer_click_mouse",
            "browser_mouse_click_xy",
        ],
        means: Means::Click(Click::Left),
    },
    Row {
        names: &["right_click", "right_single", "mouse_right_click"],
        means: Means::Click(Click::Right),
    },
    Row {
        names: &["middle_click"],
        means: Means::Click(Click::Middle),
    },
    Row {
        names: &[
            "double_left_click",
            "double_click",
            "left_double",
            "left_double_click",
            "dblclick",
            "double_tap",
            "mouse_double_click",
        ],
        means: Means::Click(Click::Double),
    },
    Row {
        names: &["triple_click"],
        means: Means::Click(Click::Triple),
    },
    Row {
        names: &[
            "move",
            "mouse_move",
            "move_mouse",
            "move_to",
            "move_cursor",
            "cursor_move",
            "hover",
            "hover_at",
            "computer_move_mouse",
            "browser_mouse_move_xy",
        ],
        means: Means::Move,
    },
    Row {
        names: &[
            "drag",
            "left_click_drag",
            "left_drag",
            "mouse_drag",
            "drag_mouse",
            "drag_and_drop",
            "drag_to",
            "computer_drag_mouse",
            "browser_mouse_drag_xy",
        ],
        means: Means::Drag,
    },
    Row {
        names: &["scroll_at_position"],
        means: Means::Scroll(Wheel::Notches(1)),
    },
    Row {
        names: &[
            "scroll",
            "mouse_scroll",
            "scroll_at",
            "computer_scroll",
            "browser_mouse_wheel",
        ],
        means: Means::Scroll(Wheel::Down),
    },
    Row {
        names: &["scroll_down"],
        means: Means::Scroll(Wheel::Toward("down", Wheel::USUAL)),
    },
    Row {
        names: &["scroll_up"],
        means: Means::Scroll(Wheel::Toward("up", Wheel::USUAL)),
    },
    Row {
        names: &["scroll_left"],
        means: Means::Scroll(Wheel::Toward("left", Wheel::USUAL)),
    },
    Row {
        names: &["scroll_right"],
        means: Means::Scroll(Wheel::Toward("right", Wheel::USUAL)),
    },
    Row {
        names: &[
            "type",
            "type_text",
            "typewrite",
            "write",
            "write_text",
            "input",
            "input_text",
            "enter_text",
            "keyboard_type",
            "computer_type_text",
        ],
        means: Means::Type(Enter::Asked),
    },
    Row {
        names: &[
            "press",
            "press_key",
            "key",
            "key_press",
            "keypress",
            "hotkey",
            "press_hotkey",
            "key_combination",
            "key_combo",
            "combo",
            "shortcut",
            "keyboard_shortcut",
            "keyboard_press",
            "send_keys",
            "browser_press_key",
        ],
        means: Means::Chord,
    },
    Row {
        names: &["wait", "sleep"],
        means: Means::Wait(10),
    },
    Row {
        names: &["wait_5_seconds"],
        means: Means::Wait(50),
    },
    Row {
        names: &[
            "screenshot",
            "observe",
            "observe_screen",
            "take_screenshot",
            "get_screenshot",
            "capture_screenshot",
            "capture_screen",
            "capture",
            "look",
            "browser_take_screenshot",
        ],
        means: Means::Look,
    },
    Row {
        names: &["read_clipboard", "get_clipboard", "clipboard_get"],
        means: Means::ReadClipboard,
    },
    Row {
        names: &["write_clipboard", "set_clipboard", "clipboard_set", "copy_to_clipboard"],
        means: Means::WriteClipboard,
    },
    Row {
        names: &["finish", "finished", "done", "terminate", "task_complete"],
        means: Means::Finish(true),
    },
    Row {
        names: &["ask", "ask_user", "call_user"],
        means: Means::Ask,
    },
    Row {
        names: &["swipe"],
        means: Means::Told("a swipe can be a scroll or a drag; write scroll or drag"),
    },
    Row {
        names: &["long_press", "hold"],
        means: Means::Told("nothing is held down here; click, or drag"),
    },
    Row {
        names: &["mouse_down", "mouse_up", "left_mouse_down", "left_mouse_up"],
        means: Means::Told("a button is not held by itself; write one click or one drag"),
    },
    Row {
        names: &["key_down", "key_up", "hold_key", "release_key"],
        means: Means::Told("a key is not held by itself; press the whole chord, such as \"ctrl+s\""),
    },
    Row {
        names: &["paste", "paste_text", "computer_paste_text"],
        means: Means::Told("it would use the clipboard of the person; type the text"),
    },
    Row {
        names: &["fill", "fill_form", "set_value", "type_text_at"],
        means: Means::Told("it is several actions; click the field, select its text, then type"),
    },
    Row {
        names: &["zoom", "zoom_in", "zoom_out"],
        means: Means::Told("a picture of the whole screen comes with every turn"),
    },
    Row {
        names: &["select_option", "click_element_by_index"],
        means: Means::Told("elements have no numbers here; click the place of the element"),
    },
];

/// Checks whether FRANZ's own prompts use this name.
pub(crate) fn is_own(name: &str) -> bool {
    let functions = [
        "click",
        "click_element",
        "double_click",
        "type_text",
        "press_key",
        "scroll_at_position",
        "observe_screen",
        "finish",
        "ask",
    ];
    franz_action::Tool::named(name).is_some() || functions.contains(&name)
}
