//! `computer_use` and `mobile_use`: Qwen-VL and models built on it.
//!
//! Sources: QwenLM/Qwen3-VL@96588727e44c `cookbooks/utils/agent_function_call.py`, QwenLM/Qwen2.5-VL@f0af2996e843,
//! X-PLUG/MobileAgent@11cea575561f, meituan/EvoCUA@4a0ad5fd4eb1, Tongyi-MAI/MAI-UI@4dd07b9e910a,
//! microsoft/fara@3f3f1fd82cc2.

use crate::dialect::{Dialect, Notation, Row, row};
use crate::meaning::{ClickKind, Enter, Means, Wheel};
use crate::notation::{RawCall, Wrap, same};
use crate::wording::{Drag, Envelope, Functions, PlaceForm, Wording};

pub(super) static DIALECT: Dialect = Dialect {
    name: "computer_use",
    notations: &[Notation::Tags, Notation::Objects],
    tools: &TOOLS,
    verb_keys: &["action", "action_type"],
    // Elsewhere, it is what kind of element the model sees.
    sure_verb_keys: &["type"],
    batches: &["actions", "tool_calls", "tool_call", "action"],
    rows: &ROWS,
    clicks_at_pointer: true,
    signs,
    wording: Some(Wording {
        envelope: Envelope::Tool("computer_use"),
        form: PlaceForm::List,
        place: "coordinate",
        label: None,
        drag: Drag::Named(&[
            ("drag", "coordinate", "coordinate2"),
            ("", "start_coordinate", "coordinate"),
        ]),
        text: "text",
        keys: "keys",
        list_of_keys: true,
        between_keys: "+",
        seconds: Some("time"),
        scroll: ("direction", Some("pixels")),
        status: Some(["status", "success", "failure"]),
        answer: Some("answer"),
        question: Some("text"),
        functions: Functions::One,
    }),
    ..Dialect::PLAIN
};

const TOOLS: [&str; 3] = ["computer_use", "mobile_use", "computer"];

const PHONE: &str = "there is no phone here; use the mouse and the keyboard";
const BROWSER: &str = "there is no such browser command here; use the browser's address bar and buttons";
const HELD: &str = "a key cannot be held on its own; press the whole chord, or use hold_key for some seconds";

pub(super) static ROWS: [Row; 29] = [
    row(&["left_click", "click", "tap"], Means::Click(ClickKind::Left)),
    row(
        &[
            "key",
            "press",
            "keypress",
            "hotkey",
            "key_combination",
            "press_key",
            "keyboard_press",
        ],
        Means::Chord,
    ),
    row(&["type"], Means::Type(Enter::OrHabit)),
    row(
        &["input_text", "type_text", "write", "input"],
        Means::Type(Enter::OnlyIfAsked),
    ),
    row(&["mouse_move", "hover", "move", "move_to"], Means::Move),
    row(&["left_click_drag", "drag", "drag_and_drop"], Means::Drag),
    row(&["swipe"], Means::Swipe),
    row(&["right_click"], Means::Click(ClickKind::Right)),
    row(&["middle_click"], Means::Click(ClickKind::Middle)),
    row(
        &[
            "double_click",
            "left_double_click",
            "computer_double_click",
            "double_left_click",
        ],
        Means::Click(ClickKind::Double),
    ),
    row(&["triple_click"], Means::Click(ClickKind::Triple)),
    row(&["scroll"], Means::Scroll(Wheel::Up)),
    row(&["hscroll"], Means::Scroll(Wheel::Right)),
    row(&["scroll_down"], Means::Scroll(Wheel::Toward("down", 5))),
    row(&["scroll_up"], Means::Scroll(Wheel::Toward("up", 5))),
    row(&["wait", "sleep"], Means::Wait(30)),
    row(&["screenshot", "take_screenshot"], Means::Look),
    row(
        &["terminate", "done", "stop", "finish", "finish_step", "finished"],
        Means::Finish(true),
    ),
    row(&["answer"], Means::Finish(true)),
    row(
        &["call_user", "interact", "ask_user_question", "ask_user", "calluser"],
        Means::Ask,
    ),
    row(&["left_mouse_down", "mouse_down"], Means::Down),
    row(&["left_mouse_up", "mouse_up"], Means::Up),
    row(&["hold_key"], Means::Hold),
    row(&["key_down", "key_up"], Means::Told(HELD)),
    row(
        &["long_press", "system_button", "open", "open_app", "launch"],
        Means::Told(PHONE),
    ),
    row(
        &["visit_url", "web_search", "history_back", "goto", "navigate"],
        Means::Told(BROWSER),
    ),
    row(
        &["pause_and_memorize_fact", "read_page_answer_question"],
        Means::Told("nothing is saved for you here; write what matters in your reply"),
    ),
    row(
        &["zoom", "cursor_position"],
        Means::Told("there is only the picture of the whole screen; look at it"),
    ),
    row(&["navigate_back", "home", "back"], Means::Told(PHONE)),
];

fn signs(call: &RawCall) -> bool {
    let name = call.name.strip_prefix("functions.").unwrap_or(&call.name);
    let named = TOOLS.iter().any(|tool| same(tool, name));
    let unnamed = call.wrap == Wrap::Tag && call.name.is_empty() && call.args.get(&["action"]).is_some();
    unnamed || named && matches!(call.wrap, Wrap::Tag | Wrap::Object | Wrap::Native)
}
