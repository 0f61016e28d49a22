//! All configuration keys: finds one by its name, or the one that a misspelt name most resembles.

use std::collections::BTreeSet;

use franz_action::tool::TOOLS;

use super::key::{ConfigKey, live};
use super::kind::ValueKind;
use super::settings::KEYS;
use super::trust::{Permission, Trust, Wider};

/// The longest name, in bytes, that is compared with the keys. A comparison takes time and memory in proportion to the
/// length of both names.
const LONGEST_NAME: usize = 64;

const TOOLS_PREFIX: &str = "protocol.tools.";

/// The tables whose keys to suggest before equally similar keys of others, in this order.
const FIRST: [&str; 4] = ["model", "image", "screen", "loop"];

/// The tools that are on by default.
const TOOLS_ON: [&str; 5] = ["left_click", "right_click", "drag", "type", "screenshot"];

impl ConfigKey {
    /// Returns the key with this dotted name.
    pub(crate) fn named(name: &str) -> Option<ConfigKey> {
        if let Some(tool) = name.strip_prefix(TOOLS_PREFIX) {
            let tool = TOOLS.iter().find(|known| known.name == tool)?;
            return Some(ConfigKey {
                name: tool.name,
                about: tool.doc,
                default: TOOLS_ON.contains(&tool.name).then_some("true"),
                optional: false,
                ..live(ValueKind::Flag, trust_of(tool.name))
            });
        }
        KEYS.iter().find(|key| key.name == name).copied()
    }

    /// Returns all dotted names.
    pub(crate) fn names() -> Vec<String> {
        let tools = TOOLS.iter().map(|tool| format!("{TOOLS_PREFIX}{}", tool.name));
        KEYS.iter().map(|key| key.name.to_owned()).chain(tools).collect()
    }

    /// Returns the name of the key or table most similar to this one, if any is similar enough.
    pub(crate) fn nearest(name: &str) -> Option<String> {
        if name.len() > LONGEST_NAME {
            return None;
        }
        let last = |name: &str| name.rsplit('.').next().unwrap_or_default().to_owned();
        let likeness = |known: &str| {
            let whole = strsim::normalized_damerau_levenshtein(known, name);
            whole.max(strsim::normalized_damerau_levenshtein(&last(known), &last(name)) - 0.05)
        };
        let names = ConfigKey::names();
        let inside = format!("{name}.");
        if let Some(first) = names.iter().find(|known| known.starts_with(&inside)) {
            return Some(first.clone());
        }
        let tables = names
            .iter()
            .filter_map(|known| known.rsplit_once('.'))
            .map(|(table, _)| table.to_owned());
        let known = tables.collect::<BTreeSet<_>>().into_iter().chain(names.iter().cloned());
        let scored = known.map(|known| (likeness(&known), known));
        let best = scored.max_by(|a, b| a.0.total_cmp(&b.0).then_with(|| rank(&b.1).cmp(&rank(&a.1))))?;
        (best.0 > 0.5).then_some(best.1)
    }
}

/// Returns the rank of a key's table among those that have a key of the same name; the one that people usually mean is
/// the first.
fn rank(name: &str) -> usize {
    let table = name.split('.').next().unwrap_or_default();
    let place = FIRST.iter().position(|first| *first == table);
    place.unwrap_or(FIRST.len())
}

/// Returns who may switch a tool on. Only the person may switch on the clipboard tools, which read and write data
/// beyond the screen. Any file may switch on other tools, unless somebody has switched them off.
fn trust_of(tool: &str) -> Trust {
    if tool.ends_with("_clipboard") {
        Trust::Limit(Permission::Clipboard, Wider::On)
    } else {
        Trust::Limit(Permission::Limits, Wider::OnAgain)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::layer::Layer;

    #[test]
    fn a_misspelt_key_is_matched_to_the_nearest_one() {
        let endless = "model.temperatur".repeat(1 << 20);
        let cases = [
            ("loop.exeuting_delay_s", Some("loop.executing_delay_s")),
            ("model.temprature", Some("model.temperature")),
            ("temperature", Some("model.temperature")),
            ("upstream", Some("model.upstream")),
            ("name", Some("model.name")),
            ("width", Some("image.width")),
            ("kind", Some("screen.kind")),
            ("grounder.upstrem", Some("grounder.upstream")),
            ("protocol.tools.left_clik", Some("protocol.tools.left_click")),
            ("zzzzzz", None),
            (endless.as_str(), None),
        ];
        for (written, meant) in cases {
            assert_eq!(ConfigKey::nearest(written).as_deref(), meant, "{written:.100}");
        }
    }

    #[test]
    fn every_key_is_described_and_every_required_key_has_a_default() {
        let whole = Layer::defaults();
        for name in ConfigKey::names() {
            let key = ConfigKey::named(&name).unwrap();
            assert!(!key.about.is_empty() && !key.about.ends_with('.'), "{name}");
            if !name.starts_with(TOOLS_PREFIX) {
                assert_eq!(key.optional, whole.get(&name).is_none(), "{name}");
            }
        }
    }
}
