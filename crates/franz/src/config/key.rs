//! A configuration key: its name, the values it accepts, who may set it, whether it can change during a run, and its
//! purpose.

use super::kind::ValueKind;
use super::trust::Trust;

/// The goal, which a flag or a scenario sets.
pub(crate) const GOAL: &str = "prompt.goal";

/// One configuration key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConfigKey {
    /// The dotted name, in the form that `--set` accepts. The keys for tools contain the name of the tool.
    pub(crate) name: &'static str,
    pub(crate) kind: ValueKind,
    /// Who may set it.
    pub(crate) trust: Trust,
    /// Whether an edit of a run's `config.toml` takes effect on the next turn.
    pub(crate) live: bool,
    /// The default, in the form that `--set` accepts.
    pub(crate) default: Option<&'static str>,
    /// Whether a configuration may omit it.
    pub(crate) optional: bool,
    /// The shorthand flag, if there is one.
    pub(crate) flag: Option<&'static str>,
    /// Its purpose, in one line, with its unit.
    pub(crate) about: &'static str,
}

/// Returns a key whose value cannot change before the next start.
pub(super) const fn fixed(kind: ValueKind, trust: Trust) -> ConfigKey {
    ConfigKey {
        name: "",
        kind,
        trust,
        live: false,
        default: None,
        optional: true,
        flag: None,
        about: "",
    }
}

/// Returns a key whose value can change from one turn to the next.
pub(super) const fn live(kind: ValueKind, trust: Trust) -> ConfigKey {
    ConfigKey {
        live: true,
        ..fixed(kind, trust)
    }
}

/// Declares tables of settings: a struct for each table, and `KEYS`, which lists the keys of all tables. A field with a
/// `+` has no key of its own.
macro_rules! tables {
    ($($(#[$meta:meta])* $table:literal $struct:ident {
        $(#[doc = $about:literal] $field:ident $(as $part:literal)?: $type:ty = $key:expr;)*
        $(+ $inner:ident: $inner_type:ty;)*
    })*) => {
        $($(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        pub(crate) struct $struct {
            $($(#[serde(rename = $part)])? pub(crate) $field: $type,)*
            $(pub(crate) $inner: $inner_type,)*
        })*

        /// All keys except `protocol.tools.*`, in the order of a run's `config.toml`.
        pub(super) const KEYS: &[ConfigKey] = &[
            $($(ConfigKey {
                name: concat!($table, ".", tables!(@part $field $($part)?)),
                about: $about.trim_ascii_start(),
                ..$key
            },)*)*
        ];
    };
    (@part $field:ident) => { stringify!($field) };
    (@part $field:ident $part:literal) => { $part };
}

pub(super) use tables;

impl ConfigKey {
    pub(super) const fn default(self, text: &'static str) -> ConfigKey {
        ConfigKey {
            default: Some(text),
            optional: false,
            ..self
        }
    }

    pub(super) const fn flag(self, flag: &'static str) -> ConfigKey {
        ConfigKey {
            flag: Some(flag),
            ..self
        }
    }
}
