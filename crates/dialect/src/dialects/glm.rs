//! `glm`: `left_click(start_box='[1,2]')` in box tokens on a computer, and an object with `action_type` on a phone.
//!
//! Source: zai-org/GLM-V@8fc9756fd231 `examples/gui-agent`, `glmv_reward/tests/cogagent`.

use crate::dialect::{Dialect, Notation, Row, has, row};
use crate::geometry::Space;
use crate::meaning::{ClickKind, Enter, Means, Wheel};
use crate::notation::{RawCall, Wrap};
use crate::wording::{Drag, Envelope, Functions, PlaceForm, Wording};

pub(super) static DIALECT: Dialect = Dialect {
    name: "glm",
    fixed: Some(Space::Thousandths),
    notations: &[Notation::Objects, Notation::Lines, Notation::Tags],
    tools: &["computer"],
    verb_keys: &["action_type", "action"],
    rows: &ROWS,
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
    ..Dialect::PLAIN
};

const PHONE: &str = "there is no phone here; use the mouse and the keyboard";

static ROWS: [Row; 16] = [
    row(&["left_click", "click"], Means::Click(ClickKind::Left)),
    row(&["right_click"], Means::Click(ClickKind::Right)),
    row(&["middle_click"], Means::Click(ClickKind::Middle)),
    row(&["hover"], Means::Move),
    row(&["left_double_click", "double_click"], Means::Click(ClickKind::Double)),
    row(&["left_drag", "drag"], Means::Drag),
    row(&["key"], Means::Chord),
    row(&["type"], Means::Type(Enter::OrHabit)),
    row(&["scroll"], Means::Scroll(Wheel::Notches(5))),
    row(&["WAIT"], Means::Wait(50)),
    row(&["DONE", "status"], Means::Finish(true)),
    row(&["FAIL"], Means::Finish(false)),
    row(&["screenshot"], Means::Look),
    row(&["answer"], Means::Finish(true)),
    row(
        &["input_text"],
        Means::Told("this takes several calls here; click, type and press enter one after another"),
    ),
    row(
        &[
            "long_press",
            "keyboard_enter",
            "navigate_home",
            "navigate_back",
            "swipe",
            "open_app",
        ],
        Means::Told(PHONE),
    ),
];

fn signs(call: &RawCall) -> bool {
    let phone = call.wrap == Wrap::Object && has(&call.args, "action_type");
    let computer = matches!(&*call.name, "left_drag" | "left_double_click" | "WAIT") && call.wrap == Wrap::Line;
    let labelled = has(&call.args, "element_info") && has(&call.args, "start_box");
    let phone = phone && (has(&call.args, "box_2d") || has(&call.args, "goal_status") || has(&call.args, "app_name"));
    phone || computer || (labelled && call.wrap == Wrap::Line)
}
