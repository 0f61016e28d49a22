//! Writes a value as one line of JSON, even if a server put line breaks between its tokens.

use std::io;

use serde::Serialize;

/// Returns `value` as JSON with a line break at the end and no other line break.
///
/// A JSON string cannot contain a raw line break, so any remaining line break is between the tokens of verbatim text,
/// where a space means the same.
pub(crate) fn to_line(value: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(value)?;
    for byte in &mut line {
        if matches!(byte, b'\n' | b'\r') {
            *byte = b' ';
        }
    }
    line.push(b'\n');
    Ok(line)
}

#[cfg(test)]
mod tests {
    use franz_json::Raw;

    use super::*;

    #[test]
    fn breaks_between_tokens_become_spaces() {
        let usage = Raw::parse("{\r\n  \"total\": 3,\n  \"text\": \"a\\nb\"\n}").unwrap();
        let line = String::from_utf8(to_line(&usage).unwrap()).unwrap();
        assert_eq!(line, "{    \"total\": 3,   \"text\": \"a\\nb\" }\n");
    }
}
