//! Text that models write around a call: quotes, brackets, and the rest of a sentence after a label that announces the
//! call.

use super::name::Name;

/// Marks around a call, each with its closing mark.
const PAIRS: [(char, char); 12] = [
    ('"', '"'),
    ('\'', '\''),
    ('\u{201c}', '\u{201d}'),
    ('\u{2018}', '\u{2019}'),
    ('<', '>'),
    ('[', ']'),
    ('(', ')'),
    ('{', '}'),
    ('\u{300c}', '\u{300d}'),
    ('\u{3010}', '\u{3011}'),
    ('\u{ab}', '\u{bb}'),
    ('$', '$'),
];
/// How many marks can surround one call.
const MOST_MARKS: usize = 4;

/// Returns the length of the marks at the start of the text, and the marks that close them, innermost first.
pub(super) fn opened(text: &str) -> (usize, Vec<char>) {
    let mut closers = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next()
        && let Some((_, close)) = PAIRS.iter().find(|(open, _)| *open == c)
        && closers.len() < MOST_MARKS
    {
        closers.push(*close);
        rest = rest.strip_prefix(c).unwrap_or_default().trim_start_matches(' ');
    }
    closers.reverse();
    (text.len() - rest.len(), closers)
}

/// Returns the length of the closing marks at the start of the text, or `None` if one of them is missing.
pub(super) fn closed(text: &str, closers: &[char]) -> Option<usize> {
    let mut rest = text;
    for close in closers {
        rest = rest.trim_start_matches([' ', '`']).strip_prefix(*close)?;
    }
    Some(text.len() - rest.len())
}

/// Returns where the first call in a sentence begins, unless the words could deny it.
pub(super) fn in_words(text: &str) -> Option<usize> {
    let mut from = 0;
    while let Some(found) = text.get(from..)?.find(['(', '\u{ff08}']) {
        let bracket = from + found;
        let before = text.get(..bracket)?;
        let start = before
            .rfind(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
            .map_or(0, |at| {
                at + before
                    .get(at..)
                    .and_then(|rest| rest.chars().next())
                    .map_or(1, char::len_utf8)
            });
        let name = text.get(start..)?;
        if Name::of(name).is_some_and(|name| name.tool.is_some()) {
            let qualified = text.get(..start)?.ends_with('.');
            return (!qualified && is_plain(text.get(..start)?)).then_some(start);
        }
        from = bracket + 1;
    }
    None
}

/// The maximum length of the words before or after a call.
const LONGEST_WORDS: usize = 120;

/// Checks that words neither deny a call nor make it a condition, a choice or a report of the past.
pub(super) fn is_plain(words: &str) -> bool {
    let mut all = words
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .filter(|word| !word.is_empty());
    words.is_ascii()
        && words.len() <= LONGEST_WORDS
        && all.all(|word| {
            let word = word.to_ascii_lowercase();
            // A verb in the past tense is not a request.
            let past = word.len() > 3 && word.ends_with("ed");
            !past && !word.ends_with("n't") && !HEDGES.contains(&word.as_str())
        })
}

const HEDGES: [&str; 49] = [
    "not",
    "never",
    "none",
    "no",
    "nothing",
    "cannot",
    "without",
    "instead",
    "avoid",
    "if",
    "when",
    "whenever",
    "unless",
    "once",
    "until",
    "or",
    "either",
    "maybe",
    "perhaps",
    "might",
    "may",
    "could",
    "would",
    "should",
    "had",
    "has",
    "was",
    "were",
    "did",
    "done",
    "used",
    "tried",
    "before",
    "already",
    "yet",
    "example",
    "like",
    "such",
    "vs",
    "whether",
    "previously",
    "earlier",
    "last",
    "failed",
    "stop",
    "wait",
    "later",
    "dont",
    "neither",
];
