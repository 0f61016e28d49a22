//! `uitars`: `Thought: ... Action: click(start_box='(1,2)')`, as `UI-TARS` and Doubao-1.5-`UI-TARS` write it.
//!
//! Sources: bytedance/UI-TARS@582f3a7ea5d2 `codes/ui_tars/{prompt,action_parser}.py`,
//! bytedance/UI-TARS-desktop@239b6544a0ea `multimodal/gui-agent/action-parser`, `PyPI` `ui-tars` 0.5.1.

use serde_json::Value;

use crate::dialect::{Dialect, Notation, Row, row};
use crate::meaning::{ClickKind, Enter, Means, Wheel};
use crate::notation::{Arguments, Flaw, RawCall, Searched, Wrap, find, rest};
use crate::spot;
use crate::wording::{Drag, Envelope, Functions, PlaceForm, Wording};

pub(super) static DIALECT: Dialect = Dialect {
    name: "uitars",
    notations: &[
        Notation::Lines,
        Notation::Tags,
        Notation::Objects,
        Notation::Own(answer),
    ],
    tools: &["computer"],
    verb_keys: &["action", "action_type"],
    rows: &ROWS,
    signs,
    wording: Some(Wording {
        envelope: Envelope::Call {
            before: "Action: ",
            qualifier: |_| "",
            after: "",
        },
        form: PlaceForm::Round,
        place: "start_box",
        label: None,
        drag: Drag::Named(&[("", "start_box", "end_box")]),
        text: "content",
        keys: "key",
        list_of_keys: false,
        between_keys: " ",
        seconds: None,
        scroll: ("direction", None),
        status: None,
        answer: Some("content"),
        question: Some("content"),
        functions: Functions::None,
    }),
    ..Dialect::PLAIN
};

const HELD: &str = "a key cannot be held on its own; press the whole chord with hotkey";
const PHONE: &str = "there is no phone here; use the mouse and the keyboard";

pub(super) static ROWS: [Row; 20] = [
    row(
        &["click", "left_click", "left_single", "tap"],
        Means::Click(ClickKind::Left),
    ),
    row(&["select"], Means::Select),
    row(
        &["left_double", "double_click", "left_double_click"],
        Means::Click(ClickKind::Double),
    ),
    row(&["right_single", "right_click"], Means::Click(ClickKind::Right)),
    row(&["middle_click", "middle_single"], Means::Click(ClickKind::Middle)),
    row(&["triple_click"], Means::Click(ClickKind::Triple)),
    row(&["drag", "left_click_drag", "drag_and_drop", "swipe"], Means::Drag),
    row(&["hotkey", "keyboard_press"], Means::Chord),
    row(&["type", "input", "input_text"], Means::Type(Enter::OrHabit)),
    row(&["scroll"], Means::Scroll(Wheel::Notches(5))),
    row(&["wait"], Means::Wait(50)),
    row(&["hover", "move", "move_to", "mouse_move"], Means::Move),
    row(&["screenshot", "take_screenshot"], Means::Look),
    row(&["finished", "finish"], Means::Finish(true)),
    row(&["infeasible", "error_env"], Means::Finish(false)),
    row(&["call_user"], Means::Ask),
    row(&["mouse_down"], Means::Down),
    row(&["mouse_up"], Means::Up),
    row(&["press", "release"], Means::Told(HELD)),
    row(
        &[
            "long_press",
            "open_app",
            "press_home",
            "press_back",
            "navigate",
            "navigate_back",
            "open_computer",
        ],
        Means::Told(PHONE),
    ),
];

/// Reads `<answer>text</answer>`, which ends the work.
fn answer(searched: &Searched<'_>) -> Vec<RawCall> {
    let text = searched.text;
    let Some(open) = find(text, 0, "<answer>") else {
        return Vec::new();
    };
    let inside = open + "<answer>".len();
    let Some(length) = rest(text, inside).find("</answer>") else {
        return Vec::new();
    };
    let said = text.get(inside..inside + length).unwrap_or_default().trim();
    let end = inside + length + "</answer>".len();
    if is_place(said) || has_call(said) {
        return vec![RawCall::flawed(Flaw::Broken, open..end, Wrap::Tag)];
    }
    let args = Arguments {
        positional: Vec::new(),
        named: vec![("content".to_owned(), Value::from(said))],
    };
    vec![RawCall::new("finished", args, open..end, Wrap::Tag)]
}

/// Checks whether an answer is only a place.
fn is_place(said: &str) -> bool {
    said.starts_with(['(', '[', '<']) && spot::of(&Value::from(said)).is_some()
}

/// Checks whether an answer contains a call: a verb with an argument in brackets, unlike `click(s)` in a sentence.
fn has_call(said: &str) -> bool {
    let mut calls = said.match_indices('(').filter(|(bracket, _)| {
        let (before, inside) = said.split_at(*bracket);
        let name = before.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').next();
        let inside = inside[1..].trim_start();
        let argument = inside.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
        name.is_some_and(|name| DIALECT.row(name).is_some())
            && (argument.starts_with('=') || inside.starts_with(['\'', '"', '(', '[', '<', ')']))
    });
    calls.next().is_some()
}

fn signs(call: &RawCall) -> bool {
    let boxed = call.args.get(&["start_box", "start_point"]).is_some();
    let tagged = call
        .args
        .get(&["point"])
        .and_then(Value::as_str)
        .is_some_and(|point| point.contains("<point>"));
    let written = matches!(call.wrap, Wrap::Line | Wrap::Object | Wrap::Words);
    let content = call.name == "type" && call.args.get(&["content"]).is_some();
    let finished = matches!(&*call.name, "finished" | "call_user" | "left_double" | "right_single");
    let hotkey = call.name == "hotkey" && call.args.get(&["key"]).is_some();
    // Only GLM names the element next to its box.
    let named = call.args.get(&["element_info"]).is_some();
    written && !named && (boxed || tagged || content || finished || hotkey)
}
