//! Searches text, ignoring case.

use std::ops::Range;

use memchr::memchr2;
use memchr::memmem::Finder;

/// A string to search for. Letters are equal if their lowercase forms are equal.
pub(super) struct Matcher {
    folded: Vec<char>,
    finder: Finder<'static>,
    raw: Raw,
    escape: Finder<'static>,
}

/// Bytes that JSON must contain if it contains the string, unless one of the string's characters is written as
/// `\uXXXX`.
enum Raw {
    /// These consecutive bytes, stored in lowercase and matched in either case. The search looks for the byte at
    /// `rarest` first.
    Ascii { run: Vec<u8>, rarest: usize },
    /// Any of these, which are the forms of one character in all cases. Empty if JSON always writes the character as
    /// `\uXXXX`.
    Character(Vec<Finder<'static>>),
}

impl Matcher {
    /// Creates a matcher; `None` if there is nothing to search for.
    pub(super) fn new(text: &str) -> Option<Matcher> {
        if text.trim().is_empty() {
            return None;
        }
        let folded: Vec<char> = text.chars().map(fold).collect();
        Some(Matcher {
            finder: Finder::new(&String::from_iter(&folded)).into_owned(),
            raw: Raw::of(&folded),
            escape: Finder::new("\\u"),
            folded,
        })
    }

    /// Checks quickly whether any string in the JSON might contain the string. If this returns `false`, none does.
    pub(super) fn may_be_in(&self, json: &[u8]) -> bool {
        self.raw.is_in(json) || self.escape.find_iter(json).any(|at| self.is_escaped(json, at))
    }

    /// Returns the byte range in `text` of the first match.
    pub(super) fn find(&self, text: &str) -> Option<Range<usize>> {
        let folded: String = text.chars().map(fold).collect();
        let found = self.finder.find(folded.as_bytes())?;
        // A lowercase letter can have more or fewer bytes than its uppercase form, but the number of characters stays
        // the same.
        let before = folded.get(..found)?.chars().count();
        let mut places = text.char_indices().map(|(at, _)| at).chain([text.len()]);
        let start = places.nth(before)?;
        Some(start..places.nth(self.folded.len() - 1)?)
    }

    /// Checks whether the escape at `at` stands for one of the characters to search for, or for half of one.
    fn is_escaped(&self, json: &[u8], at: usize) -> bool {
        let digits = json
            .get(at + 2..at + 6)
            .and_then(|digits| std::str::from_utf8(digits).ok());
        let Some(unit) = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()) else {
            return false;
        };
        match char::from_u32(unit) {
            Some(character) => self.folded.contains(&fold(character)),
            None => self.folded.iter().any(|&character| character > '\u{ffff}'),
        }
    }
}

impl Raw {
    fn of(folded: &[char]) -> Raw {
        // In JSON, a slash can have a backslash before it, and the other two always have one.
        let is_plain = |&character: &char| matches!(character, ' '..='~' if !"\"\\/".contains(character));
        let runs = folded.split(|character| !is_plain(character));
        let run: Vec<u8> = runs
            .max_by_key(|run| run.len())
            .into_iter()
            .flatten()
            .filter_map(|&character| u8::try_from(character).ok())
            .collect();
        if !run.is_empty() {
            let rarest = (0..run.len()).max_by_key(|&at| run.get(at).map_or(0, |&byte| rarity(byte)));
            return Raw::Ascii {
                rarest: rarest.unwrap_or_default(),
                run,
            };
        }
        let beyond_ascii = folded.iter().find(|character| !character.is_ascii());
        let forms = match (beyond_ascii, folded.first()) {
            (Some(&character), _) => cases(character),
            (None, Some(&character)) => short_form(character).into_iter().map(str::to_owned).collect(),
            (None, None) => Vec::new(),
        };
        Raw::Character(forms.iter().map(|form| Finder::new(form).into_owned()).collect())
    }

    fn is_in(&self, json: &[u8]) -> bool {
        match self {
            Raw::Ascii { run, rarest } => is_run_in(run, *rarest, json),
            Raw::Character(cases) => cases.iter().any(|case| case.find(json).is_some()),
        }
    }
}

fn is_run_in(run: &[u8], rarest: usize, json: &[u8]) -> bool {
    let Some(&byte) = run.get(rarest) else { return true };
    let mut from = rarest;
    while let Some(found) = json
        .get(from..)
        .and_then(|rest| memchr2(byte, byte.to_ascii_uppercase(), rest))
    {
        let start = from + found - rarest;
        if json
            .get(start..start + run.len())
            .is_some_and(|here| here.eq_ignore_ascii_case(run))
        {
            return true;
        }
        from += found + 1;
    }
    false
}

/// Returns a character in lowercase. If its lowercase form is ASCII or longer than one character, returns the character
/// itself, so that ASCII can be found by its bytes.
fn fold(character: char) -> char {
    if character.is_ascii() {
        return character.to_ascii_lowercase();
    }
    let mut lower = character.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(lower), None) if !lower.is_ascii() => lower,
        _ => character,
    }
}

/// Returns the character in every case.
fn cases(folded: char) -> Vec<String> {
    /// The last character that has more than one case.
    const LAST: char = '\u{1ffff}';
    let all = ('\u{80}'..=LAST).filter(|&character| fold(character) == folded);
    // Characters after it have only one form.
    let beyond = (folded > LAST).then_some(folded);
    all.chain(beyond).map(String::from).collect()
}

/// Returns the escape of an ASCII character in JSON, if it has one besides `\uXXXX`. A slash does not need its
/// backslash, so it is returned without one.
fn short_form(character: char) -> Option<&'static str> {
    let form = match character {
        '"' => r#"\""#,
        '\\' => r"\\",
        '/' => "/",
        '\u{8}' => r"\b",
        '\u{c}' => r"\f",
        '\n' => r"\n",
        '\r' => r"\r",
        '\t' => r"\t",
        '\u{7f}' => "\u{7f}",
        _ => return None,
    };
    Some(form)
}

/// Estimates how rare a byte is in the text of turns.
fn rarity(byte: u8) -> usize {
    const COMMON: &str = " etaoinsrhldcu,0123456789mfpgwy._-():bvkxjqz";
    COMMON.bytes().position(|common| common == byte).unwrap_or(COMMON.len())
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use proptest::prelude::*;

    use super::*;

    fn escaped(text: &str) -> String {
        text.encode_utf16().fold(String::new(), |mut json, unit| {
            write!(json, "\\u{unit:04X}").unwrap();
            json
        })
    }

    #[test]
    fn case_and_escapes_do_not_matter() {
        let cases = [
            ("cat", "a CAT sat", Some(2..5)),
            ("CAT", "a cat", Some(2..5)),
            ("größe", "die GRÖSSE GRÖßE", Some(12..19)),
            ("ÄÖ", "xäö", Some(1..5)),
            ("猫", "黒い猫", Some(6..9)),
            ("σ", "Σ", Some(0..2)),
            ("😀", "a😀", Some(1..5)),
            ("a/b", "A/B", Some(0..3)),
            ("\"", "say \"x\"", Some(4..5)),
            ("\\", "a\\b", Some(1..2)),
            ("a\nb", "a\nb", Some(0..3)),
            ("\n\"\u{1}", "a\n\"\u{1}", Some(1..4)),
            ("\u{1}", "a\u{1}", Some(1..2)),
            ("\u{7f}", "a\u{7f}", Some(1..2)),
            ("aab", "aaab", Some(1..4)),
            // A lowercase letter of three bytes whose uppercase form has two bytes.
            ("\u{2c65}b", "\u{23a}\u{23a}B", Some(2..5)),
            ("abab", "ababa", Some(0..4)),
            ("kelvin", "\u{212a}elvin", None),
            ("cat", "c at", None),
            ("\u{fffd}", "\u{fffd}", Some(0..3)),
        ];
        for (needle, text, place) in cases {
            let needle = Matcher::new(needle).unwrap();
            assert_eq!(needle.find(text), place, "{text}");
            if place.is_some() {
                let json = serde_json::to_string(text).unwrap();
                assert!(needle.may_be_in(json.as_bytes()), "{json}");
                assert!(needle.may_be_in(json.replace('/', "\\/").as_bytes()), "{json}");
                assert!(needle.may_be_in(escaped(text).as_bytes()), "{text}");
            }
        }
        for nothing in ["", " ", "\n\t "] {
            assert!(Matcher::new(nothing).is_none());
        }
    }

    #[test]
    fn unrelated_text_is_ruled_out_quickly() {
        let cases = [
            ("cat", r#""a dog \n \u00e4 \ud83d""#),
            ("ä", r#""\u00e5 o""#),
            ("猫", r#""黒い\u72ac""#),
            ("😀", r#""\u0000""#),
        ];
        for (needle, json) in cases {
            assert!(!Matcher::new(needle).unwrap().may_be_in(json.as_bytes()), "{json}");
        }
    }

    proptest! {
        #[test]
        fn an_existing_match_is_never_missed(
            before in ".{0,12}",
            text in ".{1,6}",
            after in ".{0,12}",
            upper in any::<bool>(),
            ways in any::<u32>(),
        ) {
            let Some(needle) = Matcher::new(&text) else { return Ok(()) };
            // If the uppercase form has a different number of letters, it does not count as the same string.
            let other = text.to_uppercase();
            let same = other.chars().map(fold).eq(text.chars().map(fold));
            let whole = format!("{before}{}{after}", if upper && same { &other } else { &text });
            prop_assert!(needle.find(&whole).is_some());
            let mut json = String::new();
            for (at, character) in whole.chars().enumerate() {
                if ways >> (at % 32) & 1 == 1 {
                    json.push_str(&escaped(&character.to_string()));
                } else {
                    let written = serde_json::to_string(&character).unwrap();
                    json.push_str(&written[1..written.len() - 1]);
                }
            }
            prop_assert!(needle.may_be_in(json.as_bytes()), "{}", json);
        }

        #[test]
        fn agrees_with_a_plain_search(text in "[abAB]{0,30}", needle in "[ab]{1,4}") {
            let expected = text.to_lowercase().find(&needle).map(|start| start..start + needle.len());
            prop_assert_eq!(Matcher::new(&needle).unwrap().find(&text), expected);
        }
    }
}
