//! Walks over one value, reading tolerantly and writing strictly.

use std::fmt::Write;

use serde_json::Value;

use super::{Broken, Closers, ReadValue, StringFault, behind_blanks, ends, first, is_remark, literal, plain};
use crate::bound::window;

/// Reads the value that begins here. A value that exceeds the maximum length of a call counts as broken at the limit.
pub(super) fn value(text: &str, from: usize, closers: Closers) -> Result<ReadValue, Broken> {
    let from = behind_blanks(text, from);
    let end = from + window(text.get(from..).unwrap_or_default()).len();
    let read = within(text.get(..end).unwrap_or_default(), from, closers)?;
    if read.span.end == end && end < text.len() {
        return Err(Broken::at(end));
    }
    Ok(read)
}

fn within(text: &str, from: usize, closers: Closers) -> Result<ReadValue, Broken> {
    let mut walk = Walk {
        text,
        at: from,
        strict: String::with_capacity(128),
        open: Vec::new(),
        next: Next::Value,
        comma: false,
        bare: false,
        remark: false,
        fault: None,
    };
    match walk.run(closers) {
        Some(()) => Ok(ReadValue {
            text: walk.strict,
            span: from..walk.at,
        }),
        None => Err(Broken {
            at: walk.at,
            string: walk.fault,
        }),
    }
}

/// A bracket that is still open.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    Object,
    /// A list, with the mark that closes it.
    List(char),
    /// The outer brace of a doubled pair, which has no meaning.
    Doubled,
}

/// What can come next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    Value,
    /// A value, or the end of the list.
    Item,
    /// A key, the end of the object, or the second of two doubled braces.
    FirstKey,
    /// A key, or the end of the object.
    Key,
    Colon,
    /// A comma, or the end of the innermost open bracket.
    Comma,
}

/// A walk over one value that writes while it reads.
struct Walk<'a> {
    text: &'a str,
    at: usize,
    strict: String,
    open: Vec<Open>,
    next: Next,
    /// Whether a comma has been read but not written yet. It is written once something follows it.
    comma: bool,
    /// Whether the last value was a number or a keyword, which might be incomplete.
    bare: bool,
    /// Whether the last key names a remark, which is never typed.
    remark: bool,
    /// What is wrong with the string at which the walk stopped.
    fault: Option<StringFault>,
}

impl<'a> Walk<'a> {
    /// Walks to the end of the value, or returns `None` if the value is broken.
    fn run(&mut self, closers: Closers) -> Option<()> {
        loop {
            let end = self.at;
            if self.next == Next::Comma && self.open.is_empty() {
                return Some(());
            }
            self.at = behind_comments(self.text, end);
            if self.next == Next::Comma && ends(self.text, self.at) {
                self.close_all(closers)?;
                self.at = end;
                return Some(());
            }
            let next = self.next;
            if self.step().is_none() {
                self.fault = self.fault.or_else(|| self.quotes(next, end));
                return None;
            }
        }
    }

    /// Returns what is wrong with the string that ends at `end`, if words follow it and no mark.
    fn quotes(&self, next: Next, end: usize) -> Option<StringFault> {
        let read = self.text.get(..end)?;
        let c = first(self.text, self.at).map(plain)?;
        let is_mark = literal::is_quote(c) || matches!(c, ',' | ':' | '}' | ']' | ')');
        (next == Next::Comma && read.ends_with(literal::is_quote) && !is_mark).then_some(StringFault::Quotes)
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

    /// Notes a doubled brace. The first of the two has no meaning.
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

    /// Closes all open brackets at the end of the text, if nothing else is missing.
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
        self.remark = false;
        let start = self.strict.len();
        if literal::is_quote(c) {
            self.string(c)?;
        } else {
            let word = self.word()?;
            if word.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
                return None;
            }
            self.quote(word);
        }
        let key = self.strict.get(start..).unwrap_or_default();
        self.remark = is_remark(key.trim_matches('"'));
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
            let Some(strict) = literal::word(word) else {
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
        let Some(read) = literal::string(self.text.get(from..)?, quote) else {
            self.at = self.text.len();
            return None;
        };
        self.at = from + read.length;
        if read.escapes.contradict() && !self.remark {
            self.fault = Some(StringFault::Backslash);
            return None;
        }
        self.quote(&read.text);
        Some(())
    }

    fn word(&mut self) -> Option<&'a str> {
        let rest = self.text.get(self.at..)?;
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'+' | b'-' | b'.');
        let length = rest.as_bytes().iter().take_while(|byte| is_part(byte)).count();
        let word = rest.get(..length).filter(|word| !word.is_empty())?;
        self.at += word.len();
        Some(word)
    }

    fn quote(&mut self, string: &str) {
        if string.bytes().any(|byte| byte < b' ' || matches!(byte, b'"' | b'\\')) {
            // Writing into a string cannot fail.
            let _ = write!(self.strict, "{}", Value::from(string));
            return;
        }
        self.strict.push('"');
        self.strict.push_str(string);
        self.strict.push('"');
    }

    fn separate(&mut self) {
        if std::mem::take(&mut self.comma) {
            self.strict.push(',');
        }
    }
}

/// Returns where the text continues after whitespace and whole comments such as `// this`.
fn behind_comments(text: &str, at: usize) -> usize {
    let mut at = behind_blanks(text, at);
    while let Some(comment) = text.get(at..).and_then(|rest| rest.strip_prefix("//"))
        && let Some(end) = comment.find('\n')
    {
        at = behind_blanks(text, text.len() - comment.len() + end);
    }
    at
}
