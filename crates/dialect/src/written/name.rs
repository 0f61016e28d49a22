//! The possible beginning of a call: a name and an opening bracket.

use franz_action::Tool;

/// A name at the start of the text, followed by an opening bracket.
pub(super) struct Name {
    /// The tool with this name, if there is one.
    pub(super) tool: Option<&'static Tool>,
    /// Where the bracket is.
    pub(super) bracket: usize,
}

impl Name {
    /// Reads the name at the start of the text. Whitespace can follow only a tool's name, because any other name
    /// followed by whitespace is a word in a sentence.
    pub(super) fn of(text: &str) -> Option<Name> {
        if !text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            return None;
        }
        let behind = text.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
        let name = text.get(..text.len() - behind.len())?;
        match Tool::named(name) {
            Some(tool) => {
                let bracket = behind.trim_start();
                let name = Name {
                    tool: Some(tool),
                    bracket: text.len() - bracket.len(),
                };
                bracket.starts_with(['(', '\u{ff08}']).then_some(name)
            }
            None => behind.starts_with(['(', '\u{ff08}']).then_some(Name {
                tool: None,
                bracket: name.len(),
            }),
        }
    }
}
