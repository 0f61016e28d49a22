//! Strings as Python writes them, and the code behind a string that joins more text to it: `"a" "b"`, `"a" + name`.

use super::{find, rest};
use crate::json::{self, Escapes, behind_blanks};

/// What code joins to a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum JoinedPart {
    /// Only other strings, clearly apart, so that the whole text is known.
    Strings,
    /// Strings that could also be quotes inside one string. Outside of code, models mean these.
    Quotes,
    /// Something else.
    Code,
}

impl JoinedPart {
    /// Returns what is joined to two arguments. No one means quotes in one of them and joins strings in the other.
    pub(super) fn of_both(one: Option<JoinedPart>, other: Option<JoinedPart>) -> Option<JoinedPart> {
        match (one, other) {
            (Some(one), Some(other)) if one != other => Some(JoinedPart::Code),
            _ => one.or(other),
        }
    }
}

/// A string, with the text that is joined to it.
pub(super) struct JoinedText {
    /// The text of all strings.
    pub(super) text: String,
    /// Where the code ends.
    pub(super) end: usize,
    /// What is joined to the string, if anything is.
    pub(super) joined: Option<JoinedPart>,
    /// Whether it is uncertain which backslashes begin an escape.
    pub(super) uncertain: bool,
}

impl JoinedText {
    fn add(&mut self, next: &JoinedText) {
        self.text.push_str(&next.text);
        self.end = next.end;
        self.joined = self.joined.max(next.joined).max(Some(JoinedPart::Strings));
        self.uncertain |= next.uncertain;
    }

    fn coded(self) -> JoinedText {
        JoinedText {
            joined: Some(JoinedPart::Code),
            ..self
        }
    }

    fn unclear(self) -> JoinedText {
        JoinedText {
            joined: Some(JoinedPart::Quotes),
            ..self
        }
    }
}

/// Reads the string that begins here, with what Python would join to it. Returns `None` if something that is not Python
/// follows an operator or a quote, which is then only a part of the string.
pub(super) fn read(text: &str, at: usize) -> Option<JoinedText> {
    let mut read = string(text, at)?;
    // Behind an open bracket, a quote could begin a string inside this one: `'f(' ')'`.
    let is_open = opens(&read.text);
    loop {
        let behind = behind_breaks(text, read.end);
        let here = rest(text, behind);
        let right = || operand(text, behind_breaks(text, behind + 1));
        let apart = behind > read.end;
        let is_inside = is_open && text.get(read.end..behind).is_some_and(|gap| !gap.contains('\n'));
        // Only strings can stand next to each other.
        let is_string = text
            .get(..read.end)
            .is_some_and(|before| before.ends_with(json::is_quote));
        let next = match (here.bytes().next(), prefix(here).filter(|_| is_string)) {
            (Some(b'+'), _) => right()?,
            // Two strings are never multiplied, and only one with a `%` inside is formatted. Elsewhere, these are text.
            (Some(b'*'), _) => right().filter(|next| next.joined.is_some())?,
            (Some(b'%'), _) if read.text.contains('%') => right()?.coded(),
            (Some(b'.'), _) => code(text, behind + 1).filter(|next| is_call(text, next.end))?,
            (_, Some(0)) if !apart || is_inside => string(text, behind)?.unclear(),
            (_, Some(_)) if apart => prefixed(text, behind)?,
            _ => return Some(read),
        };
        read.add(&next);
    }
}

/// Checks whether more brackets open in the text than close.
fn opens(text: &str) -> bool {
    let count = |marks: [char; 3]| text.matches(marks).count();
    count(['(', '[', '{']) > count([')', ']', '}'])
}

/// Reads what follows an operator.
fn operand(text: &str, at: usize) -> Option<JoinedText> {
    prefixed(text, at).or_else(|| code(text, at))
}

/// Reads a string with or without letters before its quote, as in `f"{name}"`.
fn prefixed(text: &str, at: usize) -> Option<JoinedText> {
    let letters = prefix(rest(text, at))?;
    let read = string(text, at + letters)?;
    Some(if letters == 0 { read } else { read.coded() })
}

/// Returns the number of letters before the quote that begins a string.
fn prefix(here: &str) -> Option<usize> {
    let letters = here.bytes().take(2).take_while(|byte| b"rRuUbBfF".contains(byte));
    let letters = letters.count();
    rest(here, letters).starts_with(json::is_quote).then_some(letters)
}

/// Reads a name, a number, a call or brackets.
fn code(text: &str, at: usize) -> Option<JoinedText> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.');
    let here = rest(text, at);
    if here.starts_with('.') {
        return None;
    }
    let mut end = at + here.bytes().take_while(is_part).count();
    while rest(text, end).starts_with(['(', '[']) {
        end = behind_brackets(text, end)?;
    }
    (end > at).then(|| JoinedText {
        text: String::new(),
        end,
        joined: Some(JoinedPart::Code),
        uncertain: false,
    })
}

fn is_call(text: &str, end: usize) -> bool {
    text.get(..end).is_some_and(|read| read.ends_with(')'))
}

/// Returns where the brackets end that open here.
fn behind_brackets(text: &str, open: usize) -> Option<usize> {
    let (mut depth, mut at) = (0_usize, open);
    loop {
        let c = rest(text, at).chars().next()?;
        if matches!(c, '"' | '\'') {
            at = string(text, at)?.end;
            continue;
        }
        at += c.len_utf8();
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' if depth > 1 => depth -= 1,
            ')' | ']' | '}' => return Some(at),
            _ => {}
        }
    }
}

/// Returns where the code goes on behind blanks, comments, and a backslash at the end of a line.
fn behind_breaks(text: &str, at: usize) -> usize {
    let mut at = behind_blanks(text, at);
    loop {
        let here = rest(text, at);
        let next = if here.starts_with('#') {
            find(text, at, "\n")
        } else if here.starts_with("\\\n") || here.starts_with("\\\r\n") {
            Some(at + 1)
        } else {
            None
        };
        match next {
            Some(next) => at = behind_blanks(text, next),
            None => return at,
        }
    }
}

/// Reads the string that begins here.
fn string(text: &str, at: usize) -> Option<JoinedText> {
    let here = rest(text, at);
    if let Some((text, length, escapes)) = triple(here) {
        return Some(alone(text, at + length, escapes));
    }
    let quote = here.chars().next()?;
    let read = json::string(rest(here, quote.len_utf8()), quote)?;
    let end = at + quote.len_utf8() + read.length;
    Some(alone(read.text.into_owned(), end, read.escapes))
}

fn alone(text: String, end: usize, escapes: Escapes) -> JoinedText {
    JoinedText {
        text,
        end,
        joined: None,
        uncertain: escapes.contradict(),
    }
}

/// Reads a string in triple quotes. Returns the text that it stands for, its length, and its escapes.
pub(super) fn triple(here: &str) -> Option<(String, usize, Escapes)> {
    let mut triples = ["'''", "\"\"\""].into_iter();
    let (triple, inside) = triples.find_map(|triple| Some((triple, here.strip_prefix(triple)?)))?;
    let written = inside.get(..inside.find(triple)?)?;
    let (text, escapes) = unescaped(written, json::closers(triple.chars().next()?)?);
    Some((text, written.len() + 2 * triple.len(), escapes))
}

/// Returns the text that a string in triple quotes stands for, and its escapes.
fn unescaped(written: &str, closers: &[char]) -> (String, Escapes) {
    let (mut text, mut escapes) = (String::with_capacity(written.len()), Escapes::default());
    let mut at = 0;
    while let Some(c) = rest(written, at).chars().next() {
        at += c.len_utf8();
        if c != '\\' {
            text.push(c);
            continue;
        }
        let behind = rest(written, at);
        let (character, length) = json::escape(behind, closers).unwrap_or_default();
        escapes.add(character, behind);
        text.push(character.unwrap_or('\\'));
        at += length;
    }
    (text, escapes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_code_is_joined() {
        let strings = |text: &str| Some((text.to_owned(), Some(JoinedPart::Strings)));
        let quotes = |text: &str| Some((text.to_owned(), Some(JoinedPart::Quotes)));
        let code = |text: &str| Some((text.to_owned(), Some(JoinedPart::Code)));
        for (written, wanted) in [
            (r#""a""#, Some(("a".to_owned(), None))),
            (r#""a" "b""#, strings("ab")),
            ("\"a\\n\"\n  \"b\"", strings("a\nb")),
            (r#""a" + 'b' + "c""#, strings("abc")),
            ("\"a\" \\\n\"b\"  # the end\n\"c\"", strings("abc")),
            (r#"'''a''' + """b""""#, strings("ab")),
            (r#""a" + f"{x}""#, code("a{x}")),
            (r#""a" f"{x}""#, code("a{x}")),
            (r#""a" + name + "b""#, code("ab")),
            (r#""a" + str(len("x)")) + "b""#, code("ab")),
            (r#""-" * 3 + "b""#, code("-b")),
            (r#""%s" % ("b",)"#, code("%s")),
            (r#""a".upper() + "b""#, code("ab")),
            // These could also be quotes inside one string.
            (r#""a""b""#, quotes("ab")),
            ("'say ''hi'' to me'", quotes("say hi to me")),
            ("'x.split(' ')'", quotes("x.split()")),
            ("'f(' ')' + 'b'", quotes("f()b")),
            ("'f(' ')' + b", code("f()")),
            ("'f('\n')'", strings("f()")),
            ("'f()' ')'", strings("f())")),
            // These are no code.
            ("'find . -name '*.txt''", None),
            ("'find . -name '*''", None),
            ("'ls '*txt''", code("ls ")),
            ("'date '+%Y''", None),
            ("'I read 'A'. Bye'", Some(("I read ".to_owned(), None))),
            ("'100 '% b'", Some(("100 ".to_owned(), None))),
            ("'the users' \"rule\"'", None),
        ] {
            let read = read(written, 0).map(|read| (read.text, read.joined));
            assert_eq!(read, wanted, "{written}");
        }
    }
}
