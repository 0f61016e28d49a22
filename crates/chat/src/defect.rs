//! Defines the reasons why an answer is not a story.

use serde_json::value::RawValue;
use thiserror::Error;

use crate::server_message;

/// A defect in an answer that the server considers a success.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Defect {
    /// The body contains only white space.
    #[error("it is empty; check the model server's log")]
    Empty,
    /// The body is not text, for example because it is compressed.
    #[error("it is not valid UTF-8 (byte {at}); check that the address belongs to a model server")]
    NotUtf8 {
        /// The position of the first invalid byte.
        at: usize,
    },
    /// The body is a web page.
    #[error("it is {words}; check that the address belongs to a model server")]
    Html {
        /// A description of the page.
        words: String,
    },
    /// The body is text but not a single JSON value.
    #[error(
        "it is not valid JSON (line {line}, column {column}) and starts with \"{start}\"; check the model server's log"
    )]
    NotJson {
        /// The line of the first fault, counted from 1.
        line: usize,
        /// The column of the first fault, counted from 1.
        column: usize,
        /// The start of the text.
        start: String,
    },
    /// The JSON is nested more deeply than any chat reply needs.
    #[error("its JSON is nested deeper than {limit} levels; check the model server's log")]
    TooDeep {
        /// The deepest nesting that FRANZ reads.
        limit: usize,
    },
    /// The body is JSON but not an object.
    #[error("it is JSON but not an object; check that the address belongs to a model server")]
    NotAnObject,
    /// The body contains an error object in place of a reply.
    #[error("it reports an error: {words}")]
    ErrorInside {
        /// The HTTP status that the error names, if any.
        code: Option<u16>,
        /// The server's words.
        words: String,
    },
    /// The server could not parse the model's reply, and answered with an error of its own.
    #[error(
        "the server could not parse the model's reply: {words}; if this keeps happening, start it with another \
         chat template"
    )]
    Unread {
        /// The server's words.
        words: String,
    },
    /// The stream ended with neither a finish reason nor `[DONE]`.
    #[error("its stream stopped before the reply was finished; check the model server's log")]
    Unfinished,
    /// The reply contains more tool calls than any turn needs.
    #[error("its stream contains more than {limit} tool calls")]
    TooManyCalls {
        /// The largest number of calls to read.
        limit: usize,
    },
    /// `choices` is missing or empty.
    #[error("it has no choices; check that the address belongs to a chat-completions server")]
    NoChoices,
    /// `choices[0].message.content` is absent.
    #[error("its content is missing; the model might not suit this server: choose another with --model")]
    MissingContent,
    /// The content is `null`.
    #[error("its content is null; the model might not suit this server: choose another with --model")]
    NullContent,
    /// The content is an array of something other than parts, an object, a number or a boolean.
    #[error("its content is {kind}, not text; use a server that returns plain text")]
    ContentNotText {
        /// The kind of value, including its article.
        kind: &'static str,
    },
    /// The model reasoned but wrote nothing.
    #[error("the model only reasoned and wrote no content; raise model.max_tokens, or turn off thinking in the server")]
    ReasoningOnly,
    /// The answer contains the API key in some form. FRANZ keeps no part of such an answer.
    #[error(
        "the response repeated the API key ({bytes} bytes, SHA-256 {sha256}), so none of it is kept; use a server that does not echo keys"
    )]
    RepeatsKey {
        /// The length of the answer.
        bytes: usize,
        /// The answer's hash, in hexadecimal digits.
        sha256: String,
    },
    /// The model was still thinking when it reached the token limit.
    #[error(
        "the model spent all its tokens on thinking and wrote nothing; raise model.max_tokens, or turn off thinking \
         in the server"
    )]
    ThoughtCut,
    /// The reply was cut off because the model's thoughts repeated the same few lines.
    #[error(
        "the model repeated itself while thinking (model.max_repeats) and wrote nothing; choose another model, or turn \
         off thinking in the server"
    )]
    ThoughtRepeats,
    /// The answer contains tool calls without content, although no tools were offered.
    #[error("it has tool calls but no content; turn off tool calling in the server")]
    ToolCallsOnly,
}

impl Defect {
    /// Returns the error that an `error` member reports.
    pub(crate) fn of_error(error: &RawValue) -> Self {
        Self::ErrorInside {
            code: server_message::code_of(error),
            words: server_message::of_error(error),
        }
    }

    /// Returns the name under which the defect is recorded.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Empty => "empty_body",
            Self::NotUtf8 { .. } => "not_utf8",
            Self::Html { .. } => "html",
            Self::NotJson { .. } => "not_json",
            Self::TooDeep { .. } => "too_deep",
            Self::NotAnObject => "not_an_object",
            Self::ErrorInside { .. } => "error_inside",
            Self::Unread { .. } => "unread",
            Self::Unfinished => "unfinished",
            Self::TooManyCalls { .. } => "too_many_calls",
            Self::NoChoices => "no_choices",
            Self::MissingContent => "missing_content",
            Self::NullContent => "null_content",
            Self::ContentNotText { .. } => "content_not_text",
            Self::ReasoningOnly => "reasoning_only",
            Self::RepeatsKey { .. } => "repeats_key",
            Self::ThoughtCut => "thought_cut",
            Self::ThoughtRepeats => "thought_repeats",
            Self::ToolCallsOnly => "tool_calls_only",
        }
    }
}
