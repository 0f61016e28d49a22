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

static ROWS: [Row; 15] = [
    Row {
        names: &["left_click", "click", "click_element"],
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
        names: &["double_left_click", "double_click"],
        means: Means::Click(Click::Double),
    },
    Row {
        names: &["triple_click"],
        means: Means::Click(Click::Triple),
    },
    Row {
        names: &["move"],
        means: Means::Move,
    },
    Row {
        names: &["drag"],
        means: Means::Drag,
    },
    Row {
        names: &["scroll_at_position"],
        means: Means::Scroll(Wheel::Notches(1)),
    },
    Row {
        names: &["scroll"],
        means: Means::Scroll(Wheel::Down),
    },
    Row {
        names: &["type", "type_text"],
        means: Means::Type(Enter::Asked),
    },
    Row {
        names: &["press", "press_key"],
        means: Means::Chord,
    },
    Row {
        names: &["wait"],
        means: Means::Wait(10),
    },
    Row {
        names: &["screenshot", "observe", "observe_screen"],
        means: Means::Look,
    },
    Row {
        names: &["finish"],
        means: Means::Finish(true),
    },
    Row {
        names: &["ask"],
        means: Means::Ask,
    },
];
