//! Recognises from an error's words which feature the server refuses: the shape or length of the messages, tool
//! calling, or pictures.
//!
//! Some servers report such a refusal as a 400 and others as a 500. It would recur on every attempt. `failure`
//! recognises errors about the reply rather than the request, and passes errors inside an answer with status 200 to
//! this module as well. `server_message` extracts an error's words.

use std::fmt;

use crate::plausible;

/// The feature of a request that a server refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerRefusal {
    /// Two user messages in a row, or roles that the model's template does not accept.
    Shape,
    /// A message with empty content.
    EmptyStory,
    /// Tools, because the server was started without them or the model does not support them.
    Tools,
    /// All pictures, because the model has no vision or was loaded without its vision part.
    Eyes,
    /// More pictures in one request than the server or the model accepts.
    Pictures,
    /// More text and pictures than fit into the model's context.
    Context,
    /// The grammar or schema that constrains the reply.
    Binding,
    /// Streaming a reply while the model writes it.
    Streaming,
    /// The token count at the end of a stream.
    StreamUsage,
    /// The older name of the field that limits a reply.
    ReplyLimit,
    /// A temperature or nucleus of the request's own.
    Sampling,
}

/// Words that servers use when they reject empty content.
const EMPTY: [&str; 6] = [
    "empty",
    "blank",
    "at least 1 character",
    "at least one character",
    "min_length",
    "must have content",
];

/// Words showing that the server's own output was empty, which might be temporary.
const ANSWERED: [&str; 5] = ["response", "returned", "generated", "produced", "output"];

/// Words used by chat templates and their renderers.
const TEMPLATE: [&str; 7] = [
    "parser for this template",
    "chat template",
    "chat_template",
    "jinja",
    "must alternate",
    "prompt template",
    "only user and assistant roles",
];

/// Words used by servers that could call tools if they were configured to.
const TOOLS_OFF: [&str; 4] = [
    "enable-auto-tool-choice",
    "tool-call-parser",
    "tools param requires",
    "tool_choice param requires",
];

/// Terms for tool calling.
const TOOLS: [&str; 8] = [
    "tools",
    "tool use",
    "tool call",
    "tool_call",
    "tool choice",
    "tool_choice",
    "function call",
    "function_call",
];

/// Phrases that say something is not supported.
const UNSUPPORTED: [&str; 7] = [
    "not support",
    "n't support",
    "no support for",
    "unsupported",
    "no endpoints found that support",
    "not enabled",
    "not implemented",
];

/// Words used by servers whose model has no vision.
const BLIND: [&str; 10] = [
    "image input is not supported",
    "support image input",
    "not support image",
    "n't support image",
    "not support vision",
    "missing data required for image",
    "not a multimodal model",
    "at most 0 image",
    "mmproj",
    "vision add-on is not loaded",
];

/// Terms for anything that constrains a reply to a grammar.
const BINDING: [&str; 8] = [
    "grammar",
    "structured output",
    "structured_output",
    "response_format",
    "json_schema",
    "json schema",
    "required for format",
    "guided decoding",
];

/// Terms for streaming a reply; `upstream` is not one of them.
const STREAM: [&str; 3] = ["stream", "streaming", "streamed"];

/// Phrases that say that a model takes no value for a field, or only its own.
const FIXED: [&str; 4] = [
    "deprecated for this model",
    "cannot both be specified",
    "is allowed for this model",
    "only the default",
];

/// Fields for sampling.
const SAMPLING: [&str; 2] = ["temperature", "top_p"];

/// Terms for the context that a model was loaded with.
const ROOM: [&str; 7] = [
    "context size",
    "context_size",
    "context length",
    "context_length",
    "context window",
    // vLLM, once it has turned pictures into tokens.
    "maximum model length",
    "max_model_len",
];

/// Words used by servers that limit the number of pictures.
const PICTURES: [&str; 9] = [
    "too many images",
    "image(s) may be provided",
    "images may be provided",
    "single image",
    "only one image",
    "one image per",
    "multiple images",
    "maximum number of images",
    "images per",
];

impl ServerRefusal {
    /// Returns the feature that an error answer refuses; `None` if the error is about something else.
    pub fn of(status: u16, words: &str) -> Option<Self> {
        // A router answers 404 if a model has no tools, and a server answers 501 for anything it does not implement.
        if !matches!(status, 400 | 404 | 422 | 500 | 501) {
            return None;
        }
        let words = words.to_lowercase();
        let speaks_of = |terms: &[&str]| terms.iter().any(|term| words.contains(term));
        let names_stream = matches!(status, 400 | 422)
            && words
                .split(|c: char| !c.is_ascii_alphanumeric())
                .any(|word| STREAM.contains(&word));
        // A server that refuses the newer name only mentions that one.
        let names_both_limits = words.contains("max_tokens") && words.contains("max_completion_tokens");
        // Check first for features that are named explicitly, because a server without tools might also mention its
        // template engine.
        if speaks_of(&BINDING) {
            Some(Self::Binding)
        } else if speaks_of(&TOOLS_OFF) || (speaks_of(&TOOLS) && speaks_of(&UNSUPPORTED)) {
            Some(Self::Tools)
        } else if speaks_of(&BLIND) {
            Some(Self::Eyes)
        } else if matches!(status, 404 | 501) {
            None
        } else if speaks_of(&ROOM) {
            Some(Self::Context)
        } else if speaks_of(&PICTURES) {
            Some(Self::Pictures)
        } else if speaks_of(&["content", "message", "prompt"]) && speaks_of(&EMPTY) && !speaks_of(&ANSWERED) {
            Some(Self::EmptyStory)
        } else if names_stream && speaks_of(&["stream_options", "include_usage"]) {
            // Check this last: a server that repeats the request in its error also mentions these names.
            Some(Self::StreamUsage)
        } else if names_stream {
            Some(Self::Streaming)
        } else if matches!(status, 400 | 422) && speaks_of(&UNSUPPORTED) && names_both_limits {
            Some(Self::ReplyLimit)
        } else if matches!(status, 400 | 422) && (speaks_of(&UNSUPPORTED) || speaks_of(&FIXED)) && speaks_of(&SAMPLING)
        {
            Some(Self::Sampling)
        } else {
            speaks_of(&TEMPLATE).then_some(Self::Shape)
        }
    }

    /// Returns a description of the refused feature.
    pub(crate) fn what(self) -> &'static str {
        match self {
            Self::Shape | Self::EmptyStory => "the message format",
            Self::Tools => "tool calling",
            Self::Eyes => "images",
            Self::Pictures => "this many images",
            Self::Context => "a request this long",
            Self::Binding => "a grammar for the reply",
            Self::Streaming => "streaming a reply",
            Self::StreamUsage => "token counts in a stream",
            Self::ReplyLimit => "max_tokens",
            Self::Sampling => "this sampling",
        }
    }
}

impl fmt::Display for ServerRefusal {
    /// Writes advice to the user about the refusal.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Shape => {
                "set memory.shape = \"merged\" in a profile that keeps a story (companion, not operator), or use a model with \
                 another chat template"
            }
            Self::EmptyStory => "set memory.empty_story = \"(nothing yet)\"",
            Self::Tools => {
                "start it with tool calling (vLLM: --enable-auto-tool-choice --tool-call-parser NAME, llama.cpp: --jinja), \
                 choose a model that supports it, or run with --profile companion"
            }
            Self::Eyes => "load a model that accepts images (llama.cpp: with --mmproj), or choose one with --model",
            Self::Context => {
                "start it with a longer context, or make the picture and the reply smaller (image.width, model.max_tokens)"
            }
            Self::Binding => "set model.constrain = \"off\", and remove any such field from model.extra",
            Self::Streaming => "set model.stream = \"off\"",
            Self::StreamUsage => "set model.stream_usage = false",
            Self::ReplyLimit => "set model.limit_field = \"max_completion_tokens\"",
            Self::Sampling => "set model.send_sampling = false, and remove any such field from model.extra",
            Self::Pictures => {
                "set memory.most_screenshots = 1, or start it with a higher limit (vLLM: --limit-mm-per-prompt)"
            }
        })
    }
}

/// The sizes that a server names when it refuses a request as too long; `None` for anything it does not name plausibly.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ContextSizes {
    /// The largest number of tokens in a request and its reply together.
    pub context: Option<u64>,
    /// The number of tokens in the request.
    pub request: Option<u64>,
}

impl ContextSizes {
    /// Reads the phrases of llama.cpp and vLLM, where the number comes before or after its name.
    pub fn of(words: &str) -> Self {
        let words = words.to_lowercase();
        let first = |names: &[(&str, Side)]| names.iter().find_map(|(name, side)| number_at(&words, name, *side));
        let context = first(&[
            ("context size (", Side::Behind),
            ("maximum context length is ", Side::Behind),
            ("maximum model length of ", Side::Behind),
        ]);
        let request = first(&[
            ("request (", Side::Behind),
            (" in the messages", Side::Before),
            ("request has ", Side::Behind),
            ("prompt (length ", Side::Behind),
        ]);
        Self {
            context: context.and_then(plausible::context),
            request: request.and_then(plausible::tokens),
        }
    }
}

/// Returns the number of pictures that a server says it accepts per request, or 1 if it names no number.
pub fn most_pictures(words: &str) -> usize {
    let words = words.to_lowercase();
    let named = number_at(&words, "at most ", Side::Behind).or_else(|| number_at(&words, " image(s)", Side::Before));
    named.and_then(|most| usize::try_from(most).ok()).unwrap_or(1).max(1)
}

/// Where a number is, relative to some words.
#[derive(Clone, Copy)]
enum Side {
    Before,
    Behind,
}

/// Returns the number directly before or after these words.
fn number_at(words: &str, name: &str, side: Side) -> Option<u64> {
    let at = words.find(name)?;
    let digits = match side {
        Side::Before => {
            let before = &words[..at];
            let start = before.trim_end_matches(|c: char| c.is_ascii_digit()).len();
            &before[start..]
        }
        Side::Behind => {
            let behind = &words[at + name.len()..];
            &behind[..behind.len() - behind.trim_start_matches(|c: char| c.is_ascii_digit()).len()]
        }
    };
    digits.parse().ok()
}

#[cfg(test)]
mod tests;
