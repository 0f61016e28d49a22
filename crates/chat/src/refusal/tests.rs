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
        let words = format!("Unable to generate parser for this template. Automatic parser generation failed:{why}");
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
fn refused_fields_of_newer_models_are_recognised() {
    for (words, refusal) in [
        (
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
            Some(ServerRefusal::ReplyLimit),
        ),
        (
            "Unsupported value: 'temperature' does not support 0.4 with this model. Only the default (1) value is \
             supported.",
            Some(ServerRefusal::Sampling),
        ),
        (
            "Unsupported parameter: 'top_p' is not supported with this model.",
            Some(ServerRefusal::Sampling),
        ),
        (
            "`temperature` is deprecated for this model.",
            Some(ServerRefusal::Sampling),
        ),
        (
            "`temperature` and `top_p` cannot both be specified for this model. Please use only one.",
            Some(ServerRefusal::Sampling),
        ),
        (
            "invalid temperature: only 1 is allowed for this model",
            Some(ServerRefusal::Sampling),
        ),
        (
            "'max_tokens' or 'max_completion_tokens' is too large: 9000. This model's maximum context length is 4096 \
             tokens.",
            Some(ServerRefusal::Context),
        ),
        ("max_completion_tokens must be positive", None),
        ("Unsupported parameter: 'max_completion_tokens'", None),
        ("temperature must be at most 2", None),
    ] {
        assert_eq!(ServerRefusal::of(400, words), refusal, "{words}");
        let later = refusal.filter(|refusal| *refusal == ServerRefusal::Context);
        assert_eq!(ServerRefusal::of(500, words), later, "{words}");
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
