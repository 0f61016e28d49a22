//! Strings, numbers and keywords as JSON and Python write them.

use std::borrow::Cow;

use serde_json::{Number, Value};

/// Checks whether a string can begin with this character.
pub(crate) fn is_quote(c: char) -> bool {
    closers(c).is_some()
}

/// Returns the quotes that can end a string that begins with this one. Curly quotes do not always come in pairs.
pub(crate) fn closers(quote: char) -> Option<&'static [char]> {
    match quote {
        '"' => Some(&['"']),
        '\'' => Some(&['\'']),
        '\u{201c}' | '\u{201d}' | '\u{201e}' | '\u{201f}' => Some(&['\u{201c}', '\u{201d}', '\u{201f}']),
        '\u{2018}' | '\u{2019}' | '\u{201a}' | '\u{201b}' => Some(&['\u{2018}', '\u{2019}', '\u{201b}']),
        '\u{ff02}' => Some(&['\u{ff02}']),
        '\u{ff07}' => Some(&['\u{ff07}']),
        _ => None,
    }
}

/// A string.
pub(crate) struct ReadString<'a> {
    pub(crate) text: Cow<'a, str>,
    /// The length in bytes including the closing quote.
    pub(crate) length: usize,
    pub(crate) escapes: Escapes,
}

/// The kinds of escapes in a string.
#[derive(Clone, Copy, Default)]
pub(crate) struct Escapes {
    /// Whether a backslash stands for itself before a letter or a digit, as in a path.
    unknown: bool,
    /// Whether a backslash and the letters behind it, which could also be part of a path, stand for one character.
    lettered: bool,
}

impl Escapes {
    /// Adds an escape that stands for this character, if any. The text behind its backslash is `behind`.
    pub(crate) fn add(&mut self, c: Option<char>, behind: &str) {
        // Commands and patterns often have a backslash before punctuation, as in `\;` and `\$`. Paths have it before
        // names.
        self.unknown |= c.is_none() && behind.starts_with(char::is_alphanumeric);
        self.lettered |= c.is_some() && behind.starts_with(['b', 'f', 'n', 'r', 't', 'u', 'x']);
    }

    /// Checks whether it is uncertain what the backslashes mean, as in `C:\Users\nick`.
    pub(crate) fn contradict(self) -> bool {
        self.unknown && self.lettered
    }
}

/// Reads the string whose opening quote is just before `rest`.
pub(crate) fn string(rest: &str, quote: char) -> Option<ReadString<'_>> {
    let closers = closers(quote)?;
    let mut string = Cow::Borrowed("");
    let mut escapes = Escapes::default();
    let mut at = 0;
    loop {
        let tail = rest.get(at..)?;
        let stop = match quote {
            '"' | '\'' => tail
                .bytes()
                .position(|byte| byte == b'\\' || char::from(byte) == quote)?,
            _ => tail.find(|c| c == '\\' || closers.contains(&c))?,
        };
        string += tail.get(..stop)?;
        let mark = tail.get(stop..)?.chars().next()?;
        at += stop + mark.len_utf8();
        if mark != '\\' {
            return Some(ReadString {
                text: string,
                length: at,
                escapes,
            });
        }
        let behind = rest.get(at..)?;
        let (c, length) = escape(behind, closers)?;
        escapes.add(c, behind);
        match c {
            Some(c) => string.to_mut().push(c),
            None => string.to_mut().push('\\'),
        }
        at += length;
    }
}

/// Reads the escape after a backslash. Returns its character and its length. If there is no character, the backslash
/// stands for itself, as in Python.
pub(crate) fn escape(behind: &str, closers: &[char]) -> Option<(Option<char>, usize)> {
    let c = behind.chars().next()?;
    let plain = |c: char| Some((Some(c), 1));
    match c {
        '"' | '\'' | '\\' | '/' => plain(c),
        'b' => plain('\u{8}'),
        'f' => plain('\u{c}'),
        'n' => plain('\n'),
        'r' => plain('\r'),
        't' => plain('\t'),
        'u' => Some(unicode(behind)),
        'x' => Some(code(behind, 2)),
        'U' => Some(code(behind, 8)),
        c if closers.contains(&c) => Some((Some(c), c.len_utf8())),
        _ => Some((None, 0)),
    }
}

/// Reads `x41` or `U0001f600`.
fn code(behind: &str, digits: usize) -> (Option<char>, usize) {
    match behind.get(1..=digits).and_then(hex).and_then(char::from_u32) {
        Some(c) => (Some(c), digits + 1),
        None => (None, 0),
    }
}

/// Reads `u00e9`, including pairs of surrogates.
fn unicode(behind: &str) -> (Option<char>, usize) {
    let Some(unit) = behind.get(1..5).and_then(hex) else {
        return (None, 0);
    };
    if let Some(c) = char::from_u32(unit) {
        return (Some(c), 5);
    }
    let low = behind.get(5..7).filter(|mark| *mark == "\\u");
    let low = low.and_then(|_| behind.get(7..11)).and_then(hex);
    match low.filter(|low| unit < 0xdc00 && (0xdc00..0xe000).contains(low)) {
        Some(low) => (char::from_u32(0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00)), 11),
        None => (Some(char::REPLACEMENT_CHARACTER), 5),
    }
}

/// Reads hexadecimal digits. `from_str_radix` alone would also accept a sign.
fn hex(digits: &str) -> Option<u32> {
    let only_digits = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    only_digits.then(|| u32::from_str_radix(digits, 16).ok()).flatten()
}

/// Returns a number or a keyword as strict JSON. NaN and infinite values become strings, because JSON cannot represent
/// them, and the code that expects a number will report that there is none.
pub(crate) fn word(word: &str) -> Option<Cow<'_, str>> {
    let strict = match word {
        "true" | "True" => "true",
        "false" | "False" => "false",
        "null" | "None" => "null",
        _ => return number(word),
    };
    Some(Cow::Borrowed(strict))
}

fn number(word: &str) -> Option<Cow<'_, str>> {
    if is_small_integer(word) {
        return Some(Cow::Borrowed(word));
    }
    let number: f64 = word.parse().ok()?;
    if !number.is_finite() {
        return Some(Cow::Owned(Value::from(word).to_string()));
    }
    if serde_json::from_str::<Number>(word).is_ok() {
        return Some(Cow::Borrowed(word));
    }
    Some(Cow::Owned(number.to_string()))
}

/// Checks quickly whether this is strict JSON, which is the case for most numbers.
fn is_small_integer(word: &str) -> bool {
    let digits = word.bytes().all(|byte| byte.is_ascii_digit());
    digits && (1..=15).contains(&word.len()) && (word.len() == 1 || !word.starts_with('0'))
}
