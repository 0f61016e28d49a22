//! All dialects, one file each. A reply from an unknown model is compared with them in this order.

mod agentcpm_gui;
mod autoglm;
mod claude;
mod cogagent;
mod computer_use;
mod franz;
mod gemini;
mod glm;
mod holo;
mod openai;
mod os_atlas;
mod pyautogui;
mod scalecua;
mod seed;
mod showui;
mod step_gui;
mod uitars;
mod venus;

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::dialect::Dialect;
use crate::notation::PlainName;

/// All dialects.
pub static DIALECTS: [&Dialect; 18] = [
    &computer_use::DIALECT,
    &seed::DIALECT,
    &pyautogui::DIALECT,
    &autoglm::DIALECT,
    &step_gui::DIALECT,
    &cogagent::DIALECT,
    &os_atlas::DIALECT,
    &agentcpm_gui::DIALECT,
    &showui::DIALECT,
    &gemini::DIALECT,
    &holo::DIALECT,
    &glm::DIALECT,
    &openai::DIALECT,
    &claude::DIALECT,
    &uitars::DIALECT,
    &scalecua::DIALECT,
    &venus::DIALECT,
    &franz::DIALECT,
];

/// A set of dialects, stored as one bit per dialect in the order of [`DIALECTS`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Speakers(u32);

impl Speakers {
    pub(crate) fn any(self) -> bool {
        self.0 != 0
    }

    pub(crate) fn meet(self, other: Speakers) -> bool {
        self.0 & other.0 != 0
    }

    fn with(self, other: Speakers) -> Speakers {
        Speakers(self.0 | other.0)
    }

    /// Returns the set that contains only this dialect.
    pub(crate) fn only(dialect: &Dialect) -> Speakers {
        let place = DIALECTS.iter().position(|other| std::ptr::eq(*other, dialect));
        Speakers(place.map_or(0, |place| 1 << place))
    }
}

/// The verbs of all dialects in normalised spelling, each with the dialects that have it.
static VERBS: LazyLock<HashMap<Vec<u8>, Speakers>> = LazyLock::new(|| {
    let mut verbs: HashMap<Vec<u8>, Speakers> = HashMap::new();
    for dialect in DIALECTS {
        for name in dialect.rows.iter().flat_map(|row| row.names) {
            let speakers = verbs.entry(PlainName::of(name).letters().to_vec()).or_default();
            *speakers = speakers.with(Speakers::only(dialect));
        }
    }
    verbs
});

/// Returns the dialects that have a verb with this spelling. Most names in a reply are not verbs, and a single lookup
/// is enough to find that out.
pub(crate) fn speakers(verb: &str) -> Speakers {
    VERBS.get(PlainName::of(verb).letters()).copied().unwrap_or_default()
}

/// Returns the dialect with this name.
pub fn named(name: &str) -> Option<&'static Dialect> {
    DIALECTS.iter().find(|dialect| dialect.name == name).copied()
}

/// Returns FRANZ's own verbs as a dialect for the shared reader.
pub(crate) fn own() -> &'static Dialect {
    &franz::DIALECT
}

/// Checks whether FRANZ's own prompts use this name.
pub(crate) fn is_own_name(name: &str) -> bool {
    franz::is_own(name)
}
