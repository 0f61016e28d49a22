//! Grammars: descriptions of the allowed replies, for servers that can enforce them.
//!
//! In reading order: this file builds grammars, `gbnf` writes one in the syntax of llama.cpp, and `matching` checks
//! strings against one. `blanks` makes a grammar from a written call with blanks in it, `calls` makes grammars for all
//! calls of a form, and `reply` puts those into the frame of a protocol.

mod blanks;
mod calls;
mod gbnf;
mod matching;
mod reply;

use crate::geometry::{Geometry, Space};
pub(crate) use blanks::{BREAK, FIRST, Filled, KEY, LONGEST_NOTE, LONGEST_TEXT, NOTE, Quote, SECOND, TEXT, keys};
pub(crate) use calls::{different, ends, written};
pub use reply::{CallsIn, ReplyForm};

/// A set of strings. A grammar never contains itself, and every repetition has a limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Grammar {
    /// Only this string.
    Text(String),
    /// One character.
    Char(CharSet),
    /// One string from each grammar, in this order.
    Sequence(Vec<Grammar>),
    /// A string from any one of the grammars.
    Choice(Vec<Grammar>),
    /// Strings from a grammar in a row, with the minimum and maximum number of them.
    Repeat(Box<Grammar>, u16, u16),
}

/// A set of characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CharSet {
    /// Whether the set contains all characters except those in the ranges.
    pub except: bool,
    /// The ranges, including their ends.
    pub ranges: &'static [(char, char)],
}

impl CharSet {
    /// Checks whether the set contains a character.
    pub fn holds(&self, c: char) -> bool {
        self.ranges.iter().any(|(first, last)| (*first..=*last).contains(&c)) != self.except
    }
}

/// The digits.
const DIGITS: &[(char, char)] = &[('0', '9')];
/// Characters that words cannot begin with: control characters, blanks and punctuation.
const NO_BEGINNING: &[(char, char)] = &[
    ('\0', '/'),
    (':', '@'),
    ('[', '`'),
    ('{', '\u{a0}'),
    ('\u{2000}', '\u{206f}'),
    WIDE,
    WIDE_MORE,
];
/// Characters that words cannot contain: line breaks, and the marks that begin calls, code and thoughts.
const NO_WORDS: &[(char, char)] = &[
    ('\0', '\u{1f}'),
    ('(', ')'),
    ('<', '<'),
    ('>', '>'),
    ('[', '['),
    (']', ']'),
    ('`', '`'),
    ('{', '}'),
    ('\u{7f}', '\u{9f}'),
    ('\u{2028}', '\u{2029}'),
    WIDE,
    WIDE_MORE,
];
/// Brackets and punctuation from other scripts that are read like those of ASCII.
const WIDE: (char, char) = ('\u{3000}', '\u{301f}');
const WIDE_MORE: (char, char) = ('\u{ff00}', '\u{ffef}');

impl Grammar {
    pub(crate) fn text(text: impl Into<String>) -> Grammar {
        Grammar::Text(text.into())
    }

    pub(crate) fn one_of(ranges: &'static [(char, char)]) -> Grammar {
        Grammar::Char(CharSet { except: false, ranges })
    }

    pub(crate) fn none_of(ranges: &'static [(char, char)]) -> Grammar {
        Grammar::Char(CharSet { except: true, ranges })
    }

    pub(crate) fn up_to(self, most: u16) -> Grammar {
        Grammar::Repeat(Box::new(self), 0, most)
    }

    pub(crate) fn optional(self) -> Grammar {
        self.up_to(1)
    }

    /// Returns this grammar followed by `more`. If this grammar is optional, both are omitted together.
    pub(crate) fn followed_by(self, more: Grammar) -> Grammar {
        match self {
            Grammar::Repeat(this, least, 1) => {
                let both = Grammar::Sequence(vec![*this, more]);
                Grammar::Repeat(Box::new(both), least, 1)
            }
            this => Grammar::Sequence(vec![this, more]),
        }
    }

    /// Returns a choice of these strings, with their common beginnings and endings factored out.
    pub(crate) fn one_text_of(texts: &[String]) -> Grammar {
        let [first, others @ ..] = texts else {
            return Grammar::Choice(Vec::new());
        };
        if others.is_empty() {
            return Grammar::text(first);
        }
        let common = |ends: &dyn Fn(&str, &str) -> usize| others.iter().map(|other| ends(first, other)).min();
        let before = common(&|a, b| alike(a.chars(), b.chars())).unwrap_or_default();
        let rest: Vec<&str> = texts
            .iter()
            .map(|text| text.get(before..).unwrap_or_default())
            .collect();
        let after = rest
            .iter()
            .map(|other| alike(rest[0].chars().rev(), other.chars().rev()))
            .min();
        let after = after.unwrap_or_default();
        let middle = rest
            .iter()
            .map(|text| Grammar::text(&text[..text.len() - after]))
            .collect();
        Grammar::Sequence(vec![
            Grammar::text(&first[..before]),
            Grammar::Choice(middle),
            Grammar::text(&first[first.len() - after..]),
        ])
    }

    /// Returns the whole numbers in this range, in decimal.
    pub(crate) fn whole(first: u32, last: u32) -> Grammar {
        let mut choices = Vec::new();
        let mut low = first;
        loop {
            let digits = low.checked_ilog10().unwrap_or(0) + 1;
            let high = last.min(10_u32.pow(digits) - 1);
            choices.push(of_digits(low, high, digits));
            if high >= last {
                break;
            }
            low = high + 1;
        }
        Grammar::Choice(choices)
    }

    /// Returns a line of words that cannot begin a call, with at most this many characters.
    pub(crate) fn line(most: u16) -> Grammar {
        Grammar::Sequence(vec![
            Grammar::none_of(NO_BEGINNING),
            Grammar::none_of(NO_WORDS).up_to(most),
        ])
    }
}

/// Returns the length in bytes of the common beginning of two strings.
fn alike(a: impl Iterator<Item = char>, b: impl Iterator<Item = char>) -> usize {
    a.zip(b).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum()
}

/// Returns the numbers with this many digits in this range.
fn of_digits(low: u32, high: u32, digits: u32) -> Grammar {
    let any = |count: u32| match count {
        0 => Grammar::text(""),
        count => Grammar::Repeat(Box::new(Grammar::one_of(DIGITS)), count as u16, count as u16),
    };
    if digits == 0 {
        return Grammar::text("");
    }
    let below = 10_u32.pow(digits - 1);
    let mut choices = Vec::new();
    for digit in low / below..=high / below {
        let (from, to) = (
            low.max(digit * below) % below,
            high.min(digit * below + below - 1) % below,
        );
        let whole = from == 0 && to == below - 1;
        let rest = if whole {
            any(digits - 1)
        } else {
            of_digits(from, to, digits - 1)
        };
        choices.push((digit.to_string(), rest));
    }
    let mut grouped: Vec<(Vec<String>, Grammar)> = Vec::new();
    for (digit, rest) in choices {
        match grouped.last_mut() {
            Some((digits, same)) if *same == rest => digits.push(digit),
            _ => grouped.push((vec![digit], rest)),
        }
    }
    let grouped = grouped.into_iter().map(|(digits, rest)| {
        let first = Grammar::Choice(digits.into_iter().map(Grammar::Text).collect());
        Grammar::Sequence(vec![first, rest])
    });
    Grammar::Choice(grouped.collect())
}

/// Returns the minimum and maximum of a place's two numbers, in the order in which they are written, or `None` if the
/// coordinate space is unknown.
pub(crate) fn spans(geometry: &Geometry) -> Option<[(f64, f64); 2]> {
    geometry.last()?;
    let (low, high) = (geometry.written([0.0; 2]), geometry.written([1000.0; 2]));
    Some([(low[0], high[0]), (low[1], high[1])])
}

/// Returns a place's two numbers, or `None` if the coordinate space is unknown.
fn numbers(geometry: &Geometry) -> Option<[Grammar; 2]> {
    let spans = spans(geometry)?;
    let number = |low: f64, high: f64| {
        let whole = || Grammar::whole(low.ceil() as u32, high.floor() as u32);
        let point = |whole: Grammar, most| {
            let decimals = Grammar::Repeat(Box::new(Grammar::one_of(DIGITS)), 1, most);
            Grammar::Sequence(vec![whole, Grammar::text("."), decimals])
        };
        match geometry.space {
            Space::Fractions => Grammar::Choice(vec![whole(), point(Grammar::text("0"), 4)]),
            // A number from 0 to 1 with decimals could be mistaken for a fraction.
            Space::Percent => Grammar::Choice(vec![whole(), point(Grammar::whole(2, high as u32 - 1), 1)]),
            _ => whole(),
        }
    };
    Some(spans.map(|(low, high)| number(low, high)))
}
