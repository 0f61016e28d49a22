//! Recognises a server that refuses the shape of the messages, by its words.
//!
//! Such a refusal comes as 400 from one server and as 500 from the next, and would come again on every try.

use std::fmt;

/// What a server refuses about the messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// Two user messages in a row, or roles that the model's template does not take.
    Shape,
    /// A message whose content is empty.
    EmptyStory,
}

/// Words of servers that want every content to say something.
const EMPTY: [&str; 6] = [
    "empty",
    "blank",
    "at least 1 character",
    "at least one character",
    "min_length",
    "must have content",
];

/// Words that say the emptiness is on the server's side, which may pass.
const ANSWERED: [&str; 5] = ["response", "returned", "generated", "produced", "output"];

/// Words of chat templates and of what renders them.
const TEMPLATE: [&str; 6] = [
    "chat template",
    "chat_template",
    "jinja",
    "must alternate",
    "prompt template",
    "only user and assistant roles",
];

impl Refusal {
    /// What an error answer refuses about the messages; `None` when it speaks of something else.
    pub fn of(status: u16, words: &str) -> Option<Self> {
        if !matches!(status, 400 | 422 | 500) {
            return None;
        }
        let words = words.to_lowercase();
        let speaks_of = |terms: &[&str]| terms.iter().any(|term| words.contains(term));
        if speaks_of(&["content", "message", "prompt"]) && speaks_of(&EMPTY) && !speaks_of(&ANSWERED) {
            Some(Self::EmptyStory)
        } else {
            speaks_of(&TEMPLATE).then_some(Self::Shape)
        }
    }
}

impl fmt::Display for Refusal {
    /// What to do about it.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Shape => "set memory.shape = \"merged\", or use a model with another chat template",
            Self::EmptyStory => "set memory.empty_story = \"(nothing yet)\"",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Refusal;

    #[test]
    fn refusals_are_told_by_their_words() {
        use Refusal::{EmptyStory, Shape};
        let cases = [
            (
                400,
                "Conversation roles must alternate user/assistant/user/assistant/...",
                Some(Shape),
            ),
            (
                500,
                "Error rendering prompt with jinja template: Unknown test: sequence",
                Some(Shape),
            ),
            (
                400,
                "This model's Chat Template does not take two user messages",
                Some(Shape),
            ),
            (500, "Only user and assistant roles are supported!", Some(Shape)),
            (
                400,
                "messages.1: user messages must have non-empty content",
                Some(EmptyStory),
            ),
            (400, "messages: text content blocks must be non-empty", Some(EmptyStory)),
            (400, "Invalid 'messages[1].content': empty string", Some(EmptyStory)),
            (
                422,
                "content: String should have at least 1 character",
                Some(EmptyStory),
            ),
            (503, "chat template is loading", None),
            (401, "Conversation roles must alternate", None),
            (500, "CUDA error: out of memory", None),
            (400, "the request exceeds the available context size", None),
            (400, "model name is empty", None),
            (500, "the model returned an empty message", None),
        ];
        for (status, words, refusal) in cases {
            assert_eq!(Refusal::of(status, words), refusal, "{status} {words}");
        }
    }
}
