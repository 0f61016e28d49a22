//! The mode that a model declares: one word in the first line of its section.

use crate::mode::Mode;

/// The mode, unless the section names none, more than one, or denies the one that it names.
pub(super) fn read(section: &str) -> Option<Mode> {
    let line = section
        .lines()
        .find(|line| line.contains(char::is_alphanumeric))?
        .to_lowercase();
    let mut found = None;
    let mut before = "";
    let apart = |c: char| !c.is_alphanumeric() && !APOSTROPHES.contains(&c);
    for word in line.split(apart).filter(|word| !word.is_empty()) {
        match word.trim_matches(APOSTROPHES).parse::<Mode>() {
            Ok(mode) if found.is_none_or(|found| found == mode) => found = Some(mode),
            Ok(_) => return None,
            // Behind the word it says what the model does not do besides: `monitoring, not yet acting`.
            Err(_) if found.is_none() && denies(before, word) => return None,
            Err(_) => {}
        }
        before = word;
    }
    found
}

const APOSTROPHES: [char; 2] = ['\'', '\u{2019}'];

/// Whether what follows this word is said not to be so: `not`, `no longer`, `isn't`.
fn denies(before: &str, word: &str) -> bool {
    let is_short = word
        .strip_suffix('t')
        .is_some_and(|stem| stem.strip_suffix(APOSTROPHES).is_some_and(|stem| stem.ends_with('n')));
    is_short || matches!(word, "not" | "never" | "cannot") || (before, word) == ("no", "longer")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_mode_counts_and_no_guess() {
        let (executing, monitoring) = (Some(Mode::Executing), Some(Mode::Monitoring));
        let cases = [
            ("executing", executing),
            ("**'Executing'**.", executing),
            ("<monitoring>", monitoring),
            ("---\n\nmonitoring", monitoring),
            ("monitoring (completed)", monitoring),
            ("executing, executing", executing),
            ("monitoring, not yet acting", monitoring),
            ("nothing found, so monitoring", monitoring),
            ("executing\nnot monitoring", executing),
            ("resting\nexecuting", None),
            ("executing or monitoring", None),
            ("executing | monitoring", None),
            ("<executing or monitoring>", None),
            ("monitoring, not executing", None),
            ("executing -> completed", None),
            ("not executing", None),
            ("NOT yet **executing**", None),
            ("no longer executing", None),
            ("I am no\tlonger executing", None),
            ("isn't executing", None),
            ("wasn\u{2019}t executing", None),
            ("never executing", None),
            ("", None),
        ];
        for (section, mode) in cases {
            assert_eq!(read(section), mode, "{section}");
        }
    }
}
