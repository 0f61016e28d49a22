//! `pyautogui`: code of a closed set of calls, as `OpenCUA`, Kimi, Aguvis and `EvoCUA` write.
//!
//! Sources: xlang-ai/OpenCUA@1d70f20663dc, xlang-ai/aguvis@178c4187069d, simular-ai/Agent-S@5caa76cb19c6,
//! NVIDIA-NeMo/Gym@13cd84c1ef27 `responses_api_agents/osworld_agent`.

use crate::dialect::{Dialect, Notation, Row};
use crate::meaning::{Click, Enter, Means, Wheel};
use crate::notation::{Arguments, RawCall, Searched, Wrap};
use crate::wording::{Drag, Envelope, Functions, PlaceForm, Wording};

pub(super) static DIALECT: Dialect = Dialect {
    name: "pyautogui",
    fixed: None,
    notations: &[Notation::Code, Notation::Objects, Notation::Own(words)],
    tools: &[],
    verb_keys: &[],
    batches: &[],
    qualifiers: &QUALIFIERS,
    rows: &ROWS,
    boxes: true,
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
const HELD: &str = "keys and buttons cannot be held; press the chord with hotkey, or drag, in one call";
const WORDS: &str = "a place is two numbers here, not words";

static ROWS: [Row; 19] = [
    Row {
        names: &["click", "leftClick"],
        means: Means::Click(Click::Left),
    },
    Row {
        names: &["rightClick"],
        means: Means::Click(Click::Right),
    },
    Row {
        names: &["middleClick"],
        means: Means::Click(Click::Middle),
    },
    Row {
        names: &["doubleClick"],
        means: Means::Click(Click::Double),
    },
    Row {
        names: &["tripleClick", "triple_click"],
        means: Means::Click(Click::Triple),
    },
    Row {
        names: &["moveTo"],
        means: Means::Move,
    },
    Row {
        names: &["dragTo", "swipe", "drag"],
        means: Means::Drag,
    },
    Row {
        names: &["scroll", "vscroll"],
        means: Means::Scroll(Wheel::UpNotches),
    },
    Row {
        names: &["hscroll"],
        means: Means::Scroll(Wheel::RightNotches),
    },
    Row {
        names: &["write", "typewrite", "type"],
        means: Means::Type(Enter::Asked),
    },
    Row {
        names: &["hotkey"],
        means: Means::Chord,
    },
    Row {
        names: &["press"],
        means: Means::Keys,
    },
    Row {
        names: &["wait", "sleep"],
        means: Means::Wait(200),
    },
    Row {
        names: &["screenshot"],
        means: Means::Look,
    },
    Row {
        names: &["terminate", "done", "DONE"],
        means: Means::Finish(true),
    },
    Row {
        names: &["fail", "FAIL"],
        means: Means::Finish(false),
    },
    Row {
        names: &["keyDown", "keyUp", "mouseDown", "mouseUp", "hold_and_press"],
        means: Means::Told(HELD),
    },
    Row {
        names: &[
            "select_option",
            "clear",
            "home",
            "back",
            "long_press",
            "open_app",
            "open",
            "switch_applications",
        ],
        means: Means::Told("there is no such call here; use the mouse and the keyboard"),
    },
    Row {
        names: &[
            "drag_and_drop",
            "highlight_text_span",
            "set_cell_values",
            "call_code_agent",
            "save_to_knowledge",
        ],
        means: Means::Told(WORDS),
    },
];

/// Reads a reply that is nothing but `WAIT`, `DONE` or `FAIL`, also in a fence.
fn words(searched: &Searched<'_>) -> Vec<RawCall> {
    let text = searched.text;
    let mut lines = text.lines().rev().map(str::trim);
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
