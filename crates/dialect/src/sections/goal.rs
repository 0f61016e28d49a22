//! The goal that a model declares: one line, without decoration.

use franz_action::text::shortened;

/// The maximum length of a goal, in characters.
const LONGEST: usize = 1000;
/// Words that models write in place of a goal, including the prompt's own words about this line.
const PLACEHOLDERS: [&str; 27] = [
    "none",
    "null",
    "no goal",
    "no new goal",
    "current goal",
    "the current goal",
    "the current goal, or a new one when it changes",
    "current goal, or a new one when it changes",
    "goal",
    "same",
    "the same",
    "same goal",
    "the same goal",
    "same as before",
    "same as above",
    "same as current goal",
    "same as the current goal",
    "same as previous goal",
    "as before",
    "see above",
    "unchanged",
    "goal unchanged",
    "not changed",
    "no change",
    "no changes",
    "n/a",
    "-",
];
/// Marks that can follow a goal without being part of it.
const STOPS: [char; 2] = ['.', '\u{3002}'];
/// The beginning of the mark after the goal after the model has reported the person's task done.
const MARK: &str = " (ASKED BY THE PERSON: reported done in turn ";
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

/// Returns the mark after the goal that says in which turn the model reported the person's task done.
pub(super) fn mark(turn: u64) -> String {
    format!("{MARK}{turn})")
}

/// Reads the goal, or returns `None` if the section only says that there is no goal or that it has not changed.
pub(super) fn read(section: &str) -> Option<String> {
    let goal = read_as(section);
    let word = unstopped(&goal).to_lowercase();
    let is_template = word.starts_with('<') && word.ends_with('>');
    let is_goal = !is_template && goal.chars().any(char::is_alphanumeric) && !PLACEHOLDERS.contains(&word.as_str());
    is_goal.then_some(goal)
}

/// Checks whether two goals are read as the same, ignoring case and a full stop at the end.
pub(super) fn same(a: &str, b: &str) -> bool {
    let plain = |text: &str| unstopped(&read_as(text)).to_lowercase();
    plain(a) == plain(b)
}

/// Returns the text in the form in which goals are read, whether or not it is a goal.
fn read_as(text: &str) -> String {
    shortened(bare(unmarked(bare(&one_line(text)))), LONGEST)
}

/// Returns a goal without the mark, which models copy together with the goal.
fn unmarked(goal: &str) -> &str {
    let (marked, turn) = goal.rsplit_once(MARK).unwrap_or((goal, ""));
    if turn.contains(char::is_alphabetic) {
        goal
    } else {
        marked
    }
}

/// Returns the goal without a full stop at its end, either inside or outside its marks.
fn unstopped(goal: &str) -> &str {
    bare(goal.trim_end_matches(STOPS)).trim_end_matches(STOPS)
}

/// Returns the text with every run of whitespace replaced by one space.
pub(super) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

/// Returns the text without the marks at its ends. Quotes are removed only if they surround the whole text: `save as
/// "cat.jpg"` keeps its quotes.
fn bare(text: &str) -> &str {
    let mut text = text.trim();
    loop {
        let marked = text.trim_end_matches(['*', '`']).trim();
        let inside = PAIRS.iter().find_map(|(opening, closing)| {
            let inside = marked.strip_prefix(*opening)?.strip_suffix(*closing)?;
            (!inside.contains([*opening, *closing])).then(|| inside.trim())
        });
        let inside = inside.unwrap_or_else(|| marked.trim_start_matches(['*', '`', ' ']));
        if inside == text {
            return text;
        }
        text = inside;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn formatting_is_stripped_from_goals() {
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
            ("**<the current goal, or a new one when it changes>**", None),
            ("<current goal>.", None),
            ("the current goal, or a new one when it changes", None),
            ("The current goal.", None),
            ("\"current goal\".", None),
            ("(same as current goal)", None),
            ("Same as before", None),
            ("*No change.*", None),
            (
                "Find the current goal of the team",
                Some("Find the current goal of the team"),
            ),
            ("Type <b> and </b>", Some("Type <b> and </b>")),
            ("None.", None),
            ("(unchanged)", None),
            ("`same`", None),
            ("\"\"", None),
            ("Watch. (ASKED BY THE PERSON: reported done in turn 12)", Some("Watch.")),
            (
                "**Watch** (ASKED BY THE PERSON: reported done in turn 12).",
                Some("Watch"),
            ),
            ("", None),
            ("...", None),
            ("\u{753b}\u{732b}", Some("\u{753b}\u{732b}")),
        ];
        for (section, goal) in cases {
            assert_eq!(read(section).as_deref(), goal, "{section}");
        }
    }

    #[test]
    fn formatting_does_not_change_a_goal() {
        for text in [
            "Draw a cat",
            "draw A cat.",
            " Draw\n\ta  cat ",
            "**Draw a cat.**",
            "\"Draw a cat\".",
            "\"Draw a cat.\"",
            "\u{201c}Draw a cat\u{201d}",
            "Draw a cat\u{3002}",
        ] {
            assert!(same(text, "Draw a cat") && same("Draw a cat", text), "{text}");
        }
        assert!(same("", " "));
        let long = "cat ".repeat(400);
        assert!(same(&read(&long).unwrap(), &long));
        for text in ["Draw a dog", "Draw a cat, then a dog", "", "a cat"] {
            assert!(!same(text, "Draw a cat"), "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_goal_equals_its_source_text(text in "([a-c.*`\"'_()<>\u{201c}\u{201d} \n]|Draw a cat){0,12}") {
            prop_assert!(read(&text).is_none_or(|goal| same(&goal, &text)), "{text:?} as {:?}", read(&text));
        }
    }

    #[test]
    fn long_goals_are_cut() {
        let goal = read(&"\u{e9}".repeat(5000)).unwrap();
        assert_eq!(goal.chars().count(), 1001);
        assert!(goal.ends_with('\u{2026}'));
    }
}
