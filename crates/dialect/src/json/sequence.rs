//! Values in a row: an array, or one object after another.

use super::{Broken, Closers, ReadValue, behind_blanks, behind_surplus, ends, first, plain, walk};
use crate::bound::MOST_KEPT;

/// How many values of one sequence to read.
const MOST_VALUES: usize = 1000;

/// Values that follow one another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sequence {
    pub(crate) values: Vec<ReadValue>,
    /// Where the text continues.
    pub(crate) end: usize,
}

/// Reads the values in an array, or in consecutive objects, from this position on.
pub(crate) fn sequence(text: &str, from: usize, closers: Closers) -> Result<Sequence, Broken> {
    let at = behind_blanks(text, from);
    let read = match first(text, at) {
        Some(bracket) if plain(bracket) == '[' => array(text, at + bracket.len_utf8(), closers),
        _ => row(text, at, closers),
    };
    read.map(|(values, end)| Sequence {
        values,
        end: behind_surplus(text, end),
    })
}

/// Reads the values in an array after its opening bracket. Also returns where the array ends.
fn array(text: &str, from: usize, closers: Closers) -> Result<(Vec<ReadValue>, usize), Broken> {
    let (mut values, mut kept) = (Vec::new(), 0);
    let mut at = from;
    loop {
        at = behind_blanks(text, at);
        match first(text, at) {
            Some(bracket) if plain(bracket) == ']' => return Ok((values, at + bracket.len_utf8())),
            _ if closers == Closers::Implied && !values.is_empty() && ends(text, at) => return Ok((values, at)),
            _ => {}
        }
        let read = walk::value(text, at, closers)?;
        at = behind_blanks(text, read.span.end);
        keep(&mut values, read, &mut kept)?;
        match first(text, at) {
            Some(comma) if plain(comma) == ',' => at += comma.len_utf8(),
            Some(bracket) if plain(bracket) == ']' => {}
            _ if ends(text, at) => {}
            _ => return Err(Broken::at(at)),
        }
    }
}

/// Reads consecutive objects, with or without commas between them. Also returns where the last one ends.
fn row(text: &str, from: usize, closers: Closers) -> Result<(Vec<ReadValue>, usize), Broken> {
    let (mut values, mut kept) = (Vec::new(), 0);
    let mut at = from;
    let object = |at| first(text, at).is_some_and(|c| plain(c) == '{');
    if !object(at) {
        return Err(Broken::at(at));
    }
    loop {
        let read = walk::value(text, at, closers)?;
        let end = read.span.end;
        keep(&mut values, read, &mut kept)?;
        at = behind_blanks(text, end);
        if let Some(comma) = first(text, at).filter(|c| plain(*c) == ',') {
            at = behind_blanks(text, at + comma.len_utf8());
        }
        if !object(at) {
            return Ok((values, end));
        }
    }
}

/// Keeps one more value. Fails if there are more than any reply would have.
fn keep(values: &mut Vec<ReadValue>, read: ReadValue, kept: &mut usize) -> Result<(), Broken> {
    *kept += read.text.len();
    if values.len() == MOST_VALUES || *kept > MOST_KEPT {
        return Err(Broken::at(read.span.end));
    }
    values.push(read);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn consecutive_values_are_read_as_a_sequence() {
        let (a, b) = (r#"{"a":1}"#, r#"{"b":2}"#);
        let cases: [(&str, &[&str], &str); 8] = [
            (r#"[{"a":1},{"b":2}]"#, &[a, b], ""),
            ("{\"a\":1}\n{\"b\":2} more", &[a, b], " more"),
            (r#"{"a":1}, {"b":2}"#, &[a, b], ""),
            (r#"{"a":1}, "b""#, &[a], ", \"b\""),
            (r#"[{"a":1}, ]}"#, &[a], ""),
            (r#"[{"a":1}"#, &[a], ""),
            ("[]more", &[], "more"),
            ("[null, 5]", &["null", "5"], ""),
        ];
        for (written, values, rest) in cases {
            let sequence = sequence(written, 0, Closers::Implied).unwrap();
            let found: Vec<_> = sequence.values.iter().map(|read| &written[read.span.clone()]).collect();
            assert_eq!(
                (found.as_slice(), &written[sequence.end..]),
                (values, rest),
                "{written}"
            );
        }
        for written in ["", "x", "5", r#"{"a":1"#, "[{} {}]", r#"[{"a":1}; 5]"#] {
            assert!(sequence(written, 0, Closers::Needed).is_err(), "{written}");
        }
    }
}
