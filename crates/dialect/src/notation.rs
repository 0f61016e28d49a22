//! Notations: how calls are written in text, whatever they mean. Each notation has its own file, which finds the raw
//! calls.
//!
//! Nothing is ever evaluated. After something unreadable, reading continues where it stopped, so that no reply takes
//! long to read.

pub(crate) mod code;
pub(crate) mod element;
pub(crate) mod joined;
pub(crate) mod line;
pub(crate) mod literal;
pub(crate) mod object;
pub(crate) mod searched;
pub(crate) mod tag;
pub(crate) mod token;

use std::ops::Range;

use memchr::{memchr_iter, memmem};
use serde_json::{Map, Value};

use crate::json::{Broken, StringFault};
pub(crate) use searched::{Searched, Stand};

/// The maximum number of calls to read from one reply.
pub(crate) const MOST_CALLS: usize = 200;

/// The arguments of a call, before any check.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Arguments {
    pub(crate) positional: Vec<Value>,
    pub(crate) named: Vec<(String, Value)>,
}

/// Two names for the same argument have different values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Contradiction(pub(crate) String);

impl Arguments {
    /// Returns the members of an object as arguments.
    pub(crate) fn of(members: Map<String, Value>) -> Arguments {
        Arguments {
            positional: Vec::new(),
            named: members.into_iter().map(|(key, value)| (trimmed(key), value)).collect(),
        }
    }

    /// Returns the first non-empty argument with one of these names.
    pub(crate) fn get(&self, names: &[&str]) -> Option<&Value> {
        let said = |name: &&str| {
            self.named
                .iter()
                .find(|(key, value)| same(key, name) && !value.is_null())
        };
        names.iter().find_map(said).map(|(_, value)| value)
    }

    /// Returns the value that all arguments with these names agree on.
    pub(crate) fn agreed(&self, names: &[&str]) -> Result<Option<&Value>, Contradiction> {
        let mut found: Option<(&str, &Value)> = None;
        for (key, value) in &self.named {
            if value.is_null() || !names.iter().any(|name| same(key, name)) {
                continue;
            }
            match found {
                Some((other, before)) if before != value => {
                    return Err(Contradiction(format!("'{other}' and '{key}' disagree")));
                }
                _ => found = Some((key, value)),
            }
        }
        Ok(found.map(|(_, value)| value))
    }

    /// Removes the first argument with one of these names, and returns it.
    pub(crate) fn take(&mut self, names: &[&str]) -> Option<Value> {
        let place = names
            .iter()
            .find_map(|name| self.named.iter().position(|(key, _)| same(key, name)))?;
        Some(self.named.remove(place).1)
    }

    /// Returns all arguments as an object, with the positional ones named by their index.
    pub(crate) fn object(&self) -> Value {
        let numbered = self.positional.iter().enumerate();
        let numbered = numbered.map(|(number, value)| (number.to_string(), value.clone()));
        numbered.chain(self.named.iter().cloned()).collect::<Map<_, _>>().into()
    }
}

/// Returns a function's name without what templates add to it, as in `functions.wait:0` or `wait<|channel|>commentary`.
pub(crate) fn bare_name(name: &str) -> &str {
    let name = name.split("<|").next().unwrap_or(name).trim();
    let name = name.strip_prefix("functions.").unwrap_or(name);
    match name.rsplit_once(':') {
        Some((name, number)) if number.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => name,
    }
}

/// Returns a name without the whitespace around it.
fn trimmed(name: String) -> String {
    match name.trim() {
        bare if bare.len() < name.len() => bare.to_owned(),
        _ => name,
    }
}

/// Checks whether two names have the same spelling, ignoring case, `_` and whitespace.
pub(crate) fn same(a: &str, b: &str) -> bool {
    let first = |name: &str| name.bytes().next().filter(u8::is_ascii_alphanumeric);
    let differ = matches!((first(a), first(b)), (Some(a), Some(b)) if !a.eq_ignore_ascii_case(&b));
    !differ && (a == b || (a.len() <= 64 && letters(a).eq(letters(b))))
}

/// Returns the letters of a name that matter in comparisons.
fn letters(name: &str) -> impl Iterator<Item = u8> + '_ {
    let letters = name.bytes().filter(|byte| !matches!(byte, b'_' | b'-' | b' '));
    letters.map(|byte| byte.to_ascii_lowercase())
}

/// The letters of a name that matter in comparisons. They are equal for all names with the same spelling.
pub(crate) struct PlainName {
    letters: [u8; LONGEST_PLAIN],
    length: usize,
}

const LONGEST_PLAIN: usize = 64;

impl PlainName {
    pub(crate) fn of(name: &str) -> PlainName {
        let mut plain = PlainName {
            letters: [0; LONGEST_PLAIN],
            length: 0,
        };
        for (place, letter) in plain.letters.iter_mut().zip(letters(name)) {
            *place = letter;
            plain.length += 1;
        }
        plain
    }

    pub(crate) fn letters(&self) -> &[u8] {
        self.letters.get(..self.length).unwrap_or_default()
    }
}

/// Iterates over the lines of the text, including their line breaks. Each comes with the position where it starts.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let ends = memchr_iter(b'\n', text.as_bytes()).map(|end| end + 1);
    let mut start = 0;
    ends.chain([text.len()]).filter_map(move |end| {
        let at = std::mem::replace(&mut start, end);
        let line = text.get(at..end).filter(|line| !line.is_empty())?;
        Some((at, line))
    })
}

/// Returns where `sought` first occurs in the text, starting the search at a position.
pub(crate) fn find(text: &str, from: usize, sought: &str) -> Option<usize> {
    let (text, sought) = (rest(text, from).as_bytes(), sought.as_bytes());
    let found = match sought.first() {
        // Punctuation is rare, so checking each occurrence is faster than preparing a search.
        Some(mark) if mark.is_ascii_punctuation() => {
            memchr_iter(*mark, text).find(|at| text.get(*at..).is_some_and(|behind| behind.starts_with(sought)))
        }
        _ => memmem::find(text, sought),
    };
    found.map(|found| from + found)
}

/// What encloses a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wrap {
    /// A tag or token that marks a call as such.
    Tag,
    /// A Seed tag.
    Seed,
    /// An object, with or without a fence.
    Object,
    /// A line with nothing else before it.
    Line,
    /// Words in a sentence.
    Words,
    /// A line of a code block.
    Code,
    /// The server's array of tool calls.
    Native,
}

/// Why a call cannot be read at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Flaw {
    #[error("the call could not be read")]
    Broken,
    #[error("{}", StringFault::Quotes)]
    Quotes,
    #[error("{}", StringFault::Backslash)]
    Backslash,
    #[error("one call is inside another")]
    Nested,
    #[error("{}", crate::call::CallError::Thought)]
    Thought,
    #[error("the code block contains more than plain calls, so none of it was run")]
    Foreign,
    #[error("it follows another call within a sentence; write each call on a line of its own")]
    Amid,
    #[error("only the last code block of a reply is run; write all calls in one block")]
    Earlier,
}

impl Flaw {
    /// Returns the flaw of a call whose JSON is broken.
    pub(crate) fn of(broken: Broken) -> Flaw {
        match broken.string {
            Some(StringFault::Quotes) => Flaw::Quotes,
            Some(StringFault::Backslash) => Flaw::Backslash,
            None => Flaw::Broken,
        }
    }
}

/// One call as it was found.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RawCall {
    /// The name, which may be empty.
    pub(crate) name: String,
    pub(crate) args: Arguments,
    /// Where the call is in the text, in bytes.
    pub(crate) span: Range<usize>,
    pub(crate) wrap: Wrap,
    pub(crate) flaw: Option<Flaw>,
    /// What was repaired in the call's syntax.
    pub(crate) mended: Option<&'static str>,
}

impl RawCall {
    pub(crate) fn new(name: impl Into<String>, args: Arguments, span: Range<usize>, wrap: Wrap) -> RawCall {
        RawCall {
            name: name.into(),
            args,
            span,
            wrap,
            flaw: None,
            mended: None,
        }
    }

    /// Returns a stand-in for something that should have been a call.
    pub(crate) fn flawed(flaw: Flaw, span: Range<usize>, wrap: Wrap) -> RawCall {
        RawCall {
            flaw: Some(flaw),
            ..RawCall::new("", Arguments::default(), span, wrap)
        }
    }

    pub(crate) fn mended(self, what: Option<&'static str>) -> RawCall {
        RawCall {
            mended: self.mended.or(what),
            ..self
        }
    }
}

/// Returns the rest of the text, starting at a position.
pub(crate) fn rest(text: &str, at: usize) -> &str {
    text.get(at..).unwrap_or_default()
}

/// Returns a value between tags without one line break at each end, because these line breaks are part of the notation.
pub(crate) fn without_frame(value: &str) -> &str {
    let value = value
        .strip_prefix("\r\n")
        .or_else(|| value.strip_prefix('\n'))
        .unwrap_or(value);
    value
        .strip_suffix("\r\n")
        .or_else(|| value.strip_suffix('\n'))
        .unwrap_or(value)
}

/// Returns the name at the start of the text.
pub(crate) fn word(text: &str) -> &str {
    let end = text
        .bytes()
        .take(64)
        .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    text.get(..end.count()).unwrap_or_default()
}
