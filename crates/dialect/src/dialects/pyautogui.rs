//! `pyautogui`: code that makes a closed set of calls, as `OpenCUA`, Kimi, Aguvis and `EvoCUA` write it.
//!
//! Sources: xlang-ai/OpenCUA@1d70f20663dc, xlang-ai/aguvis@178c4187069d, simular-ai/Agent-S@5caa76cb19c6,
//! NVIDIA-NeMo/Gym@13cd84c1ef27 `responses_api_agents/osworld_agent`.

use crate::dialect::{Dialect, Notation, Row, row};
use crate::meaning::{ClickKind, Enter, Means, Wheel};
use crate::notation::{Arguments, RawCall, Searched, Wrap};
use crate::wording::{Drag, Envelope, Functions, PlaceForm, Wording};

pub(super) static DIALECT: Dialect = Dialect {
    name: "pyautogui",
    notations: &[Notation::Code, Notation::Objects, Notation::Own(words)],
    qualifiers: &QUALIFIERS,
    rows: &ROWS,
    pauses: true,
    clicks_at_pointer: true,
    signs: |call| QUALIFIERS.iter().any(|qualifier| call.name.starts_with(qualifier)),
    wording: Some(Wording {
        envelope: Envelope::Call {
            before: "",
            qualifier: |verb| match verb {
                "wait" | "terminate" | "triple_click" => "computer.",
                _ => "pyautogui.",
            },
            after: "",
        },
        form: PlaceForm::Pair,
        place: "x,y",
        label: None,
        drag: Drag::FromPointer,
        text: "message",
        keys: "keys",
        list_of_keys: true,
        between_keys: "+",
        seconds: None,
        scroll: ("", Some("clicks")),
        status: Some(["status", "success", "failure"]),
        answer: Some("answer"),
        question: None,
        functions: Functions::None,
    }),
    ..Dialect::PLAIN
};

const QUALIFIERS: [&str; 9] = [
    "pyautogui.",
    "computer.",
    "pg.",
    "time.",
    "agent.",
    "Agent.",
    "browser.",
    "mobile.",
    "os.",
];
const HELD: &str = "a key cannot be held on its own; press the whole chord with hotkey";
const WORDS: &str = "a place is two numbers here, not words";

static ROWS: [Row; 23] = [
    row(&["click", "leftClick"], Means::Click(ClickKind::Left)),
    row(&["rightClick"], Means::Click(ClickKind::Right)),
    row(&["middleClick"], Means::Click(ClickKind::Middle)),
    row(&["doubleClick"], Means::Click(ClickKind::Double)),
    row(&["tripleClick", "triple_click"], Means::Click(ClickKind::Triple)),
    row(&["moveTo"], Means::Move),
    row(&["dragTo", "swipe"], Means::Drag),
    row(&["scroll", "vscroll"], Means::Scroll(Wheel::UpNotches)),
    row(&["hscroll"], Means::Scroll(Wheel::RightNotches)),
    row(&["write", "typewrite", "type"], Means::Type(Enter::OrHabit)),
    row(&["hotkey"], Means::Chord),
    row(&["press"], Means::Keys),
    row(&["wait", "sleep"], Means::Wait(200)),
    row(&["screenshot"], Means::Look),
    row(&["terminate", "done", "DONE"], Means::Finish(true)),
    row(&["fail", "FAIL"], Means::Finish(false)),
    row(&["mouseDown"], Means::Down),
    row(&["mouseUp"], Means::Up),
    row(&["keyDown", "keyUp", "hold_and_press"], Means::Told(HELD)),
    row(
        &["drag", "dragRel"],
        Means::Told("an offset is not read here; use dragTo with the place"),
    ),
    row(
        &["move", "moveRel"],
        Means::Told("an offset is not read here; use moveTo with the place"),
    ),
    row(
        &[
            "select_option",
            "clear",
            "home",
            "back",
            "long_press",
            "open_app",
            "open",
            "switch_applications",
        ],
        Means::Told("there is no such call here; use the mouse and the keyboard"),
    ),
    row(
        &[
            "drag_and_drop",
            "highlight_text_span",
            "set_cell_values",
            "call_code_agent",
            "save_to_knowledge",
        ],
        Means::Told(WORDS),
    ),
];

/// Reads a reply that consists only of `WAIT`, `DONE` or `FAIL`, with or without a fence.
fn words(searched: &Searched<'_>) -> Vec<RawCall> {
    let text = searched.text;
    let mut lines = text.lines().rev().map(|line| unfenced(line.trim()));
    let last = lines.find(|line| !line.is_empty() && !line.starts_with("```"));
    let Some(last) = last.filter(|last| matches!(*last, "WAIT" | "DONE" | "FAIL")) else {
        return Vec::new();
    };
    let start = text.rfind(last).unwrap_or_default();
    vec![RawCall::new(
        last.to_lowercase(),
        Arguments::default(),
        start..start + last.len(),
        Wrap::Line,
    )]
}

/// Removes a fence that begins and ends on this line.
fn unfenced(line: &str) -> &str {
    let inside = line.strip_prefix("```").and_then(|behind| behind.strip_suffix("```"));
    inside.map_or(line, str::trim)
}
