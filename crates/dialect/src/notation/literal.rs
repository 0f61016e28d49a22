//! The arguments of a written call: `(x=1, 'text', [2, 3])`. Only literals are read, and nothing is evaluated.

use serde_json::{Map, Value};

use super::{Arguments, rest, word};
use crate::bound::LONGEST_CALL;
use crate::json::{self, Closers, behind_blanks};

/// Arguments that could be read.
#[derive(Debug)]
pub(crate) struct Literal {
    pub(crate) args: Arguments,
    /// Where the text continues.
    pub(crate) end: usize,
    pub(crate) mended: Option<&'static str>,
}

pub(crate) const UNCLOSED: &str = "a closing bracket was missing";
const UNQUOTED: &str = "a closing quote was missing";

/// Reads the arguments after an opening bracket. The error says how far they could be read.
pub(crate) fn arguments(text: &str, open: usize) -> Result<Literal, usize> {
    let stop = text.floor_char_boundary(open.saturating_add(LONGEST_CALL).min(text.len()));
    let whole = text;
    let text = text.get(..stop).unwrap_or_default();
    let mut found = Literal {
        args: Arguments::default(),
        end: open,
        mended: None,
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
                return Err(at);
            }
            found.mended = found.mended.or(Some(UNCLOSED));
            return Ok(found);
        }
        let (name, from) = name(text, at);
        let (value, end, mended) = value(text, from)?;
        found.mended = found.mended.or(mended);
        found.end = end;
        match name {
            Some(name) => found.args.named.push((name.to_owned(), value)),
            None => found.args.positional.push(value),
        }
        if found.args.named.len() + found.args.positional.len() > MOST_ARGUMENTS {
            return Err(end);
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

type ReadArgument = (Value, usize, Option<&'static str>);

fn value(text: &str, at: usize) -> Result<ReadArgument, usize> {
    let here = rest(text, at);
    let c = first(text, at);
    if json::is_quote(c) {
        return string(text, at);
    }
    if here.starts_with('[') && starts_call(text, behind_blanks(text, at + 1)) {
        return list_of_calls(text, at + 1);
    }
    if matches!(c, '[' | '(' | '{' | '\u{ff3b}' | '\u{ff08}' | '\u{ff5b}') {
        let read = json::value_at(text, at, Closers::Needed).map_err(|broken| broken.at.max(at + 1))?;
        let value = serde_json::from_str(&read.text).map_err(|_| read.span.end)?;
        return Ok((value, read.span.end, None));
    }
    if here.starts_with('<') {
        let line = here.lines().next().unwrap_or_default();
        let close = line.find("</").or_else(|| line.find("<|box_end|>")).ok_or(at + 1)?;
        let end = line.get(close..).and_then(|tag| tag.find('>')).ok_or(at + 1)?;
        let value = here.get(..close).unwrap_or_default();
        return Ok((Value::from(value), at + close + end + 1, None));
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
    Ok((value, at + word.len(), None))
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
fn list_of_calls(text: &str, from: usize) -> Result<ReadArgument, usize> {
    let (mut calls, mut at) = (Vec::new(), from);
    loop {
        at = behind_blanks(text, at);
        if rest(text, at).starts_with(']') {
            return Ok((Value::from(calls), at + 1, None));
        }
        if !starts_call(text, at) || calls.len() > MOST_ARGUMENTS {
            return Err(at + 1);
        }
        let name = word(rest(text, at));
        let open = at + name.len() + 1;
        let close = rest(text, open).find(')').ok_or(text.len())?;
        // A call in a list can have only plain arguments, so that lists are never nested.
        if rest(text, open)
            .get(..close)
            .is_some_and(|inside| inside.contains(['(', '[']))
        {
            return Err(open + close);
        }
        let read = arguments(text.get(..=open + close).unwrap_or_default(), open)?;
        let mut members: Map<String, Value> = read.args.named.into_iter().collect();
        members.insert("name".to_owned(), Value::from(name));
        calls.push(Value::Object(members));
        at = behind_blanks(text, read.end);
        if rest(text, at).starts_with(',') {
            at += 1;
        }
    }
}

/// Reads a string. A quote in it ends the string only if the arguments continue or end after it, so that `'don't'`
/// stays whole.
fn string(text: &str, at: usize) -> Result<ReadArgument, usize> {
    let quote = first(text, at);
    let here = rest(text, at);
    for triple in ["'''", "\"\"\""] {
        if let Some(inside) = here.strip_prefix(triple)
            && let Some(end) = inside.find(triple)
            && goes_on(text, at + 3 + end + 3)
        {
            return Ok((Value::from(&inside[..end]), at + 3 + end + 3, None));
        }
    }
    let closers = json::closers(quote).unwrap_or_default();
    let mut read = String::with_capacity(16);
    let mut place = at + quote.len_utf8();
    while let Some(c) = rest(text, place).chars().next() {
        place += c.len_utf8();
        if c == '\\' {
            let Some((escaped, length)) = json::escape(rest(text, place), closers) else {
                break;
            };
            read.push(escaped.unwrap_or('\\'));
            place += length;
        } else if closers.contains(&c) && goes_on(text, place) {
            return Ok((Value::from(read), place, None));
        } else {
            read.push(c);
        }
    }
    unclosed_place(here).map_or(Err(text.len()), |length| {
        let said = here.get(quote.len_utf8()..length).unwrap_or_default();
        Ok((Value::from(said), at + length, Some(UNQUOTED)))
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
            ("answer='''4''2''')", "answer=\"4''2\""),
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
    fn nothing_else_is_read() {
        for written in [
            "x)",
            "1+1)",
            "f(1))",
            "[x, y])",
            "text='never closed",
            "os.system('x'))",
        ] {
            assert!(read(written).is_none(), "{written}");
        }
    }
}
