//! Written calls with blanks. A call as FRANZ writes it becomes a grammar in which each blank is replaced by its
//! allowed contents.

use franz_action::keys::{Key, Modifier};

use super::{Grammar, numbers};
use crate::geometry::Geometry;

/// Stands for a place's first number.
pub(crate) const FIRST: char = '\u{e000}';
/// Stands for a place's second number.
pub(crate) const SECOND: char = '\u{e001}';
/// Stands for text.
pub(crate) const TEXT: char = '\u{e002}';
/// Stands for text that may be empty.
pub(crate) const NOTE: char = '\u{e003}';
/// Marks where a line may end.
pub(crate) const BREAK: char = '\u{e005}';
/// Stands for a key.
pub(crate) const KEY: char = '\u{e004}';
/// Stands for a target's name.
pub(crate) const TARGET: char = '\u{e006}';

/// The maximum length of text, in characters.
pub(crate) const LONGEST_TEXT: u16 = 1200;
/// The maximum length of a target's name, in characters.
const LONGEST_TARGET: u16 = 200;
/// The maximum length of a note, in characters.
pub(crate) const LONGEST_NOTE: u16 = 300;

/// What surrounds a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quote {
    /// `"`, as in JSON.
    Json,
    /// `'`, as in Python.
    Python,
    /// A tag before the text and a tag after it.
    Tag,
}

/// The contents for each kind of blank.
pub(crate) struct Filled {
    quote: Quote,
    numbers: [Grammar; 2],
}

impl Filled {
    /// Creates the contents, or returns `None` if the coordinate space is unknown.
    pub(crate) fn new(quote: Quote, geometry: &Geometry) -> Option<Filled> {
        let numbers = numbers(geometry)?;
        Some(Filled { quote, numbers })
    }

    /// Returns a choice of calls with similar forms.
    pub(crate) fn calls(&self, written: &[String]) -> Grammar {
        self.fill(Grammar::one_text_of(written))
    }

    /// Fills the blanks in all strings of a grammar.
    fn fill(&self, grammar: Grammar) -> Grammar {
        match grammar {
            Grammar::Text(text) => self.filled(&text),
            Grammar::Sequence(parts) => Grammar::Sequence(parts.into_iter().map(|part| self.fill(part)).collect()),
            Grammar::Choice(parts) => Grammar::Choice(parts.into_iter().map(|part| self.fill(part)).collect()),
            other => other,
        }
    }

    fn filled(&self, text: &str) -> Grammar {
        let mut parts = Vec::new();
        let mut plain = String::new();
        for c in text.chars() {
            let blank = match c {
                FIRST => self.numbers[0].clone(),
                SECOND => self.numbers[1].clone(),
                TEXT => self.quote.text(LONGEST_TEXT),
                TARGET => self.quote.text(LONGEST_TARGET),
                NOTE => self.quote.text(LONGEST_NOTE).optional(),
                KEY => key(),
                BREAK => Grammar::text("\n").optional(),
                c => {
                    plain.push(c);
                    continue;
                }
            };
            parts.push(Grammar::Text(std::mem::take(&mut plain)));
            parts.push(blank);
        }
        parts.push(Grammar::Text(plain));
        Grammar::Sequence(parts)
    }

    /// Returns both numbers of a place.
    pub(crate) fn place(&self) -> Grammar {
        self.filled(&format!("[{FIRST}, {SECOND}]"))
    }

    /// Returns a key and its modifiers.
    pub(crate) fn chord() -> Grammar {
        let held = HELD.iter().map(|held| {
            let held: Vec<String> = held.iter().map(|modifier| format!("{}+", modifier.name())).collect();
            Grammar::text(held.concat())
        });
        Grammar::Sequence(vec![
            Grammar::text("\""),
            Grammar::Choice(held.collect()),
            key(),
            Grammar::text("\""),
        ])
    }

    /// Returns the modifiers of a click.
    pub(crate) fn held() -> Grammar {
        let held = HELD.iter().filter(|held| !held.is_empty());
        let held = held.map(|held| {
            let names: Vec<&str> = held.iter().map(|modifier| modifier.name()).collect();
            Grammar::text(names.join("+"))
        });
        Grammar::Sequence(vec![
            Grammar::text("\""),
            Grammar::Choice(held.collect()),
            Grammar::text("\""),
        ])
    }

    pub(crate) fn text(&self) -> Grammar {
        self.filled(&format!("\"{TEXT}\""))
    }

    /// Returns a target's name.
    pub(crate) fn target(&self) -> Grammar {
        self.filled(&format!("\"{TARGET}\""))
    }
}

impl Quote {
    /// Returns non-empty text that fits inside these quotes.
    fn text(self, most: u16) -> Grammar {
        let (beginning, plain, escaped): (&[_], &[_], &[_]) = match self {
            Quote::Json => (
                &[('\0', ' '), ('"', '"'), ('\\', '\\'), ('\u{7f}', '\u{a0}')],
                &[('\0', '\u{1f}'), ('"', '"'), ('\\', '\\'), ('\u{7f}', '\u{9f}')],
                &[('"', '"'), ('\\', '\\'), ('n', 'n'), ('t', 't')],
            ),
            Quote::Python => (
                &[('\0', ' '), ('\'', '\''), ('\\', '\\'), ('\u{7f}', '\u{a0}')],
                &[('\0', '\u{1f}'), ('\'', '\''), ('\\', '\\'), ('\u{7f}', '\u{9f}')],
                &[('\'', '\''), ('\\', '\\'), ('n', 'n'), ('t', 't')],
            ),
            Quote::Tag => (
                &[('\0', ' '), ('<', '<'), ('\u{7f}', '\u{a0}')],
                &[('\0', '\u{1f}'), ('<', '<'), ('\u{7f}', '\u{9f}')],
                &[],
            ),
        };
        let char = |plain| {
            let plain = Grammar::none_of(plain);
            if escaped.is_empty() {
                return plain;
            }
            let escape = Grammar::Sequence(vec![Grammar::text("\\"), Grammar::one_of(escaped)]);
            Grammar::Choice(vec![plain, escape])
        };
        let said = Grammar::Sequence(vec![
            Grammar::text(" ").optional(),
            Grammar::none_of(beginning),
            char(plain).up_to(most),
        ]);
        if self != Quote::Tag {
            return said;
        }
        // A line break at the end is part of the notation. A second one means the Enter key.
        Grammar::Sequence(vec![said, Grammar::text("\n").optional()])
    }
}

/// Returns a key's name without modifiers.
fn key() -> Grammar {
    let letters = Grammar::one_of(LETTERS);
    Grammar::Choice(long_keys().map(Grammar::Text).chain([letters]).collect())
}

/// Returns the names of all keys.
pub(crate) fn keys() -> Vec<String> {
    let letters = LETTERS.iter().flat_map(|(first, last)| *first..=*last);
    long_keys().chain(letters.map(String::from)).collect()
}

/// Returns the names of the keys that are not letters.
fn long_keys() -> impl Iterator<Item = String> {
    let named = Key::NAMED.iter().map(|name| (*name).to_owned());
    named.chain((1..=12).map(|number| format!("f{number}")))
}

const LETTERS: &[(char, char)] = &[('a', 'z')];

/// The modifiers of a key.
pub(crate) const HELD: [&[Modifier]; 8] = [
    &[],
    &[Modifier::Ctrl],
    &[Modifier::Alt],
    &[Modifier::Shift],
    &[Modifier::Win],
    &[Modifier::Ctrl, Modifier::Shift],
    &[Modifier::Ctrl, Modifier::Alt],
    &[Modifier::Alt, Modifier::Shift],
];
