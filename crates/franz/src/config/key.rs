//! Every configuration key: its name, what it takes, whether it may change while a run goes on, and what it is for.

use std::collections::BTreeSet;
use std::fmt;

use franz_action::tool::TOOLS;
use toml::Value;

/// What a key takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    /// Any text.
    Text,
    /// `true` or `false`.
    Flag,
    /// A number between the two.
    Number(f64, f64),
    /// A whole number between the two.
    Count(i64, i64),
    /// One of these words.
    Choice(&'static [&'static str]),
}

/// One configuration key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Key {
    /// Dotted, as `--set` takes it.
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    /// Whether an edit of a run's `config.toml` takes effect on the next turn.
    pub(crate) live: bool,
}

const fn fixed(name: &'static str, kind: Kind) -> Key {
    Key {
        name,
        kind,
        live: false,
    }
}

const fn live(name: &'static str, kind: Kind) -> Key {
    Key { name, kind, live: true }
}

/// A day: longer delays and timeouts are typing errors.
const DAY_S: f64 = 86_400.0;

/// All keys but `protocol.tools.*`, which are named after the tools.
const KEYS: &[Key] = &[
    fixed("model.upstream", Kind::Text),
    fixed("model.name", Kind::Text),
    fixed("model.timeout_s", Kind::Number(0.1, DAY_S)),
    fixed("model.attempts", Kind::Count(1, 100)),
    live("model.temperature", Kind::Number(0.0, 10.0)),
    live("model.top_p", Kind::Number(0.0, 1.0)),
    live("model.max_tokens", Kind::Count(1, 10_000_000)),
    live("image.width", Kind::Count(16, 8192)),
    live("image.height", Kind::Count(16, 8192)),
    live("loop.executing_delay_s", Kind::Number(0.0, DAY_S)),
    live("loop.max_turns", Kind::Count(0, i64::MAX)),
    fixed("protocol.kind", Kind::Choice(&["python"])),
    fixed("protocol.strict", Kind::Flag),
    fixed("protocol.limits.source_bytes", Kind::Count(1, 1 << 20)),
    fixed("protocol.limits.steps", Kind::Count(1, 1_000_000_000)),
    fixed("protocol.limits.seconds", Kind::Number(0.01, 60.0)),
    fixed("protocol.limits.bytes", Kind::Count(1 << 16, 1 << 30)),
    fixed("protocol.limits.depth", Kind::Count(1, 200)),
    fixed("protocol.limits.actions", Kind::Count(1, 100_000)),
    fixed("memory.kind", Kind::Choice(&["story"])),
    fixed("memory.shape", Kind::Choice(&["seeds", "merged"])),
    fixed("memory.empty_story", Kind::Text),
    fixed("screen.kind", Kind::Choice(&["canvas"])),
    fixed("screen.width", Kind::Count(16, 16_384)),
    fixed("screen.height", Kind::Count(16, 16_384)),
    live("marks.crosshair", Kind::Flag),
    live("marks.classic", Kind::Flag),
    live("marks.cursor", Kind::Flag),
    live("marks.timestamp", Kind::Flag),
    live("prompt.system", Kind::Text),
    live("prompt.goal", Kind::Text),
    fixed("record.dir", Kind::Text),
    fixed("record.batch", Kind::Count(1, 1_000_000)),
    fixed("record.exchange_log", Kind::Flag),
    fixed("record.required", Kind::Flag),
    fixed("record.durable", Kind::Flag),
    fixed("record.keep_pictures", Kind::Count(0, i64::MAX)),
];

const TOOLS_PREFIX: &str = "protocol.tools.";

impl Key {
    /// The key of this dotted name.
    pub(crate) fn named(name: &str) -> Option<Key> {
        if let Some(tool) = name.strip_prefix(TOOLS_PREFIX) {
            let tool = TOOLS.iter().find(|known| known.name == tool)?;
            return Some(live(tool.name, Kind::Flag));
        }
        KEYS.iter().find(|key| key.name == name).copied()
    }

    /// All dotted names.
    pub(crate) fn names() -> Vec<String> {
        let tools = TOOLS.iter().map(|tool| format!("{TOOLS_PREFIX}{}", tool.name));
        KEYS.iter().map(|key| key.name.to_owned()).chain(tools).collect()
    }

    /// The known name, of a key or a table, most like this one, when one is like it at all.
    pub(crate) fn nearest(name: &str) -> Option<String> {
        let last = |name: &str| name.rsplit('.').next().unwrap_or_default().to_owned();
        let likeness = |known: &str| {
            let whole = strsim::normalized_damerau_levenshtein(known, name);
            whole.max(strsim::normalized_damerau_levenshtein(&last(known), &last(name)) - 0.05)
        };
        let names = Key::names();
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
        let best = scored.max_by(|a, b| a.0.total_cmp(&b.0))?;
        (best.0 > 0.5).then_some(best.1)
    }

    /// Whether the value is one this key takes; if not, what it must be.
    pub(crate) fn check(&self, value: &Value) -> Result<(), String> {
        let fits = match (self.kind, value) {
            (Kind::Text, Value::String(_)) | (Kind::Flag, Value::Boolean(_)) => true,
            (Kind::Number(least, most), Value::Float(number)) => (least..=most).contains(number),
            (Kind::Number(least, most), Value::Integer(number)) => (least..=most).contains(&(*number as f64)),
            (Kind::Count(least, most), Value::Integer(number)) => (least..=most).contains(number),
            (Kind::Choice(words), Value::String(word)) => words.contains(&word.as_str()),
            _ => false,
        };
        if fits { Ok(()) } else { Err(self.kind.to_string()) }
    }

    /// The value that a text from the environment or a flag means for this key.
    pub(crate) fn read(&self, text: &str) -> Value {
        let as_text = || Value::String(text.to_owned());
        match self.kind {
            Kind::Text | Kind::Choice(_) => as_text(),
            _ => text.trim().parse::<Value>().unwrap_or_else(|_| as_text()),
        }
    }
}

/// What a value must be: "a number from 0 to 10".
impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Text => f.write_str("a text"),
            Kind::Flag => f.write_str("true or false"),
            Kind::Number(least, most) => write!(f, "a number from {least} to {most}"),
            Kind::Count(least, i64::MAX) => write!(f, "a whole number, at least {least}"),
            Kind::Count(least, most) => write!(f, "a whole number from {least} to {most}"),
            Kind::Choice([only]) => write!(f, "\"{only}\""),
            Kind::Choice(words) => write!(f, "one of \"{}\"", words.join("\", \"")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_key_is_the_one_that_was_meant() {
        let cases = [
            ("loop.exeuting_delay_s", Some("loop.executing_delay_s")),
            ("model.temprature", Some("model.temperature")),
            ("temperature", Some("model.temperature")),
            ("protocol.tools.left_clik", Some("protocol.tools.left_click")),
            ("zzzzzz", None),
        ];
        for (written, meant) in cases {
            assert_eq!(Key::nearest(written).as_deref(), meant, "{written}");
        }
    }

    #[test]
    fn values_are_checked_by_kind_and_range() {
        let refused = |name: &str, text: &str| {
            let key = Key::named(name).unwrap();
            key.check(&key.read(text)).err()
        };
        assert_eq!(refused("model.temperature", "1"), None);
        assert_eq!(
            refused("model.temperature", "hot"),
            Some("a number from 0 to 10".into())
        );
        assert_eq!(
            refused("image.width", "1.5"),
            Some("a whole number from 16 to 8192".into())
        );
        assert_eq!(
            refused("memory.shape", "odd"),
            Some("one of \"seeds\", \"merged\"".into())
        );
        assert_eq!(refused("model.name", "4"), None);
        assert_eq!(refused("protocol.tools.press", "yes"), Some("true or false".into()));
    }
}
