//! Mends the syntax of a call that is not Python: punctuation from other scripts, unescaped quotes.
//!
//! Meaning is never mended: a cut call stays cut, and an ambiguous one stays broken.

use super::quote::OpeningQuote;

/// Replaces full-width punctuation and digits outside strings, and curly quotes around strings, with Python's
/// characters. Returns `None` if there are none, or if a string has no end.
pub(super) fn marks(text: &str) -> Option<String> {
    let mut mended = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = if let Some(quote) = OpeningQuote::of(rest) {
            let length = quote.end(rest)?;
            let quoted = rest.get(..length)?;
            if quote.is_straight() {
                mended.push_str(quoted);
            } else {
                push_requoted(&mut mended, quoted);
            }
            length
        } else {
            mended.push(narrow(c));
            c.len_utf8()
        };
        rest = rest.get(length..)?;
    }
    (mended != text).then_some(mended)
}

/// Appends a string, replacing quotation marks that Python does not know with ones that it does.
fn push_requoted(mended: &mut String, quoted: &str) {
    let mut inside = quoted.chars();
    let _marks = (inside.next(), inside.next_back());
    mended.push('"');
    push_escaped(mended, inside.as_str());
    mended.push('"');
}

/// Appends the contents of a string, with a backslash before every quote that does not have one.
fn push_escaped(mended: &mut String, inside: &str) {
    let mut escaped = false;
    for c in inside.chars() {
        if c == '"' && !escaped {
            mended.push('\\');
        }
        escaped = c == '\\' && !escaped;
        mended.push(c);
    }
}

/// Returns the character as Python writes it.
fn narrow(c: char) -> char {
    match c {
        '\u{3000}' | '\u{a0}' => ' ',
        '\u{3001}' => ',',
        '\u{2212}' => '-',
        // The full-width forms of ASCII characters are at a fixed distance from them. Letters are not syntax, so they
        // stay unchanged.
        '\u{ff01}'..='\u{ff5e}' => {
            let ascii = u8::try_from(u32::from(c) - 0xfee0).map_or(c, char::from);
            if ascii.is_ascii_alphabetic() { c } else { ascii }
        }
        _ => c,
    }
}

/// Mends a call whose only argument is a string with unescaped quotes in it, such as `type("He said "hi"")`. Also
/// returns the call's length. The string ends at the first `")`. Returns `None` if there is another possible reading.
pub(super) fn inner_quotes(text: &str, bracket: usize) -> Option<(usize, String)> {
    let head = text.get(..bracket)?;
    let arguments = text.get(bracket..)?.strip_prefix('(')?.trim_start();
    let (keyword, opening) = split_keyword(arguments);
    let inside = opening.strip_prefix('"')?;
    let length = text.len() - inside.len();
    let inside = inside.get(..end(inside)?)?;
    let mut mended = format!("{head}({keyword}\"");
    push_escaped(&mut mended, inside);
    mended.push_str("\")");
    let is_plain = !inside.contains("\"\"") && !is_list(inside);
    is_plain.then_some((length + inside.len() + "\")".len(), mended))
}

/// Splits off `text=` if the argument is named.
fn split_keyword(arguments: &str) -> (&str, &str) {
    let behind = arguments.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
    match behind.trim_start().strip_prefix('=') {
        Some(value) => {
            let value = value.trim_start();
            arguments.split_at(arguments.len() - value.len())
        }
        None => ("", arguments),
    }
}

/// Returns the position of the first `")` without a backslash before it, unless `("` comes earlier and begins another
/// call.
fn end(inside: &str) -> Option<usize> {
    let mut before = ' ';
    let mut quote = None;
    for (at, c) in inside.char_indices() {
        match (quote, c) {
            (Some(quote), ')') => return Some(quote),
            _ if c == '"' && before == '(' => return None,
            _ => {}
        }
        quote = (c == '"' && before != '\\').then_some(at);
        // A backslash that follows another backslash escapes nothing.
        before = if before == '\\' && c == '\\' { ' ' } else { c };
    }
    None
}

/// Checks whether the quotes could belong to several arguments.
fn is_list(inside: &str) -> bool {
    let mut pieces = inside.split('"').skip(1).peekable();
    while let Some(piece) = pieces.next() {
        let next = piece.trim_start().strip_prefix(',').map(str::trim);
        let is_next = next.is_some_and(|next| next.is_empty() || next.ends_with('='));
        if is_next && pieces.peek().is_some() {
            return true;
        }
    }
    false
}
