//! Patterns for the titles and classes of windows.

/// A pattern with `*` for any text and `?` for one character; case does not matter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glob(Vec<char>);

impl Glob {
    /// Reads a pattern. Every string is a valid pattern.
    pub fn new(pattern: &str) -> Glob {
        Glob(folded(pattern))
    }

    /// Returns whether the whole text matches.
    pub fn fits(&self, text: &str) -> bool {
        let (pattern, text) = (&self.0, folded(text));
        let (mut at, mut read) = (0, 0);
        // The position of the last `*`, and how much of the text it has consumed.
        let mut star = None;
        while read < text.len() {
            match (pattern.get(at), star) {
                (Some('*'), _) => {
                    star = Some((at, read));
                    at += 1;
                }
                (Some(wanted), _) if *wanted == '?' || *wanted == text[read] => {
                    at += 1;
                    read += 1;
                }
                (_, Some((place, taken))) => {
                    star = Some((place, taken + 1));
                    at = place + 1;
                    read = taken + 1;
                }
                (_, None) => return false,
            }
        }
        pattern[at..].iter().all(|rest| *rest == '*')
    }
}

fn folded(text: &str) -> Vec<char> {
    text.chars().flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_pattern_fits_the_whole_text() {
        for (pattern, text, fits) in [
            ("KeePass*", "KeePassXC", true),
            ("keepass*", "KEEPASS - db.kdbx", true),
            ("KeePass*", "My KeePass", false),
            ("*KeePass*", "My KeePass", true),
            ("KeePass", "KeePassXC", false),
            ("*.kdbx", "a.kdbx.kdbx", true),
            ("*.kdbx", "a.kdbx.bak", false),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
            ("a*b*c", "a-b-b-c-c", true),
            ("GRÜSSE", "grüsse", true),
            ("*", "", true),
            ("?", "", false),
            ("", "", true),
            ("", "a", false),
            ("a**", "a", true),
        ] {
            assert_eq!(Glob::new(pattern).fits(text), fits, "{pattern} {text}");
        }
    }

    /// A slow reference implementation of the same matching.
    fn plain(pattern: &[char], text: &[char]) -> bool {
        match (pattern, text) {
            ([], []) => true,
            (['*', rest @ ..], _) if plain(rest, text) => true,
            (['*', ..], [_, left @ ..]) => plain(pattern, left),
            (['?', rest @ ..], [_, left @ ..]) => plain(rest, left),
            ([one, rest @ ..], [other, left @ ..]) => one == other && plain(rest, left),
            _ => false,
        }
    }

    proptest! {
        #[test]
        fn every_pattern_is_read_as_it_is_meant(pattern in "[ab?*]{0,8}", text in "[ab]{0,10}") {
            let chars = |text: &str| text.chars().collect::<Vec<_>>();
            prop_assert_eq!(Glob::new(&pattern).fits(&text), plain(&chars(&pattern), &chars(&text)));
        }
    }
}
