//! Answers with status 200 that contain no reply.

use super::{CHUNKED, Fate, Fault, GOOD, OPEN, bytes, fault, ok};
use crate::e2e::chaos::server::Act;

pub(super) fn all() -> Vec<Fault> {
    let message = |message: &str| format!(r#"{{"choices":[{{"message":{message}}}]}}"#);
    let exactly = |name, head: &str, body: &[u8], told| {
        let mut whole = format!("{OPEN}{head}Content-Length: {}\r\n\r\n", body.len()).into_bytes();
        whole.extend(body);
        fault(name, Act::Send(whole), told)
    };
    vec![
        ok(
            "a page instead of JSON",
            "<!doctype html><title>Welcome</title>",
            "it is an HTML page titled \"Welcome\"",
        ),
        ok(
            "bad JSON",
            "{\"choices\":[}",
            "it is not valid JSON (line 1, column 13)",
        ),
        ok("cut JSON", &GOOD[..GOOD.len() / 2], "it is not valid JSON"),
        ok("two values", &[GOOD, GOOD].concat(), "it is not valid JSON"),
        ok("an array", "[]", "it is JSON but not an object"),
        ok(
            "nested very deep",
            &format!("{{\"choices\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000)),
            "nested deeper than",
        ),
        ok(
            "an error inside 200",
            r#"{"error":{"message":"out of memory"}}"#,
            "reports an error: out of memory",
        ),
        ok(
            "an error beside choices",
            r#"{"error":"out of memory","choices":[]}"#,
            "reports an error: out of memory",
        ),
        ok("an empty answer", "", "it is empty"),
        ok("blanks", " \r\n ", "it is empty"),
        ok("no choices", r#"{"object":"chat.completion"}"#, "it has no choices"),
        ok("empty choices", r#"{"choices":[]}"#, "it has no choices"),
        ok("null content", &message(r#"{"content":null}"#), "its content is null"),
        ok("no content", &message("{}"), "its content is missing"),
        ok("content that is no text", &message(r#"{"content":[1]}"#), ", not text"),
        ok(
            "reasoning only",
            &message(r#"{"content":null,"reasoning_content":"hm"}"#),
            "the model only reasoned and wrote no content",
        ),
        Fault {
            fate: Fate::Lost,
            ..ok(
                "thoughts up to the token limit",
                r#"{"choices":[{"message":{"content":"","reasoning_content":"hm"},"finish_reason":"length"}]}"#,
                "raise model.max_tokens",
            )
        },
        ok(
            "calls that nobody offered",
            &message(r#"{"content":null,"tool_calls":[{}]}"#),
            "it has tool calls but no content",
        ),
        exactly(
            "no UTF-8",
            "",
            b"{\"choices\":\"\xff\"}",
            "it is not valid UTF-8 (byte 12)",
        ),
        // The start of a decompression bomb. FRANZ accepts no compression, so it never unpacks the bomb.
        exactly(
            "compressed",
            "Content-Encoding: gzip\r\n",
            b"\x1f\x8b\x08\0\0\0\0\0\x02\x03\xed\xc1",
            "not valid UTF-8",
        ),
    ]
}

/// Returns streams without a complete reply.
pub(super) fn streams() -> Vec<Fault> {
    let events = "data: {\"choices\":[{\"delta\":{\"content\":\"I\"}}]}\n\n";
    vec![
        ok(
            "a stream that fails",
            &[
                events,
                "data: {\"error\":{\"message\":\"out of memory\"}}\n\ndata: [DONE]\n\n",
            ]
            .concat(),
            "reports an error: out of memory",
        ),
        ok(
            "an event of an error",
            &[events, "event: error\ndata: out of memory\n\n"].concat(),
            "reports an error: out of memory",
        ),
        ok(
            "a stream that is no JSON",
            &[events, "data: out of memory\n\n"].concat(),
            "reports an error: out of memory",
        ),
        ok("a stream without content", "data: [DONE]\n\n", "its content is missing"),
        ok(
            "a stream without an end",
            events,
            "its stream stopped before the reply was finished",
        ),
        fault(
            "a stream of chunks without an end",
            Act::Send(bytes(&[
                CHUNKED,
                &format!("{:x}\r\n{events}\r\n0\r\n\r\n", events.len()),
            ])),
            "its stream stopped before the reply was finished",
        ),
    ]
}
