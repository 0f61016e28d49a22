//! `franz`: FRANZ's own names, for the shared reader. They are tried when a family's dialect finds nothing.

use crate::dialect::{Dialect, Notation, Row, row};
use crate::geometry::Space;
use crate::meaning::{ClickKind, Enter, Means, Wheel};

pub(super) static DIALECT: Dialect = Dialect {
    name: "franz",
    fixed: Some(Space::Thousandths),
    notations: &[Notation::Tags, Notation::Lines, Notation::Objects],
    rows: &ROWS,
    signs: |_| false,
    ..Dialect::PLAIN
};

/// FRANZ's own verbs, each with the names that other programs use for it. Those names are never offered to a model.
static ROWS: [Row; 37] = [
    row(
        &[
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
        Means::Click(ClickKind::Left),
    ),
    row(
        &["right_click", "right_single", "mouse_right_click"],
        Means::Click(ClickKind::Right),
    ),
    row(&["middle_click"], Means::Click(ClickKind::Middle)),
    row(
        &[
            "double_left_click",
            "double_click",
            "left_double",
            "left_double_click",
            "dblclick",
            "double_tap",
            "mouse_double_click",
        ],
        Means::Click(ClickKind::Double),
    ),
    row(&["triple_click"], Means::Click(ClickKind::Triple)),
    row(
        &[
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
        Means::Move,
    ),
    row(
        &[
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
        Means::Drag,
    ),
    row(&["scroll_at_position"], Means::Scroll(Wheel::Notches(1))),
    row(
        &[
            "scroll",
            "mouse_scroll",
            "scroll_at",
            "computer_scroll",
            "browser_mouse_wheel",
        ],
        Means::Scroll(Wheel::Down),
    ),
    row(&["scroll_down"], Means::Scroll(Wheel::Toward("down", Wheel::USUAL))),
    row(&["scroll_up"], Means::Scroll(Wheel::Toward("up", Wheel::USUAL))),
    row(&["scroll_left"], Means::Scroll(Wheel::Toward("left", Wheel::USUAL))),
    row(&["scroll_right"], Means::Scroll(Wheel::Toward("right", Wheel::USUAL))),
    row(
        &[
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
        Means::Type(Enter::OrHabit),
    ),
    row(
        &[
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
        Means::Chord,
    ),
    row(&["wait", "sleep"], Means::Wait(10)),
    row(&["wait_5_seconds"], Means::Wait(50)),
    row(
        &[
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
        Means::Look,
    ),
    row(
        &["read_clipboard", "get_clipboard", "clipboard_get"],
        Means::ReadClipboard,
    ),
    row(
        &["write_clipboard", "set_clipboard", "clipboard_set", "copy_to_clipboard"],
        Means::WriteClipboard,
    ),
    row(
        &["finish", "finished", "done", "terminate", "task_complete"],
        Means::Finish(true),
    ),
    row(&["ask", "ask_user", "call_user"], Means::Ask),
    row(
        &["swipe"],
        Means::Told("a swipe can be a scroll or a drag; write scroll or drag"),
    ),
    row(
        &["long_press"],
        Means::Told("say what is held and for how long: hold(\"left button\", 1)"),
    ),
    row(&["mouse_down", "left_mouse_down"], Means::Down),
    row(&["mouse_up", "left_mouse_up"], Means::Up),
    row(&["hold", "hold_key"], Means::Hold),
    row(
        &["key_down", "key_up", "release_key"],
        Means::Told(
            "a key cannot be held on its own; press the whole chord, such as \"ctrl+s\", or hold it for some seconds",
        ),
    ),
    row(
        &["paste", "paste_text", "computer_paste_text"],
        Means::Told("this would use the person's clipboard; type the text instead"),
    ),
    row(
        &["fill", "fill_form", "set_value", "type_text_at"],
        Means::Told("give the place of the field, and whether to replace its text: type(\"text\", x, y, replace=True)"),
    ),
    row(&["zoom", "zoom_in"], Means::Zoom),
    row(
        &["zoom_out"],
        Means::Told("a picture of the whole screen comes with every turn"),
    ),
    row(&["watch"], Means::Watch),
    row(&["windows", "list_windows", "get_windows"], Means::Windows),
    row(
        &["focus", "focus_window", "activate_window", "switch_window"],
        Means::Focus,
    ),
    row(&["open", "open_application", "launch", "launch_app"], Means::Open),
    row(
        &["select_option", "click_element_by_index"],
        Means::Told("elements have no numbers here; click the element's place"),
    ),
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
