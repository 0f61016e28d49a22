//! All dialects, a file each, in the order in which an unknown model's reply is compared with them.

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

use std::collections::HashSet;
use std::sync::LazyLock;

use crate::dialect::Dialect;
use crate::notation::plain;

/// All dialects.
pub static DIALECTS: [&Dialect; 17] = [
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
    &franz::DIALECT,
];

/// The verbs of all dialects, plainly spelled.
static VERBS: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let rows = DIALECTS.iter().flat_map(|dialect| dialect.rows);
    rows.flat_map(|row| row.names).map(|name| plain(name)).collect()
});

/// Checks whether any dialect has a verb that is spelled so. Most names in a text are no verbs, and one look is enough.
pub(crate) fn have(verb: &str) -> bool {
    VERBS.contains(&plain(verb))
}

/// Returns the dialect with this name.
pub fn named(name: &str) -> Option<&'static Dialect> {
    DIALECTS.iter().find(|dialect| dialect.name == name).copied()
}

/// FRANZ's own words, in the common reader.
pub(crate) fn own() -> &'static Dialect {
    &franz::DIALECT
}

/// Checks whether FRANZ's own prompts use this name.
pub(crate) fn is_own_name(name: &str) -> bool {
    franz::is_own(name)
}
