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
mod tests {
    use super::{ContextSizes, ServerRefusal, most_pictures};

    #[test]
    fn sizes_are_read_from_the_words_of_servers() {
        let cases = [
            (
                "request (5321 tokens) exceeds the available context size (4096 tokens), try increasing it",
                (Some(4096), Some(5321)),
            ),
            (
                "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (3976 in the \
                 messages, 1024 in the completion). Please reduce the length of the messages or completion.",
                (Some(4096), Some(3976)),
            ),
            (
                "'max_tokens' or 'max_completion_tokens' is too large: 2048. This model's maximum context length is 4096 \
                 tokens and your request has 3000 input tokens (2048 > 4096 - 3000).",
                (Some(4096), Some(3000)),
            ),
            (
                "The decoder prompt (length 9000) is longer than the maximum model length of 8192.",
                (Some(8192), Some(9000)),
            ),
            ("the request exceeds the available context size", (None, None)),
            (
                "request (2000000000 tokens) exceeds the available context size (1 tokens)",
                (None, None),
            ),
            (
                "This model's maximum context length is 99999999999999999999999 tokens.",
                (None, None),
            ),
            (
                "This model's maximum context length is 1000000001 tokens, your request has 900 input tokens",
                (None, Some(900)),
            ),
        ];
        for (words, (context, request)) in cases {
            assert_eq!(ContextSizes::of(words), ContextSizes { context, request }, "{words}");
        }
        assert_eq!(most_pictures("At most 2 image(s) may be provided in one request."), 2);
        assert_eq!(
            most_pictures("vision model only supports a single image per message"),
            1
        );
    }

    #[test]
    fn a_template_that_cannot_take_functions_is_refused_by_its_shape() {
        for why in [
            "",
            " While executing MemberExpression at line 10",
            " Conversation roles must alternate",
            " tools are not supported",
        ] {
            let words =
                format!("Unable to generate parser for this template. Automatic parser generation failed:{why}");
            let refused = ServerRefusal::of(400, &words);
            assert!(
                matches!(refused, Some(ServerRefusal::Shape | ServerRefusal::Tools)),
                "{words}"
            );
        }
    }

    #[test]
    fn a_refused_stream_is_recognised() {
        for (status, words, refusal) in [
            (
                400,
                "Unrecognized request argument supplied: stream_options",
                Some(ServerRefusal::StreamUsage),
            ),
            (
                422,
                "body.stream_options: Extra inputs are not permitted",
                Some(ServerRefusal::StreamUsage),
            ),
            (
                400,
                "'stream' is not supported with this model",
                Some(ServerRefusal::Streaming),
            ),
            (422, "Streaming is not implemented", Some(ServerRefusal::Streaming)),
            (400, "the upstream server is gone", None),
            (500, "the stream was closed", None),
            (503, "streaming is not available now", None),
            (
                400,
                r#"tools are not supported by this model: {"messages":[],"stream":true,"stream_options":{"include_usage":true}}"#,
                Some(ServerRefusal::Tools),
            ),
        ] {
            assert_eq!(ServerRefusal::of(status, words), refusal, "{words}");
        }
    }

    #[test]
    fn a_refused_grammar_is_recognised() {
        for words in [
            "Failed to initialize samplers: failed to parse grammar",
            "Unrecognized request argument supplied: structured_outputs",
            "response_format.type must be 'text'",
            // The error of llama.cpp, and of Ollama with a model whose vocabulary it cannot load.
            "JSON schema conversion failed: Unrecognized schema",
            "failed to load model vocabulary required for format",
        ] {
            assert_eq!(ServerRefusal::of(400, words), Some(ServerRefusal::Binding), "{words}");
        }
    }

    #[test]
    fn a_prompt_whose_pictures_do_not_fit_is_too_long() {
        for (status, words) in [
            (
                400,
                "The decoder prompt (length 11466) is longer than the maximum model length of 8192. Make sure that \
                 `max_model_len` is no smaller than the number of text tokens plus multimodal tokens. For image inputs, \
                 the number of image tokens depends on the number of images, and possibly their aspect ratios as well.",
            ),
            (
                500,
                "The decoder prompt (length 9000) is longer than the maximum model length of 8192.",
            ),
        ] {
            assert_eq!(
                ServerRefusal::of(status, words),
                Some(ServerRefusal::Context),
                "{words}"
            );
        }
    }

    #[test]
    fn refusals_are_recognised_by_their_wording() {
        use ServerRefusal::{Context, EmptyStory, Eyes, Pictures, Shape, Tools};
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
            (
                400,
                "\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set",
                Some(Tools),
            ),
            (500, "tools param requires --jinja flag", Some(Tools)),
            (
                400,
                "registry.ollama.ai/library/llava:7b does not support tools",
                Some(Tools),
            ),
            (400, "Function calling is not supported by this model", Some(Tools)),
            (404, "No endpoints found that support tool use.", Some(Tools)),
            (501, "tool calls are not implemented", Some(Tools)),
            (404, "the model `m` does not exist", None),
            (
                400,
                "messages with role 'tool' must be a response to a preceding message with 'tool_calls'",
                None,
            ),
            (
                400,
                "At most 1 image(s) may be provided in one request.",
                Some(Pictures),
            ),
            (
                500,
                "vision model only supports a single image per message",
                Some(Pictures),
            ),
            (400, "Too many images in request: 3 > 1", Some(Pictures)),
            (400, "image input is not supported", Some(Eyes)),
            (
                500,
                "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj",
                Some(Eyes),
            ),
            (
                400,
                "Model does not support images. Please use a model that does.",
                Some(Eyes),
            ),
            (404, "No endpoints found that support image input", Some(Eyes)),
            (400, "m is not a multimodal model", Some(Eyes)),
            (400, "Vision add-on is not loaded, but images were given", Some(Eyes)),
            (400, "At most 0 image(s) may be provided in one request.", Some(Eyes)),
            (400, "the picture's format is not supported", None),
            (400, "cannot decode image 1", None),
            (500, "the provided PTX was compiled with an unsupported toolchain", None),
            (500, "number of images does not match number of markers", None),
            (503, "tools are not supported while loading", None),
            (404, "chat template not found", None),
            (503, "chat template is loading", None),
            (401, "Conversation roles must alternate", None),
            (500, "CUDA error: out of memory", None),
            (400, "the request exceeds the available context size", Some(Context)),
            (
                400,
                "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens",
                Some(Context),
            ),
            (503, "the context size is being changed", None),
            (400, "model name is empty", None),
            (500, "the model returned an empty message", None),
        ];
        for (status, words, refusal) in cases {
            assert_eq!(ServerRefusal::of(status, words), refusal, "{status} {words}");
        }
    }
}
