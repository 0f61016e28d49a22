//! Lists characters that could only be drawn as a box.

use std::fmt;

/// The characters in a string that no font contains, each listed once, in the string's order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct Missing(Vec<char>);

impl Missing {
    /// Returns whether every character could be drawn.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the characters.
    pub fn characters(&self) -> &[char] {
        &self.0
    }

    /// Adds the missing characters of another part of the text.
    pub fn extend(&mut self, other: &Missing) {
        for &character in &other.0 {
            self.add(character);
        }
    }

    pub(super) fn add(&mut self, character: char) {
        if !self.0.contains(&character) {
            self.0.push(character);
        }
    }
}

impl fmt::Display for Missing {
    /// Formats the code points of the first ten characters, because the characters themselves might be unprintable.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MOST: usize = 10;
        for (index, &character) in self.0.iter().take(MOST).enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(f, "{comma}U+{:04X}", u32::from(character))?;
        }
        if self.0.len() > MOST {
            write!(f, " and {} more", self.0.len() - MOST)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_characters_are_listed_by_code_point() {
        let mut missing = Missing::default();
        for character in "猫\u{10fffe}猫".chars() {
            missing.add(character);
        }
        assert_eq!(missing.to_string(), "U+732B, U+10FFFE");
    }

    #[test]
    fn a_long_list_is_cut() {
        let mut missing = Missing::default();
        ('a'..='n').for_each(|character| missing.add(character));
        assert!(missing.to_string().ends_with("U+006A and 4 more"));
    }
}
