//! `glm`: `left_click(start_box='[1,2]')` in box tokens on a computer, an object with `action_type` on a phone.
//!
//! Source: zai-org/GLM-V@8fc9756fd231 `examples/gui-agent`, `glmv_reward/tests/cogagent`.

use crate::dialect::{Dialect, Notation, Row, has};
use crate::geometry::Space;
use crate::meaning::{Click, Enter, Means, Wheel};
use crate::notation::{RawCall, Wrap};
use crate::wording::{Drag, Envelope, Functions, PlaceForm, Wording};

pub(super) static DIALECT: Dialect = Dialect {
    name: "glm",
    fixed: Some(Space::Thousandths),
    notations: &[Notation::Objects, Notation::Lines, Notation::Tags],
    tools: &["computer"],
    verb_keys: &["action_type", "action"],
    batches: &[],
    qualifiers: &[],
    rows: &ROWS,
    boxes: true,
    signs,
    wording: Some(Wording {
        envelope: Envelope::Call {
            before: "<|begin_of_box|>",
            qualifier: |_| "",
            after: "<|end_of_box|>",
        },
        form: PlaceForm::Square,
        place: "start_box",
        label: None,
        drag: Drag::Named(&[("", "start_box", "end_box")]),
        text: "content",
        keys: "keys",
        list_of_keys: false,
        between_keys: "+",
        seconds: None,
        scroll: ("direction", Some("step")),
        status: None,
        answer: None,
        question: None,
        functions: Functions::None,
    }),
};

const PHONE: &str = "there is no phone here; use the mouse and the keyboard";

static ROWS: [Row; 16] = [
    Row {
        names: &["left_click", "click"],
        means: Means::Click(Click::Left),
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
        names: &["hover"],
        means: Means::Move,
    },
    Row {
        names: &["left_double_click", "double_click"],
        means: Means::Click(Click::Double),
    },
    Row {
        names: &["left_drag", "drag"],
        means: Means::Drag,
    },
    Row {
        names: &["key"],
        means: Means::Chord,
    },
    Row {
        names: &["type"],
        means: Means::Type(Enter::Asked),
    },
    Row {
        names: &["scroll"],
        means: Means::Scroll(Wheel::Notches(5)),
    },
    Row {
        names: &["WAIT"],
        means: Means::Wait(50),
    },
    Row {
        names: &["DONE", "status"],
        means: Means::Finish(true),
    },
    Row {
        names: &["FAIL"],
        means: Means::Finish(false),
    },
    Row {
        names: &["screenshot"],
        means: Means::Look,
    },
    Row {
        names: &["answer"],
        means: Means::Finish(true),
    },
    Row {
        names: &["input_text"],
        means: Means::Told(
            "typing clears nothing and presses nothing here; click, type and press enter one after another",
        ),
    },
    Row {
        names: &[
            "long_press",
            "keyboard_enter",
            "navigate_home",
            "navigate_back",
            "swipe",
            "open_app",
        ],
        means: Means::Told(PHONE),
    },
];

fn signs(call: &RawCall) -> bool {
    let phone = call.wrap == Wrap::Object && has(&call.args, "action_type");
    let computer = matches!(&*call.name, "left_drag" | "left_double_click" | "WAIT") && call.wrap == Wrap::Line;
    let labelled = has(&call.args, "element_info") && has(&call.args, "start_box");
    let phone = phone && (has(&call.args, "box_2d") || has(&call.args, "goal_status") || has(&call.args, "app_name"));
    phone || computer || (labelled && call.wrap == Wrap::Line)
}
