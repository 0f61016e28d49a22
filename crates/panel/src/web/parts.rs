//! The files from which the page is made, embedded in the program without comments and indentation.

use std::sync::LazyLock;

macro_rules! embedded {
    ($($name:literal)*) => {
        &[$(($name, include_str!(concat!("../../assets/", $name)))),*]
    };
}

/// All files in `assets`. A test checks that none is missing.
pub(super) const FILES: &[(&str, &str)] = embedded! {
    "index.html"
    "address.js"
    "changes.js"
    "clipboard.js"
    "controls.js"
    "dialog.js"
    "diff.js"
    "element.js"
    "facts.js"
    "feed.js"
    "feedback.js"
    "growing.js"
    "highlight.js"
    "history.js"
    "icon.svg"
    "keys.js"
    "live.js"
    "main.js"
    "marks.js"
    "masks.js"
    "navigation.js"
    "notices.js"
    "notify.js"
    "pace.js"
    "pair.js"
    "panes.js"
    "picture.js"
    "pictures.js"
    "place.js"
    "places.js"
    "player.js"
    "quantity.js"
    "question.js"
    "request.js"
    "rings.js"
    "run.js"
    "runs.js"
    "search.js"
    "server.js"
    "settings.js"
    "splitter.js"
    "status.js"
    "stored.js"
    "story.js"
    "style.css"
    "summaries.js"
    "takeover.js"
    "text.js"
    "theme.js"
    "timeline.js"
    "trace.js"
    "turns.js"
    "verdict.js"
    "view.js"
};

/// All files by name, slimmed.
static PARTS: LazyLock<Vec<(&str, String)>> = LazyLock::new(|| {
    let parts = FILES.iter().map(|&(name, written)| (name, slim(name, written)));
    parts.collect()
});

/// Returns the text of one of the page's files, as it is written.
pub(crate) fn page_part(name: &str) -> &'static str {
    let part = PARTS.iter().find(|(part, _)| *part == name);
    part.map_or("", |(_, text)| text)
}

/// Returns a file without indentation, empty lines, and comments that have lines of their own. That is all that can be
/// left out without parsing the file. A test checks that no string goes over the end of a line.
pub(crate) fn slim(name: &str, written: &str) -> String {
    let has_comments = matches!(suffix(name), "js" | "css");
    let mut in_comment = false;
    let mut slim = String::with_capacity(written.len());
    for line in written.lines().map(str::trim) {
        let begins = has_comments && line.starts_with("/*");
        if begins || in_comment {
            in_comment = !line.ends_with("*/");
        } else if !(line.is_empty() || (has_comments && line.starts_with("//"))) {
            slim.push_str(line);
            slim.push('\n');
        }
    }
    slim
}

/// What needs no spaces around it, wide and narrow. A test checks that no string contains any of it.
const OPERATORS: &[(&str, &str)] = &[
    ("{ ", "{"),
    (" }", "}"),
    (" = ", "="),
    (" => ", "=>"),
    (" === ", "==="),
    (" !== ", "!=="),
    (" && ", "&&"),
    (" || ", "||"),
    (" ?? ", "??"),
    (" ? ", "?"),
    (" : ", ":"),
    (" < ", "<"),
    (" > ", ">"),
    (" / ", "/"),
    (" {", "{"),
    ("if (", "if("),
    (";}", "}"),
];

/// The same for scripts alone. In style sheets, `calc` needs these spaces.
const SIGNS: &[(&str, &str)] = &[
    (" + ", "+"),
    (" - ", "-"),
    (" * ", "*"),
    (" += ", "+="),
    (" <= ", "<="),
    (" >= ", ">="),
    // In the modules, TypeScript has checked that nothing assigns to a constant.
    ("const ", "let "),
];

/// The same for style sheets alone. In scripts, texts contain this.
const SEPARATORS: &[(&str, &str)] = &[(": ", ":"), (", ", ",")];

/// Joins each line of a file with the next one if it ends where scripts and style sheets need no end of a line, and
/// leaves out spaces around operators.
pub(super) fn joined(name: &str, text: &str) -> String {
    const ENDS: [char; 12] = ['{', '}', '(', '[', ',', ';', ':', '?', '=', '>', '&', '|'];
    let ends = |line: &str| line.ends_with(ENDS) && !line.contains("//");
    let lines = text.lines().map(|line| (line, if ends(line) { "" } else { "\n" }));
    let joined: String = lines.flat_map(|(line, end)| [line, end]).collect();
    let narrow = |text: String, (wide, narrow): &(&str, &str)| text.replace(wide, narrow);
    operators(name).fold(joined, narrow)
}

/// Returns what needs no spaces around it in this file.
fn operators(name: &str) -> impl Iterator<Item = &'static (&'static str, &'static str)> {
    let own = if suffix(name) == "css" { SEPARATORS } else { SIGNS };
    OPERATORS.iter().chain(own)
}

pub(super) fn suffix(name: &str) -> &str {
    name.rsplit_once('.').map_or("", |(_, suffix)| suffix)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_comments_and_indentation_are_left_out() {
        let written = "/** A\n * b. */\nlet a = \"//\"; // c\n\n  // d\n  /* e */\n  f();\n";
        assert_eq!(slim("a.js", written), "let a = \"//\"; // c\nf();\n");
        assert_eq!(slim("a.html", "<p>\n  // a\n</p>\n"), "<p>\n// a\n</p>\n");
    }

    #[test]
    fn lines_are_joined_only_where_nothing_depends_on_their_end() {
        let written = "f(\na,\nb =>\nc\n);\nif (d && e) {\ng() // {\n}\n{\ni = { h };\n}\n";
        assert_eq!(joined("a.js", written), "f(a,b =>c\n);if(d&&e){g() //{\n}{i={h}}");
    }

    #[test]
    fn scripts_keep_the_spaces_in_their_texts_and_style_sheets_those_in_their_sums() {
        let script = "f(a + b - 1, \"c: d, e\");\n";
        assert_eq!(joined("a.js", script), "f(a+b-1, \"c: d, e\");");
        let style = "a,\nb {\n  width: calc(1px + 2px - var(--c, 3px));\n}\n";
        let sent = joined("a.css", &slim("a.css", style));
        assert_eq!(sent, "a,b{width:calc(1px + 2px - var(--c,3px))}");
    }

    #[test]
    fn no_string_contains_an_operator() {
        // Templates contain code, too.
        let lines = FILES
            .iter()
            .flat_map(|&(name, _)| page_part(name).lines().map(move |line| (name, line)));
        for (name, line) in lines.filter(|(name, line)| suffix(name) != "html" && !line.contains('`')) {
            for string in line.split('"').skip(1).step_by(2) {
                assert!(
                    !operators(name).any(|(wide, _)| string.contains(wide)),
                    "{name}: {line}"
                );
            }
        }
    }

    /// In a string that goes over the end of a line, indentation would matter, and a line could look like a comment.
    #[test]
    fn no_string_or_comment_of_the_modules_hides_the_end_of_a_line() {
        for (name, written) in FILES.iter().filter(|(name, _)| suffix(name) == "js") {
            for line in written.lines() {
                let quotes = line.matches('`').count() - line.matches("\\`").count();
                assert!(quotes.is_multiple_of(2) && !line.ends_with('\\'), "{name}: {line}");
            }
        }
        for (name, written) in FILES {
            for line in written.lines().map(str::trim) {
                let is_comment = line.starts_with("/*") || line.starts_with('*');
                assert!(
                    !is_comment || !line.contains("*/") || line.ends_with("*/"),
                    "{name}: {line}"
                );
            }
        }
    }
}
