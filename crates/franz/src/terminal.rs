//! Text for a terminal: what a model or a server wrote is shown, and never obeyed.

use std::io::Write;

/// The text with every character that a terminal acts on, or that reorders what is read, shown as U+FFFD.
/// Line breaks and tabs stay.
pub(crate) fn printable(text: &str) -> String {
    text.chars()
        .map(|c| if acts(c) { char::REPLACEMENT_CHARACTER } else { c })
        .collect()
}

/// The text as one line that a terminal only shows: for what must not pass for a line of ours.
pub(crate) fn one_line(text: &str) -> String {
    printable(text).replace(['\n', '\t'], " ")
}

/// Writes a line to stderr. Where that is gone there is nobody left to tell.
pub(crate) fn complain(text: &str) {
    let _ = writeln!(std::io::stderr(), "franz: {}", printable(text));
}

/// Writes a line of another process to stderr as it is, but for what a terminal would act on.
pub(crate) fn complain_plainly(line: &str) {
    let _ = writeln!(std::io::stderr(), "{}", printable(line));
}

/// Writes a line to stdout. Where that is gone there is nobody left to tell.
pub(crate) fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{}", one_line(line));
}

fn acts(c: char) -> bool {
    let reorders = matches!(c, '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
    reorders || (c.is_control() && !matches!(c, '\n' | '\t'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_are_shown_and_not_obeyed() {
        assert_eq!(
            printable("a\x1b[2Jb\r\u{9b}1m\u{202e}c\n\té 家"),
            "a\u{fffd}[2Jb\u{fffd}\u{fffd}1m\u{fffd}c\n\té 家"
        );
    }
}
