//! Names of suites, tasks and models. They become parts of file names and of reports.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The longest name, in bytes.
const LONGEST: usize = 64;

/// A name of lower-case letters, digits, dots, underscores and hyphens, up to 64 of them, that starts with a letter or
/// digit.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Name(String);

impl Name {
    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl From<Name> for String {
    fn from(name: Name) -> String {
        name.0
    }
}

impl TryFrom<String> for Name {
    type Error = String;

    fn try_from(text: String) -> Result<Name, String> {
        let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        let first = text.bytes().next().is_some_and(is_plain);
        let rest = text.bytes().all(|byte| is_plain(byte) || b"._-".contains(&byte));
        if first && rest && text.len() <= LONGEST {
            return Ok(Name(text));
        }
        Err(format!(
            "{text:?} is not a name; use up to {LONGEST} lower-case letters, digits, dots, underscores and hyphens, \
             and start with a letter or digit"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_names_are_accepted() {
        for good in ["a", "0", "invoice-total", "qwen3-vl-8b-q4_k.m", &"a".repeat(64)] {
            assert_eq!(Name::try_from(good.to_owned()).unwrap().as_str(), good);
        }
        for bad in ["", "A", "-a", ".a", "a/b", "..", "a b", "ä", "a\n", &"a".repeat(65)] {
            assert!(Name::try_from(bad.to_owned()).is_err(), "{bad}");
        }
    }
}
