//! A model's thoughts that the server separates from its answer.

use franz_json::Object;

/// The names that servers give to reasoning that is separate from the content.
pub(crate) const REASONING: [&str; 3] = ["reasoning_content", "reasoning", "thinking"];

/// A model's thoughts before its answer, if the server separates them from the content. They are sent back under the
/// same name, because many servers know only one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApartReasoning {
    name: &'static str,
    text: String,
}

impl ApartReasoning {
    /// Creates the reasoning that a server sent under `name`; `None` means the most common name.
    pub fn new(name: Option<&str>, text: String) -> Self {
        let name = REASONING.into_iter().find(|known| name == Some(known));
        Self {
            name: name.unwrap_or(REASONING[0]),
            text,
        }
    }

    /// Finds the reasoning in a message; `None` if there is none or it is empty.
    pub(crate) fn of(message: &Object<'_>) -> Option<Self> {
        let mut named = REASONING.into_iter().filter_map(|name| {
            let text = message.text(name).filter(|text| !text.is_empty())?;
            Some(Self { name, text })
        });
        named.next()
    }

    /// Returns the name under which the server sent the reasoning.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the model's thoughts.
    pub fn text(&self) -> &str {
        &self.text
    }
}
