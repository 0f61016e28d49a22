//! `computer_use` and `mobile_use`: Qwen-VL and what is built on it.
//!
//! Sources: QwenLM/Qwen3-VL@96588727e44c `cookbooks/utils/agent_function_call.py`, QwenLM/Qwen2.5-VL@f0af2996e843,
//! X-PLUG/MobileAgent@11cea575561f, meituan/EvoCUA@4a0ad5fd4eb1, Tongyi-MAI/MAI-UI@4dd07b9e910a, microsoft/fara@3f3f1fd82cc2.

use crate::dialect::{Dialect, Notation, Row};
use crate::meaning::{Click, Enter, Means, Wheel};
use crate::notation::{RawCall, Wrap, same};
use crate::wording::{Drag, Envelope, Functions, PlaceForm, Wording};

pub(super) static DIALECT: Dialect = Dialect {
    name: "computer_use",
    fixed: None,
    notations: &[Notation::Tags, Notation::Objects],
    tools: &TOOLS,
    verb_keys: &["action", "action_type", "type"],
    batches: &["actions"],
    qualifiers: &[],
    rows: &ROWS,
    boxes: true,
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
};

const TOOLS: [&str; 3] = ["computer_use", "mobile_use", "computer"];

const PHONE: &str = "there is no phone here; use the mouse and the keyboard";
const BROWSER: &str = "there is no such command of a browser; use its address bar and buttons";
const HELD: &str = "keys and buttons cannot be held; press the chord, or drag, in one call";

pub(super) static ROWS: [Row; 26] = [
    Row {
        names: &["left_click", "click", "tap"],
        means: Means::Click(Click::Left),
    },
    Row {
        names: &[
            "key",
            "press",
            "keypress",
            "hotkey",
            "key_combination",
            "press_key",
            "keyboard_press",
        ],
        means: Means::Chord,
    },
    Row {
        names: &["type"],
        means: Means::Type(Enter::Asked),
    },
    Row {
        names: &["input_text", "type_text", "write", "input"],
        means: Means::Type(Enter::Said),
    },
    Row {
        names: &["mouse_move", "hover", "move", "move_to"],
        means: Means::Move,
    },
    Row {
        names: &["left_click_drag", "drag", "drag_and_drop"],
        means: Means::Drag,
    },
    Row {
        names: &["swipe"],
        means: Means::Swipe,
    },
    Row {
        names: &["right_click"],
        means: Means::Click(Click::Right),
    },
    Row {
        names: &["middle_click"],
        means: Means::Click(Click::Middle),
    },
    Row {
        names: &[
            "double_click",
            "left_double_click",
            "computer_double_click",
            "double_left_click",
        ],
        means: Means::Click(Click::Double),
    },
    Row {
        names: &["triple_click"],
        means: Means::Click(Click::Triple),
    },
    Row {
        names: &["scroll"],
        means: Means::Scroll(Wheel::Up),
    },
    Row {
        names: &["hscroll"],
        means: Means::Scroll(Wheel::Right),
    },
    Row {
        names: &["scroll_down"],
        means: Means::Scroll(Wheel::Toward("down", 5)),
    },
    Row {
        names: &["scroll_up"],
        means: Means::Scroll(Wheel::Toward("up", 5)),
    },
    Row {
        names: &["wait", "sleep"],
        means: Means::Wait(30),
    },
    Row {
        names: &["screenshot", "take_screenshot"],
        means: Means::Look,
    },
    Row {
        names: &["terminate", "done", "stop", "finish", "finish_step", "finished"],
        means: Means::Finish(true),
    },
    Row {
        names: &["answer"],
        means: Means::Finish(true),
    },
    Row {
        names: &["call_user", "interact", "ask_user_question", "ask_user", "calluser"],
        means: Means::Ask,
    },
    Row {
        names: &[
            "key_down",
            "key_up",
            "left_mouse_down",
            "left_mouse_up",
            "mouse_down",
            "mouse_up",
            "hold_key",
        ],
        means: Means::Told(HELD),
    },
    Row {
        names: &["long_press", "system_button", "open", "open_app", "launch"],
        means: Means::Told(PHONE),
    },
    Row {
        names: &["visit_url", "web_search", "history_back", "goto", "navigate"],
        means: Means::Told(BROWSER),
    },
    Row {
        names: &["pause_and_memorize_fact", "read_page_answer_question"],
        means: Means::Told("nothing is kept for you here; write what matters into your reply"),
    },
    Row {
        names: &["zoom", "cursor_position"],
        means: Means::Told("the picture of the whole screen is all there is; look at it"),
    },
    Row {
        names: &["navigate_back", "home", "back"],
        means: Means::Told(PHONE),
    },
];

fn signs(call: &RawCall) -> bool {
    let name = call.name.strip_prefix("functions.").unwrap_or(&call.name);
    let named = TOOLS.iter().any(|tool| same(tool, name));
    let unnamed = call.wrap == Wrap::Tag && call.name.is_empty() && call.args.get(&["action"]).is_some();
    unnamed || named && matches!(call.wrap, Wrap::Tag | Wrap::Object | Wrap::Native)
}
