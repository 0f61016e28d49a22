//! JSON as models write it, read tolerantly and written back strictly.
//!
//! What is mended is syntax alone: trailing commas, quotes and punctuation of other alphabets, Python's words and tuples,
//! names without quotes, line breaks in strings, doubled braces, escapes that JSON does not know. Never a string without an
//! end, and never a value that is missing. Strict JSON keeps its meaning; a lone surrogate becomes U+FFFD.
//!
//! The text is walked once, with the open brackets on a stack of our own, so neither length nor nesting is a danger.

mod literal;

pub(super) use literal::is_quote;

use std::fmt::Write;
use std::ops::Range;

use serde_json::Value;

/// What becomes of closing brackets that are missing at the very end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Closers {
    /// They are read as if they were there, where nothing else can be missing.
    Implied,
    /// They have to be there.
    Needed,
}

impl Closers {
    /// In a reply that was cut, or not: where one was, everything may be missing.
    pub(super) fn of(cut: bool) -> Closers {
        if cut { Closers::Needed } else { Closers::Implied }
    }
}

/// The text is no JSON, not even a model's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no JSON from byte {at} on")]
pub(super) struct Broken {
    /// How far the text was read.
    pub(super) at: usize,
}

/// One value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Read {
    /// Strict, compact JSON; its keys are in the order in which they were written.
    pub(super) text: String,
    /// Where it stands.
    pub(super) span: Range<usize>,
}

/// Reads the only value of a text. Too many closing brackets behind it do no harm.
pub(super) fn value(text: &str, closers: Closers) -> Result<Read, Broken> {
    let read = first_value(text, 0, closers)?;
    let end = behind_surplus(text, read.span.end);
    if text.get(end..).is_some_and(|rest| rest.trim().is_empty()) {
        Ok(read)
    } else {
        Err(Broken { at: end })
    }
}

/// Values that stand one after another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sequence {
    pub(super) values: Vec<Read>,
    /// Where the text goes on.
    pub(super) end: usize,
}

/// Reads the values of an array, or objects that follow each other, from this place on.
pub(super) fn sequence(text: &str, from: usize, closers: Closers) -> Result<Sequence, Broken> {
    let mut at = behind_blanks(text, from);
    let bracket = first(text, at).filter(|c| plain(*c) == '[');
    at += bracket.map_or(0, char::len_utf8);
    let mut values: Vec<Read> = Vec::new();
    loop {
        at = behind_blanks(text, at);
        let next = first(text, at);
        match next.map(plain) {
            Some(']') if bracket.is_some() => {
                at += next.map_or(0, char::len_utf8);
                break;
            }
            _ if bracket.is_some() && closers == Closers::Implied && !values.is_empty() && ends(text, at) => break,
            Some('{') => {}
            Some(_) if bracket.is_some() => {}
            _ if bracket.is_none() && !values.is_empty() => break,
            _ => return Err(Broken { at }),
        }
        let read = first_value(text, at, closers)?;
        at = read.span.end;
        values.push(read);
        let comma = behind_blanks(text, at);
        if let Some(c) = first(text, comma).filter(|c| plain(*c) == ',') {
            let behind = behind_blanks(text, comma + c.len_utf8());
            // Without a bracket a comma belongs to the sequence only when it goes on.
            if bracket.is_some() || first(text, behind).is_some_and(|c| plain(c) == '{') {
                at = behind;
            }
        } else if bracket.is_some() && first(text, comma).is_some_and(|c| plain(c) != ']') && !ends(text, comma) {
            return Err(Broken { at: comma });
        }
    }
    let end = behind_surplus(text, at);
    Ok(Sequence { values, end })
}

/// Where the text goes on behind blanks.
pub(super) fn behind_blanks(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + rest.len() - rest.trim_start().len()
}

/// Where the text goes on behind closing brackets that close nothing.
fn behind_surplus(text: &str, at: usize) -> usize {
    let mut end = at;
    for (offset, c) in text.get(at..).unwrap_or_default().char_indices() {
        match plain(c) {
            '}' | ']' => end = at + offset + c.len_utf8(),
            c if c.is_whitespace() => {}
            _ => break,
        }
    }
    end
}

fn first(text: &str, at: usize) -> Option<char> {
    text.get(at..)?.chars().next()
}

/// Whether JSON cannot go on here: the text ends, or a tag or a fence follows.
fn ends(text: &str, at: usize) -> bool {
    let rest = text.get(at..).unwrap_or_default();
    rest.is_empty() || rest.starts_with('<') || rest.starts_with("```")
}

/// Punctuation of other alphabets as JSON writes it; tuples are lists.
fn plain(c: char) -> char {
    match c {
        '\u{ff5b}' => '{',
        '\u{ff5d}' => '}',
        '\u{ff3b}' => '[',
        '\u{ff3d}' => ']',
        '\u{ff08}' => '(',
        '\u{ff09}' => ')',
        '\u{ff1a}' => ':',
        '\u{ff0c}' => ',',
        c => c,
    }
}

fn first_value(text: &str, from: usize, closers: Closers) -> Result<Read, Broken> {
    let mut walk = Walk {
        text,
        at: from,
        strict: String::new(),
        open: Vec::new(),
        next: Next::Value,
        comma: false,
        bare: false,
    };
    match walk.run(closers) {
        Some(()) => Ok(Read {
            text: walk.strict,
            span: behind_blanks(text, from)..walk.at,
        }),
        None => Err(Broken { at: walk.at }),
    }
}

/// What is open.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    Object,
    /// With what closes it.
    List(char),
    /// A brace that was written twice, of which the outer one means nothing.
    Doubled,
}

/// What may come next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    Value,
    /// A value, or the end of the list.
    Item,
    /// A key, the end of the object, or its brace a second time.
    FirstKey,
    /// A key, or the end of the object.
    Key,
    Colon,
    /// A comma, or the end of what is open.
    Comma,
}

/// A walk over one value, which writes as it reads.
struct Walk<'a> {
    text: &'a str,
    at: usize,
    strict: String,
    open: Vec<Open>,
    next: Next,
    /// A comma was read, and is written when something follows it.
    comma: bool,
    /// The last value was a number or a word: nobody knows whether all of it is there.
    bare: bool,
}

impl Walk<'_> {
    /// Walks to the end of the value; `None` where it is broken.
    fn run(&mut self, closers: Closers) -> Option<()> {
        loop {
            self.at = behind_blanks(self.text, self.at);
            if self.next == Next::Comma {
                if self.open.is_empty() {
                    return Some(());
                }
                if ends(self.text, self.at) {
                    return self.close_all(closers);
                }
            }
            self.step()?;
        }
    }

    fn step(&mut self) -> Option<()> {
        let c = first(self.text, self.at)?;
        match (self.next, plain(c)) {
            (Next::Value | Next::Item, '{') => self.begin(c, Open::Object, Next::FirstKey),
            (Next::Value | Next::Item, '[') => self.begin(c, Open::List(']'), Next::Item),
            (Next::Value | Next::Item, '(') => self.begin(c, Open::List(')'), Next::Item),
            (Next::FirstKey, '{') => self.double(c),
            (Next::FirstKey | Next::Key | Next::Item | Next::Comma, mark @ ('}' | ']' | ')')) => self.close(c, mark)?,
            (Next::Colon, ':') => {
                self.at += c.len_utf8();
                self.strict.push(':');
                self.next = Next::Value;
            }
            (Next::Comma, ',') => {
                self.at += c.len_utf8();
                self.comma = true;
                self.next = match self.open.last()? {
                    Open::Object => Next::Key,
                    Open::List(_) => Next::Item,
                    Open::Doubled => return None,
                };
            }
            (Next::Value | Next::Item, _) => self.scalar(c)?,
            (Next::FirstKey | Next::Key, _) => self.key(c)?,
            (Next::Colon | Next::Comma, _) => return None,
        }
        Some(())
    }

    fn begin(&mut self, c: char, open: Open, next: Next) {
        self.at += c.len_utf8();
        self.separate();
        self.strict.push(if open == Open::Object { '{' } else { '[' });
        self.open.push(open);
        self.next = next;
    }

    /// The first brace of the two is taken for nothing.
    fn double(&mut self, c: char) {
        self.at += c.len_utf8();
        self.open.pop();
        self.open.extend([Open::Doubled, Open::Object]);
    }

    fn close(&mut self, c: char, mark: char) -> Option<()> {
        match (self.open.pop()?, mark) {
            (Open::Object, '}') => self.strict.push('}'),
            (Open::List(closer), mark) if closer == mark => self.strict.push(']'),
            (Open::Doubled, '}') => {}
            _ => return None,
        }
        self.at += c.len_utf8();
        self.comma = false;
        self.bare = false;
        self.next = Next::Comma;
        Some(())
    }

    /// Closes what is open where the text ends, if nothing but that is missing.
    fn close_all(&mut self, closers: Closers) -> Option<()> {
        let cut = self.bare && self.at == self.text.len();
        if cut || closers == Closers::Needed {
            return None;
        }
        while let Some(open) = self.open.pop() {
            match open {
                Open::Object => self.strict.push('}'),
                Open::List(_) => self.strict.push(']'),
                Open::Doubled => {}
            }
        }
        Some(())
    }

    fn key(&mut self, c: char) -> Option<()> {
        self.separate();
        if literal::is_quote(c) {
            self.string(c)?;
        } else {
            let word = self.word()?;
            if word.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
                return None;
            }
            self.quote(&word);
        }
        self.next = Next::Colon;
        Some(())
    }

    fn scalar(&mut self, c: char) -> Option<()> {
        self.separate();
        if literal::is_quote(c) {
            self.string(c)?;
            self.bare = false;
        } else {
            let start = self.at;
            let word = self.word()?;
            let Some(strict) = literal::word(&word) else {
                self.at = start;
                return None;
            };
            self.strict.push_str(&strict);
            self.bare = true;
        }
        self.next = Next::Comma;
        Some(())
    }

    fn string(&mut self, quote: char) -> Option<()> {
        let from = self.at + quote.len_utf8();
        let Some((string, length)) = literal::string(self.text.get(from..)?, quote) else {
            self.at = self.text.len();
            return None;
        };
        self.at = from + length;
        self.quote(&string);
        Some(())
    }

    fn word(&mut self) -> Option<String> {
        let rest = self.text.get(self.at..)?;
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '+' | '-' | '.'));
        let word = rest.get(..end.unwrap_or(rest.len())).filter(|word| !word.is_empty())?;
        self.at += word.len();
        Some(word.to_owned())
    }

    fn quote(&mut self, string: &str) {
        // Writing into a string cannot fail.
        let _ = write!(self.strict, "{}", Value::from(string));
    }

    fn separate(&mut self) {
        if std::mem::take(&mut self.comma) {
            self.strict.push(',');
        }
    }
}
