//! The protocols there are, by name. A new one, such as a model family's own dialect, is one more entry here.

use crate::lines::Lines;
use crate::protocol::{Protocol, Settings};
use crate::python::Python;
use crate::sections::Sections;
use crate::tools::Tools;

/// A protocol by its name.
pub struct Kind {
    /// As profiles write it.
    pub name: &'static str,
    /// Whether models call functions in it, so that what they remember is a conversation.
    pub has_calls: bool,
    /// Whether replies declare a mode.
    pub has_modes: bool,
    /// Makes it.
    pub new: fn(Settings) -> Box<dyn Protocol>,
}

/// The protocols there are.
pub const KINDS: [Kind; 4] = [
    Kind {
        name: "lines",
        has_calls: false,
        has_modes: false,
        new: |settings| Box::new(Lines::from(settings)),
    },
    Kind {
        name: "python",
        has_calls: false,
        has_modes: false,
        new: |settings| Box::new(Python::from(settings)),
    },
    Kind {
        name: "sections",
        has_calls: false,
        has_modes: true,
        new: |settings| Box::new(Sections::from(settings)),
    },
    Kind {
        name: "tools",
        has_calls: true,
        has_modes: false,
        new: |settings| Box::new(Tools::from(settings)),
    },
];

/// The names of the protocols.
pub const NAMES: [&str; KINDS.len()] = {
    let mut names = [""; KINDS.len()];
    let mut at = 0;
    while at < names.len() {
        names[at] = KINDS[at].name;
        at += 1;
    }
    names
};

/// The protocol of this name.
pub fn kind(name: &str) -> Option<Kind> {
    KINDS.into_iter().find(|kind| kind.name == name)
}
