//! The goal that a model declares: one line, without what it dresses it in.

use crate::plan::shortened;

/// The longest goal, in characters.
const LONGEST: usize = 1000;
/// Words that stand where a goal is to stand and that are none.
const PLACEHOLDERS: [&str; 8] = [
    "none",
    "same",
    "same goal",
    "same as before",
    "unchanged",
    "no change",
    "n/a",
    "-",
];
const PAIRS: [(char, char); 9] = [
    ('*', '*'),
    ('_', '_'),
    ('`', '`'),
    ('"', '"'),
    ('\'', '\''),
    ('\u{201c}', '\u{201d}'),
    ('\u{2018}', '\u{2019}'),
    ('(', ')'),
    ('[', ']'),
];

/// The goal, unless the section only says that there is none or that it stays as it is.
pub(super) fn read(section: &str) -> Option<String> {
    let line = one_line(section);
    let goal = bare(&line);
    let word = goal.trim_end_matches('.').to_lowercase();
    let is_template = goal.starts_with('<') && goal.ends_with('>');
    let is_goal = !is_template && goal.chars().any(char::is_alphanumeric) && !PLACEHOLDERS.contains(&word.as_str());
    is_goal.then(|| shortened(goal, LONGEST))
}

/// The text with every run of blanks and line ends as one blank.
pub(super) fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}

/// The text without marks at its ends. Quotes count only in pairs around the whole: `save as "cat.jpg"` has none.
fn bare(text: &str) -> &str {
    let mut text = text.trim_end_matches(['*', '`']).trim();
    loop {
        let inside = PAIRS.iter().find_map(|(opening, closing)| {
            let inside = text.strip_prefix(*opening)?.strip_suffix(*closing)?;
            (!inside.contains([*opening, *closing])).then(|| inside.trim())
        });
        match inside {
            Some(inside) => text = inside,
            None => return text.trim_start_matches(['*', '`', ' ']),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goals_are_undressed() {
        let cases = [
            ("Draw a cat.", Some("Draw a cat.")),
            (" Draw\n\n  a\tcat ", Some("Draw a cat")),
            ("\"Draw a cat\"", Some("Draw a cat")),
            ("**`Draw a cat`**", Some("Draw a cat")),
            ("\u{201c}Draw a cat\u{201d}", Some("Draw a cat")),
            ("Draw a cat**", Some("Draw a cat")),
            ("save it as \"cat.jpg\"", Some("save it as \"cat.jpg\"")),
            ("\"a\" and \"b\"", Some("\"a\" and \"b\"")),
            ("<current goal>", None),
            ("None.", None),
            ("(unchanged)", None),
            ("`same`", None),
            ("\"\"", None),
            ("", None),
            ("...", None),
            ("\u{753b}\u{732b}", Some("\u{753b}\u{732b}")),
        ];
        for (section, goal) in cases {
            assert_eq!(read(section).as_deref(), goal, "{section}");
        }
    }

    #[test]
    fn long_goals_are_cut() {
        let goal = read(&"\u{e9}".repeat(5000)).unwrap();
        assert_eq!(goal.chars().count(), 1001);
        assert!(goal.ends_with('\u{2026}'));
    }
}
