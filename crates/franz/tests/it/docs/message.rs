//! Checks that the messages quoted in the documents are the program's own. Each piece between two `…` must be in its
//! source.

use std::sync::LazyLock;

use crate::docs::source;

/// The source of all crates with its strings as they appear at run time: escapes are replaced, and continued lines are
/// joined.
static SOURCE: LazyLock<String> = LazyLock::new(|| {
    let mut whole = String::new();
    for text in source::texts(&["src"]) {
        append(&text, &mut whole);
    }
    whole
});

/// Checks messages, one per line.
pub(crate) fn check(body: &str) -> Result<(), String> {
    for line in body.lines().filter(|line| !line.trim().is_empty()) {
        for piece in line.split('…').filter(|piece| !piece.trim().is_empty()) {
            if !SOURCE.contains(piece) {
                return Err(format!("the program never says \"{piece}\""));
            }
        }
    }
    Ok(())
}

fn append(text: &str, whole: &mut String) {
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        whole.push_str(&plain(line));
        if line.ends_with('\\') {
            whole.pop();
            whole.push_str(&lines.next().map(|next| continued(next, &mut lines)).unwrap_or_default());
        }
        whole.push('\n');
    }
}

/// Returns a continuation line, along with any further lines that continue it.
fn continued<'a>(line: &str, lines: &mut impl Iterator<Item = &'a str>) -> String {
    let text = plain(line.trim_start());
    match text.strip_suffix('\\') {
        Some(text) => format!(
            "{text}{}",
            lines.next().map(|next| continued(next, lines)).unwrap_or_default()
        ),
        None => text,
    }
}

fn plain(line: &str) -> String {
    line.replace("\\\"", "\"").replace("{{", "{").replace("}}", "}")
}

#[test]
fn a_message_no_program_prints_is_detected() {
    assert_eq!(
        check("no model server answers at … (…); start it, or run with --upstream demo\n"),
        Ok(())
    );
    assert!(check("no model server is to be found at …\n").is_err());
}
