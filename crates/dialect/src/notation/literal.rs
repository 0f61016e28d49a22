//! The arguments of a written call: `(x=1, 'text', [2, 3])`. Only literals are read, and nothing is evaluated.

use serde_json::{Map, Value};

use super::joined::{self, JoinedPart};
use super::{Arguments, Flaw, find, rest, word};
use crate::bound::LONGEST_CALL;
use crate::json::{self, Closers, Escapes, behind_blanks};

/// Arguments that could be read.
#[derive(Debug)]
pub(crate) struct Literal {
    pub(crate) args: Arguments,
    /// Where the text continues.
    pub(crate) end: usize,
    pub(crate) mended: Option<&'static str>,
    /// What code joins to a string, if anything. Its value is then certain only in Python if it is strings, and only
    /// outside of Python if it is quotes.
    pub(crate) joined: Option<JoinedPart>,
    /// Whether a string ended with a bracket and a quote inside it still open, so that its real end may come later, or
    /// what seems to be its rest follows it.
    torn: bool,
}

/// Arguments that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UnreadArguments {
    /// How far they could be read.
    pub(crate) at: usize,
    pub(crate) flaw: Flaw,
}

impl From<usize> for UnreadArguments {
    fn from(at: usize) -> UnreadArguments {
        UnreadArguments { at, flaw: Flaw::Broken }
    }
}

impl UnreadArguments {
    /// The end of a string is uncertain.
    fn torn(at: usize) -> UnreadArguments {
        UnreadArguments { at, flaw: Flaw::Quotes }
    }
}

/// Which quote ends a string, of those behind which the arguments continue or end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ends {
    /// The first one.
    First,
    /// The first one behind which no bracket in the string is open.
    Closed,
}

pub(crate) const UNCLOSED: &str = "a closing bracket was missing";
const UNQUOTED: &str = "a closing quote was missing";

/// How far to look for the end of a string that contains quotes.
const LONGEST_NESTED: usize = 8 << 10;
/// How far to look for the end of code that joins strings. Longer code hardly ever writes a text short enough to type.
const LONGEST_JOINED: usize = 16 << 10;

/// Reads the arguments after an opening bracket.
///
/// In `'print('a')')`, the second quote that could end the string is the one that is meant, because a bracket is open
/// at the first one. If no quote fits, the end of the string is uncertain, and the arguments cannot be read.
pub(crate) fn arguments(text: &str, open: usize) -> Result<Literal, UnreadArguments> {
    let torn = match plain(text, open) {
        Ok(read) if read.torn => UnreadArguments::torn(read.end),
        Err(unread) if unread.flaw == Flaw::Quotes => unread,
        read => return read,
    };
    let most = bounded(text, open, LONGEST_NESTED);
    let stop = find(text.get(..most).unwrap_or_default(), torn.at, "<|").unwrap_or(most);
    let read = within(text, open, stop, Ends::Closed).map_err(|_| torn)?;
    if read.torn { Err(torn) } else { Ok(read) }
}

/// Reads the arguments after an opening bracket, with each string up to the first quote that could end it.
pub(crate) fn plain(text: &str, open: usize) -> Result<Literal, UnreadArguments> {
    within(text, open, bounded(text, open, LONGEST_CALL), Ends::First)
}

/// Returns where the text ends, but at most this many bytes behind a position.
fn bounded(text: &str, from: usize, most: usize) -> usize {
    text.floor_char_boundary(from.saturating_add(most).min(text.len()))
}

/// Reads the arguments before `stop`.
fn within(text: &str, open: usize, stop: usize, ends: Ends) -> Result<Literal, UnreadArguments> {
    let whole = text;
    let text = text.get(..stop).unwrap_or_default();
    let mut found = Literal {
        args: Arguments::default(),
        end: open,
        mended: None,
        joined: None,
        torn: false,
    };
    loop {
        let mut at = behind_blanks(text, found.end);
        while rest(text, at).starts_with([',', '\u{ff0c}', ';']) {
            at = behind_blanks(text, at + first(text, at).len_utf8());
        }
        let here = rest(text, at);
        if here.starts_with([')', '\u{ff09}']) {
            found.end = at + first(text, at).len_utf8();
            return Ok(found);
        }
        if here.is_empty() || here.starts_with("</") || here.starts_with("<|") || here.starts_with("```") {
            let empty = found.args.positional.is_empty() && found.args.named.is_empty();
            if empty || stop < whole.len() && here.is_empty() {
                return Err(at.into());
            }
            found.mended = found.mended.or(Some(UNCLOSED));
            return Ok(found);
        }
        let (name, from) = name(text, at);
        let torn = found.torn;
        let read = value(text, from, ends).and_then(|read| read.certain(name));
        let read = read.map_err(|unread| if torn { UnreadArguments::torn(unread.at) } else { unread })?;
        found.mended = found.mended.or(read.mended);
        found.torn |= read.torn;
        let joined = read.joined.filter(|_| !name.is_some_and(json::is_remark));
        found.joined = JoinedPart::of_both(found.joined, joined);
        found.end = read.end;
        if let Some(name) = name {
            found.args.named.push((name.to_owned(), read.value));
        } else {
            // Behind a named argument, it is the rest of a string that a quote inside it has ended.
            found.torn |= !found.args.named.is_empty() && read.value.is_string();
            found.args.positional.push(read.value);
        }
        if found.args.named.len() + found.args.positional.len() > MOST_ARGUMENTS {
            return Err(read.end.into());
        }
    }
}

/// The maximum number of arguments in one call.
const MOST_ARGUMENTS: usize = 64;

fn first(text: &str, at: usize) -> char {
    rest(text, at).chars().next().unwrap_or(' ')
}

/// Reads `name=` or `name:`. Also returns where the value begins.
fn name(text: &str, at: usize) -> (Option<&str>, usize) {
    let name = word(rest(text, at));
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        return (None, at);
    }
    let behind = behind_blanks(text, at + name.len());
    match first(text, behind) {
        mark @ ('=' | ':' | '\u{ff1d}' | '\u{ff1a}') => (Some(name), behind_blanks(text, behind + mark.len_utf8())),
        _ => (None, at),
    }
}

/// One argument.
struct ReadArgument {
    value: Value,
    /// Where the text continues.
    end: usize,
    mended: Option<&'static str>,
    joined: Option<JoinedPart>,
    torn: bool,
    /// Whether it is uncertain which backslashes begin an escape.
    uncertain: bool,
}

impl ReadArgument {
    fn new(value: Value, end: usize) -> ReadArgument {
        ReadArgument {
            value,
            end,
            mended: None,
            joined: None,
            torn: false,
            uncertain: false,
        }
    }

    /// Returns the argument of this name, unless it may be typed and it is uncertain what to type.
    fn certain(self, name: Option<&str>) -> Result<ReadArgument, UnreadArguments> {
        if self.uncertain && !name.is_some_and(json::is_remark) {
            return Err(UnreadArguments {
                at: self.end,
                flaw: Flaw::Backslash,
            });
        }
        Ok(self)
    }
}

fn value(text: &str, at: usize, ends: Ends) -> Result<ReadArgument, UnreadArguments> {
    let here = rest(text, at);
    let c = first(text, at);
    if json::is_quote(c) {
        return string(text, at, ends);
    }
    if here.starts_with('[') && starts_call(text, behind_blanks(text, at + 1)) {
        return list_of_calls(text, at + 1);
    }
    if matches!(c, '[' | '(' | '{' | '\u{ff3b}' | '\u{ff08}' | '\u{ff5b}') {
        let read = json::value_at(text, at, Closers::Needed).map_err(|broken| UnreadArguments {
            at: broken.at.max(at + 1),
            flaw: Flaw::of(broken),
        })?;
        let value = serde_json::from_str(&read.text).map_err(|_| read.span.end)?;
        return Ok(ReadArgument::new(value, read.span.end));
    }
    if here.starts_with('<') {
        let line = here.lines().next().unwrap_or_default();
        let close = line.find("</").or_else(|| line.find("<|box_end|>")).ok_or(at + 1)?;
        let end = line.get(close..).and_then(|tag| tag.find('>')).ok_or(at + 1)?;
        let value = here.get(..close).unwrap_or_default();
        return Ok(ReadArgument::new(Value::from(value), at + close + end + 1));
    }
    let end = here.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '+' | '-' | '.'));
    let word = here.get(..end.unwrap_or(here.len())).unwrap_or_default();
    let value = match word {
        "True" | "true" => Value::from(true),
        "False" | "false" => Value::from(false),
        "None" | "null" => Value::Null,
        number => {
            let number = number.parse::<f64>().ok().filter(|number| number.is_finite());
            number.map(number_value).ok_or(at + word.len().max(1))?
        }
    };
    Ok(ReadArgument::new(value, at + word.len()))
}

/// Returns a number, as an integer if it is whole.
fn number_value(number: f64) -> Value {
    if number.fract() == 0.0 && number.abs() < 1e15 {
        return Value::from(number as i64);
    }
    Value::from(number)
}

/// Checks whether `name(` begins here.
fn starts_call(text: &str, at: usize) -> bool {
    let name = word(rest(text, at));
    !name.is_empty() && rest(text, at + name.len()).starts_with('(')
}

/// Reads `name(...), name(...)]` as objects with a `name`.
fn list_of_calls(text: &str, from: usize) -> Result<ReadArgument, UnreadArguments> {
    let (mut calls, mut joined, mut at) = (Vec::new(), None, from);
    loop {
        at = behind_blanks(text, at);
        if rest(text, at).starts_with(']') {
            return Ok(ReadArgument {
                joined,
                ..ReadArgument::new(Value::from(calls), at + 1)
            });
        }
        if !starts_call(text, at) || calls.len() > MOST_ARGUMENTS {
            return Err((at + 1).into());
        }
        let name = word(rest(text, at));
        let open = at + name.len() + 1;
        let close = rest(text, open).find(')').ok_or(text.len())?;
        // A call in a list can have only plain arguments, so that lists are never nested.
        if rest(text, open)
            .get(..close)
            .is_some_and(|inside| inside.contains(['(', '[']))
        {
            return Err((open + close).into());
        }
        let read = plain(text.get(..=open + close).unwrap_or_default(), open)?;
        joined = JoinedPart::of_both(joined, read.joined);
        let mut members: Map<String, Value> = read.args.named.into_iter().collect();
        members.insert("name".to_owned(), Value::from(name));
        calls.push(Value::Object(members));
        at = behind_blanks(text, read.end);
        if rest(text, at).starts_with(',') {
            at += 1;
        }
    }
}

/// What is open in a string.
#[derive(Default)]
struct Opened {
    brackets: usize,
    /// Whether a quote behind an open bracket has begun another string that no quote has ended.
    quoted: bool,
}

impl Opened {
    /// Adds a character with those around it.
    fn add(&mut self, c: char, before: Option<char>, next: Option<char>, closers: &[char]) {
        match c {
            '(' | '[' | '{' => self.brackets += 1,
            ')' | ']' | '}' => {
                self.brackets = self.brackets.saturating_sub(1);
                self.quoted &= self.brackets > 0;
            }
            c if closers.contains(&c) && self.brackets > 0 => {
                let behind_letter = before.is_some_and(char::is_alphanumeric);
                let apostrophe = behind_letter && next.is_some_and(char::is_alphanumeric);
                // The second quote of a pair ends what the first one began.
                self.quoted = if self.quoted { apostrophe } else { !behind_letter };
            }
            _ => {}
        }
    }
}

/// Reads a string. A quote in it ends the string only if the arguments continue or end after it, so that `'don't'`
/// stays whole.
fn string(text: &str, at: usize, ends: Ends) -> Result<ReadArgument, UnreadArguments> {
    let quote = first(text, at);
    let here = rest(text, at);
    if let Some((read, length, escapes)) = joined::triple(here)
        && goes_on(text, at + length)
    {
        return Ok(ReadArgument {
            uncertain: escapes.contradict(),
            ..ReadArgument::new(Value::from(read), at + length)
        });
    }
    let closers = json::closers(quote).unwrap_or_default();
    let mut read = String::with_capacity(16);
    let mut opened = Opened::default();
    let mut escapes = Escapes::default();
    let (mut quoted, mut unclear) = (false, None);
    let mut place = at + quote.len_utf8();
    while let Some(c) = rest(text, place).chars().next() {
        place += c.len_utf8();
        if c == '\\' {
            let Some((character, length)) = json::escape(rest(text, place), closers) else {
                break;
            };
            escapes.add(character, rest(text, place));
            read.push(character.unwrap_or('\\'));
            place += length;
        } else if closers.contains(&c) && (ends == Ends::First || opened.brackets == 0) && goes_on(text, place) {
            return Ok(ReadArgument {
                torn: opened.brackets > 0 && opened.quoted,
                uncertain: escapes.contradict(),
                joined: unclear,
                ..ReadArgument::new(Value::from(read), place)
            });
        } else {
            // For Python, the first quote ends the string. Only code can follow it then.
            if closers.contains(&c)
                && !std::mem::replace(&mut quoted, true)
                && let Some(joined) = with_code(text, at)
            {
                if joined.joined != Some(JoinedPart::Quotes) {
                    return Ok(joined);
                }
                unclear = joined.joined;
            }
            opened.add(c, read.chars().next_back(), rest(text, place).chars().next(), closers);
            read.push(c);
        }
    }
    let length = unclosed_place(here).ok_or(text.len())?;
    let said = here.get(quote.len_utf8()..length).unwrap_or_default();
    Ok(ReadArgument {
        mended: Some(UNQUOTED),
        ..ReadArgument::new(Value::from(said), at + length)
    })
}

/// Reads a string to which code joins something, if the arguments end or continue behind the code.
fn with_code(text: &str, at: usize) -> Option<ReadArgument> {
    let seen = text.get(..bounded(text, at, LONGEST_JOINED)).unwrap_or_default();
    let read = joined::read(seen, at)?;
    (read.joined.is_some() && goes_on(text, read.end)).then(|| ReadArgument {
        joined: read.joined,
        uncertain: read.uncertain,
        ..ReadArgument::new(Value::from(read.text), read.end)
    })
}

/// Returns the length of a place in tags that begins with an unclosed quote.
fn unclosed_place(here: &str) -> Option<usize> {
    let line = here.lines().next()?.trim_end();
    let line = line.trim_end_matches(')');
    let ends = ["</point>", "</bbox>", "<|box_end|>"];
    ends.iter().any(|end| line.ends_with(end)).then_some(line.len())
}

/// Checks whether the arguments end or continue at this position.
fn goes_on(text: &str, at: usize) -> bool {
    let behind = behind_blanks(text, at);
    let here = rest(text, behind);
    match here.chars().next() {
        None | Some(',' | ')' | ']' | '}' | '\u{ff0c}' | '\u{ff09}') => true,
        // There is no comma before the next name.
        Some(c) if c.is_ascii_alphabetic() && behind > at => name(text, behind).0.is_some(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(inside: &str) -> Option<(String, Vec<Value>)> {
        let read = arguments(inside, 0).ok()?;
        let named: Vec<String> = read
            .args
            .named
            .iter()
            .map(|(key, value)| format!("{key}={value}"))
            .collect();
        Some((named.join(" "), read.args.positional))
    }

    #[test]
    fn literals_are_read_as_models_write_them() {
        let cases = [
            ("start_box='(1,2)')", "start_box=\"(1,2)\""),
            ("content='don't stop')", "content=\"don't stop\""),
            (r#"content='It\'s "done"')"#, r#"content="It's \"done\"""#),
            ("content='a\\n')", "content=\"a\\n\""),
            (r"content='C:\Users\qed')", r#"content="C:\\Users\\qed""#),
            (
                r"x=1, element_info='C:\Users\nick')",
                r#"x=1 element_info="C:\\Users\nick""#,
            ),
            (
                r#"content='find . -name "*.tmp" -exec rm {} \;\n')"#,
                r#"content="find . -name \"*.tmp\" -exec rm {} \\;\n""#,
            ),
            (r"content='cd My\ Documents\n')", r#"content="cd My\\ Documents\n""#),
            (r"content='It costs \$5.\nBye')", r#"content="It costs \\$5.\nBye""#),
            ("answer='''4''2''')", "answer=\"4''2\""),
            (r"answer='''it\'s\n4''')", r#"answer="it's\n4""#),
            ("answer='''a\nb \\q''')", r#"answer="a\nb \\q""#),
            ("content='print('hello')')", "content=\"print('hello')\""),
            ("content='=COUNTIF(A1:A9,'yes')')", "content=\"=COUNTIF(A1:A9,'yes')\""),
            (
                "content='=IF(A1='yes','no',1)', x=1)",
                "content=\"=IF(A1='yes','no',1)\" x=1",
            ),
            ("content='f('a'), g('b')')", "content=\"f('a'), g('b')\""),
            (
                "content='print('a')\\nprint('b')')",
                "content=\"print('a')\\nprint('b')\"",
            ),
            ("content='{'a': 'b'}')", "content=\"{'a': 'b'}\""),
            ("content='s.split(',')')", "content=\"s.split(',')\""),
            ("content=':(')", "content=\":(\""),
            (
                r"content='if (a) {\n  b = 'c';\n')",
                r#"content="if (a) {\n  b = 'c';\n""#,
            ),
            ("content='if (x == 'a'')", "content=\"if (x == 'a'\""),
            (
                "content='sad :( he said 'no' to me')",
                "content=\"sad :( he said 'no' to me\"",
            ),
            ("content=':( don't')", "content=\":( don't\""),
            ("a=':(', b=':)')", "a=\":(\" b=\":)\""),
            ("x=1.5, y=-2)", "x=1.5 y=-2"),
            ("element=[1, 2])", "element=[1,2]"),
            ("a='1' b='2')", "a=\"1\" b=\"2\""),
            ("x: 110, y: 40)", "x=110 y=40"),
            ("text=\u{201c}hello\u{201d})", "text=\"hello\""),
            ("point='<point>1 2</point>'')", "point=\"<point>1 2</point>'\""),
            ("point='<point>1 2</point>", "point=\"<point>1 2</point>\""),
            ("x=1, y=2", "x=1 y=2"),
            (
                "a=[K(key='C'), D(key='A')])",
                r#"a=[{"key":"C","name":"K"},{"key":"A","name":"D"}]"#,
            ),
        ];
        for (written, wanted) in cases {
            assert_eq!(
                read(written).map(|(named, _)| named).as_deref(),
                Some(wanted),
                "{written}"
            );
        }
    }

    #[test]
    fn joined_strings_are_not_one_string() {
        use JoinedPart::{Code, Quotes, Strings};
        for (written, text, joined) in [
            ("'a' 'b')", "ab", Some(Strings)),
            ("\n  \"a\\n\"\n  \"b\",\n  x=0.1\n)", "a\nb", Some(Strings)),
            ("x=1, text='a' + 'b')", "ab", Some(Strings)),
            ("'''a''' + 'b')", "ab", Some(Strings)),
            ("'a' + name + '!')", "a!", Some(Code)),
            ("'a' + str(f('b')) + 'c')", "ac", Some(Code)),
            ("'-' * 3 + 'b')", "-b", Some(Code)),
            ("'a''b')", "a''b", Some(Quotes)),
            ("'x.split(' ')')", "x.split(' ')", Some(Quotes)),
            ("'x = ''')", "x = ''", Some(Quotes)),
            ("\"=IF(A1,\"\")\")", "=IF(A1,\"\")", Some(Quotes)),
            ("'a''b', 'c' 'd')", "a''b", Some(Code)),
            ("'c' 'd', 'a''b')", "cd", Some(Code)),
            ("'a', thought='a' + 'b')", "a", None),
            ("'say 'hi' + 'ho' to me')", "say 'hi' + 'ho' to me", None),
            ("'x = 'a' + 'b'')", "x = 'a' + 'b'", None),
            ("'find . -name '*.txt'')", "find . -name '*.txt'", None),
            ("'ls '*txt'')", "ls '*txt'", None),
            ("'the users' \"rule\"')", "the users' \"rule\"", None),
            ("'a'')", "a'", None),
        ] {
            let read = arguments(written, 0).unwrap_or_else(|unread| panic!("{written}: {unread:?}"));
            let mut values = read
                .args
                .positional
                .iter()
                .chain(read.args.named.iter().map(|(_, value)| value));
            let said = values.find_map(Value::as_str);
            assert_eq!((said, read.joined), (Some(text), joined), "{written}");
        }
    }

    #[test]
    fn nothing_else_is_read() {
        for written in [
            "x)",
            "1+1)",
            "f(1))",
            "[x, y])",
            r"text='C:\Users\nick')",
            r"text='''C:\Users\nick''')",
            "text='never closed",
            "text='print('never closed')",
            "content='id,'name','age'')",
            "'f('a', interval='0' '1')",
            "text='print('never closed')<|end_of_box|> f('a'))')",
            "os.system('x'))",
        ] {
            assert!(read(written).is_none(), "{written}");
        }
    }
}
