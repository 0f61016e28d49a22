use bytes::Bytes;
use proptest::prelude::*;

use super::StreamedReply;
use crate::defect::Defect;
use crate::reasoning::ApartReasoning;
use crate::reply::Reply;
use crate::request::tests::ANY_LITERAL;

fn assembled<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Result<Bytes, Defect> {
    let mut reply = StreamedReply::default();
    pieces.into_iter().for_each(|piece| reply.push(piece));
    reply.end()
}

fn read(stream: &str) -> Result<Reply, Defect> {
    Reply::read(assembled([stream.as_bytes()])?)
}

fn story(stream: &str) -> String {
    read(stream).unwrap().story().expect(stream).raw().to_owned()
}

fn chunk(content: &str) -> String {
    format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":{content}}}}}]}}\n\n")
}

fn delta(delta: &str, finish: &str) -> String {
    format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{{delta}}},\"finish_reason\":{finish}}}]}}\n\n")
}

const DONE: &str = "data: [DONE]\n\n";

#[test]
fn streamed_literals_are_joined() {
    let stream = [
        ": a comment\n\n",
        &chunk(r#""""#),
        &chunk(r#""a\ud83d""#),
        &chunk("null"),
        &chunk(r#""\ude00\/""#),
        "data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"other\"}}]}\r\n\r\n",
        "data:{\"model\":\"m\",\r\ndata: \"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\r\n\r\n",
        "data: {\"choices\":[],\"usage\":{\"total_tokens\":3},\"timings\":{\"predicted_per_second\":31}}\r\r",
        DONE,
        "data: never read",
    ]
    .concat();
    let reply = read(&stream).unwrap();
    assert_eq!(reply.story().unwrap().raw(), r#""a\ud83d\ude00\/""#);
    assert_eq!(
        (reply.finish(), reply.model(), reply.usage().total),
        (Some("stop"), Some("m"), Some(3))
    );
    assert_eq!(reply.pace().written_per_s, Some(31.0));
}

#[test]
fn every_form_of_line_and_event_is_read() {
    let content = r#"{"choices":[{"delta":{"content":"a"}}]}"#;
    for stream in [
        format!("data:{content}\n\ndata:[DONE]\n\n"),
        format!("data: {content}\r\rdata: [DONE]\r\r"),
        format!("data: {content}\r\n\r\ndata: [DONE]\r\n\r\n"),
        format!("\u{feff}data: {content}\n\n{DONE}"),
        format!("\u{feff}: ping\n\ndata: {content}\n\n{DONE}"),
        format!("id: 7\nretry: 3\ndata: {content}\nunknown\nevent: message\n\n\n\n{DONE}"),
        format!("data: {{\"choices\":\ndata: [{{\"delta\":{{\"content\":\"a\"}}}}]}}\n\n{DONE}"),
        format!("data: {content}\n\ndata: [DONE]"),
        format!("data: {content}\n\ndata: [DONE]\n"),
        format!("data:\n\ndata: {content}\n\ndata: {{\"choices\":[{{\"finish_reason\":\"stop\"}}]}}"),
        format!(
            "{}{}",
            delta("\"content\":\"a\"", "\"stop\""),
            "data: {\"choices\":[],\"usa"
        ),
        format!("{}{}", delta("", "\"stop\""), chunk("\"a\"")),
    ] {
        assert_eq!(story(&stream), "\"a\"", "{stream}");
    }
}

#[test]
fn every_form_of_chunk_is_read() {
    let stop = delta("", "\"stop\"");
    for (chunks, wanted) in [
        (delta(r#""role":"assistant","content":"a""#, "null"), "\"a\""),
        (chunk(r#"[{"type":"text","text":"a\ud83d"},{"type":"image_url"},{"text":"\ude00"}]"#), r#""a\ud83d\ude00""#),
        ("data: {\"choices\":[{\"index\":null,\"delta\":{\"content\":\"a\"}}]}\n\n".to_owned(), "\"a\""),
        ("data: {\"choices\":[null,{\"index\":2,\"delta\":{\"content\":\"b\"}},{\"delta\":{\"content\":\"a\"}}]}\n\n".to_owned(), "\"a\""),
        ("data: {\"choices\":[{\"message\":{\"content\":\"all\"}}]}\n\n".to_owned(), "\"all\""),
        (format!("{}data: {{\"choices\":[{{\"message\":{{\"content\":\"all\"}}}}]}}\n\n", chunk("\"\"")), "\"all\""),
        (format!("{}data: {{\"choices\":[{{\"message\":{{\"content\":\"all\"}}}}]}}\n\n", chunk("\"part\"")), "\"part\""),
        (format!("data: {{\"error\":null,\"choices\":[]}}\n\n{}", chunk("\"a\"")), "\"a\""),
    ] {
        assert_eq!(story(&format!("{chunks}{stop}")), wanted, "{chunks}");
    }
    let finish = [
        delta("", "\"length\""),
        delta("", "null"),
        delta("", "\"stop\""),
        delta("", "null"),
    ]
    .concat();
    assert_eq!(
        read(&format!("{}{finish}", chunk("\"a\""))).unwrap().finish(),
        Some("stop")
    );
    for name in ["reasoning", "reasoning_content", "thinking"] {
        let thought = [
            delta(&format!("\"{name}\":\"h\""), "null"),
            delta(&format!("\"{name}\":\"m\""), "\"length\""),
        ];
        let reply = read(&thought.concat()).unwrap();
        let thought = ApartReasoning::new(Some(name), "hm".to_owned());
        assert_eq!(
            (reply.reasoning(), reply.defect()),
            (Some(&thought), Some(&Defect::ThoughtCut))
        );
    }
    let twice = delta(r#""reasoning":"hm","reasoning_content":"hm","content":"a""#, "\"stop\"");
    let thought = ApartReasoning::new(Some("reasoning_content"), "hm".to_owned());
    assert_eq!(read(&twice).unwrap().reasoning(), Some(&thought));
}

#[test]
fn a_finish_reason_ends_a_reply_only_if_nothing_of_it_follows() {
    let said = delta(r#""content":"a""#, "\"stop\"");
    let call = delta(r#""tool_calls":[{"id":"a","function":{"name":"f"}}]"#, "\"stop\"");
    let thought = delta(r#""reasoning":"hm""#, "\"stop\"");
    let nothing = delta(r#""content":"""#, "\"stop\"");
    let (text, ping) = (chunk("\"a\""), ": ping\n\n".to_owned());
    for (pieces, is_finished, is_sure) in [
        (vec![&text], false, false),
        (vec![&text, &nothing], true, true),
        (vec![&text, &nothing, &ping], true, true),
        (vec![&thought, &nothing], true, true),
        (vec![&nothing], true, false),
        (vec![&text, &said], true, false),
        (vec![&text, &call], true, false),
        (vec![&thought], false, false),
        (vec![&thought, &said], false, false),
        (vec![&said, &said], false, false),
        (vec![&call, &call], false, false),
        (vec![&said, &text], false, false),
        (vec![&nothing, &text], false, false),
        (vec![&said, &said, &nothing], true, false),
        (vec![&said, &said, &nothing, &said], false, false),
    ] {
        let stream: String = pieces.into_iter().map(String::as_str).collect();
        let reply = StreamedReply::of(stream.as_bytes(), 0);
        let found = (reply.is_finished(), reply.is_surely_finished());
        assert_eq!(found, (is_finished, is_sure), "{stream}");
        let done = StreamedReply::of([&*stream, DONE].concat().as_bytes(), 0);
        assert!(done.is_finished() && done.is_surely_finished(), "{stream}");
    }
    // The end of the stream completes a reply that any reason ended.
    assert_eq!(story(&[&*said, &*said].concat()), "\"aa\"");
}

#[test]
fn an_incomplete_stream_is_not_a_reply() {
    let words = |words: &str| Defect::ErrorInside {
        code: None,
        words: words.to_owned(),
    };
    let a = chunk("\"a\"");
    for (stream, defect) in [
        (a.clone(), Defect::Unfinished),
        (String::new(), Defect::Unfinished),
        (format!("{a}data: {{\"choices\":[{{\"fin"), Defect::Unfinished),
        (format!("data: {{\"cho\n\n{DONE}"), words("{\"cho")),
        (format!("{a}data: []\n\n{DONE}"), words("[]")),
        (format!("{a}data: upstream is gone\n\n"), words("upstream is gone")),
        (
            format!("{a}data: {{\"error\":{{\"message\":\"full\"}}}}\n\n"),
            words("full"),
        ),
        (
            format!(
                "{}data: {{\"error\":\"full\"}}\n\n",
                delta("\"content\":\"a\"", "\"stop\"")
            ),
            words("full"),
        ),
        (format!("{a}event: error\ndata: too long\n\n{DONE}"), words("too long")),
        (
            format!("{a}data: {{\"message\":\"late\"}}\nevent: error"),
            words("late"),
        ),
        (format!("event: error\n\n{DONE}"), words("no explanation")),
        (format!("{a}error: gone\n\n{DONE}"), words("gone")),
        (
            format!("{a}data: {{\"choices\":[{{\"delta\":{{}},\"error\":{{\"message\":\"gone\"}}}}]}}\n\n{DONE}"),
            words("gone"),
        ),
    ] {
        assert_eq!(read(&stream).unwrap_err(), defect, "{stream}");
    }
    for (error, wanted) in [("402", Some(402)), ("\"429\"", Some(429)), ("7", None)] {
        let inner = format!("{{\"code\":{error},\"message\":\"full\"}}");
        let error = format!("{{\"error\":{inner}}}");
        for stream in [
            format!("{a}error: {inner}\n\n{DONE}"),
            format!("{a}data: {error}\n\n"),
            format!("event: error\ndata: {error}\n\n"),
            format!("data: {{\"choices\":[{error}]}}\n\n"),
        ] {
            let Err(Defect::ErrorInside { code, words }) = read(&stream) else {
                panic!("{stream}");
            };
            assert_eq!((code, words.as_str()), (wanted, "full"), "{stream}");
        }
    }
    assert!(matches!(
        assembled([&b"data: \xff\n\n"[..]]),
        Err(Defect::NotUtf8 { .. })
    ));
    let calls = r#""tool_calls":[{"id":"ID","function":{"name":"f"}}]"#;
    let calls: String = (0..=1000)
        .map(|id| delta(&calls.replace("ID", &id.to_string()), "null"))
        .collect();
    assert!(matches!(read(&calls), Err(Defect::TooManyCalls { .. })));
    for (stream, defect) in [
        (DONE.to_owned(), Defect::MissingContent),
        (
            format!("{}{DONE}", chunk("[1]")),
            Defect::ContentNotText { kind: "an array" },
        ),
        (
            format!("{}{DONE}", chunk("7")),
            Defect::ContentNotText { kind: "a number" },
        ),
        (
            format!("{a}{}{DONE}", delta("", "\"error\"")),
            words("the reply ended with an error"),
        ),
    ] {
        assert_eq!(read(&stream).unwrap().defect(), Some(&defect), "{stream}");
    }
}

#[test]
fn calls_or_thoughts_without_text_are_complete_replies() {
    let stream = [
        delta(r#""role":"assistant","content":null,"reasoning_content":"I ""#, "null"),
        delta(r#""reasoning_content":"think""#, "null"),
        delta(
            r#""tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"click","arguments":""}}]"#,
            "null",
        ),
        delta(
            r#""tool_calls":[{"index":0,"function":{"arguments":"{\"x\":"}}]"#,
            "null",
        ),
        delta(r#""tool_calls":[{"index":0,"function":{"arguments":"1}"}}]"#, "null"),
        delta("", r#""tool_calls""#),
    ]
    .concat();
    let reply = read(&stream).unwrap();
    assert_eq!(
        (reply.reasoning().map(ApartReasoning::text), reply.finish()),
        (Some("I think"), Some("tool_calls"))
    );
    assert_eq!(
        reply.tool_calls().unwrap().get(),
        r#"[{"id":"a","type":"function","function":{"name":"click","arguments":"{\"x\":1}"}}]"#
    );
    assert_eq!(reply.defect(), Some(&Defect::ToolCallsOnly));
}

#[test]
fn no_cut_stream_yields_a_different_story() {
    let stream = format!("{}{}{DONE}", chunk(r#""a\ud83d""#), chunk(r#""\ude00b""#));
    for end in 0..stream.len() {
        if let Ok(reply) = read(&stream[..end]) {
            assert!(end >= stream.len() - 2, "{end}");
            assert_eq!(reply.story().unwrap().raw(), r#""a\ud83d\ude00b""#);
        }
    }
}

#[test]
fn a_stream_is_recognised_by_name_and_first_bytes() {
    let named = Some("Text/Event-Stream; charset=utf-8");
    for (kind, body, is_stream) in [
        (named, "data: {}", true),
        (named, "", true),
        (named, "\u{feff}x: y\n", true),
        (named, " {\"choices\":[]}", false),
        (Some("application/json"), "\u{feff}data: {}", true),
        (None, "\n: ping", true),
        (None, "event: error", true),
        (None, "error: {}", true),
        (Some("application/json"), "{}", false),
        (None, "", false),
    ] {
        assert_eq!(
            StreamedReply::is_in(kind, body.as_bytes()),
            is_stream,
            "{kind:?} {body}"
        );
    }
}

/// Generates lines of streams, both well-formed and odd ones.
fn lines() -> impl Strategy<Value = Vec<u8>> {
    let line = prop_oneof![
        4 => ANY_LITERAL.prop_map(|content| chunk(&content).trim_end().to_owned().into_bytes()),
        1 => Just(delta("", "\"stop\"").trim_end().as_bytes().to_vec()),
        1 => Just(b"data: [DONE]".to_vec()),
        1 => Just(b"event: error".to_vec()),
        1 => Just("\u{feff}: \u{e9}".as_bytes().to_vec()),
        1 => Just(b"data: {\"choices\":[{\"delta\":".to_vec()),
        1 => Just(b"data: {\"content\":\"\xe9\"}}]}".to_vec()),
    ];
    let end = prop_oneof![
        Just("\n\n"),
        Just("\r\n\r\n"),
        Just("\r\r"),
        Just("\n"),
        Just("\r"),
        Just("\r\n"),
        Just("")
    ];
    let lines = prop::collection::vec((line, end), 0..8);
    lines.prop_map(|lines| {
        lines
            .iter()
            .flat_map(|(line, end)| [line, end.as_bytes()].concat())
            .collect()
    })
}

#[test]
fn a_runaway_reply_is_cut_at_the_same_place_however_it_comes() {
    let line = r#"press(\"down\")\n"#;
    let stream: String = (0..99).map(|_| chunk(&format!("\"{line}\""))).collect();
    let whole = chunk(&format!("\"{}\"", line.repeat(99)));
    for stream in [stream, whole] {
        let reply = StreamedReply::of(stream.as_bytes(), 5);
        assert!(reply.is_done() && reply.is_over());
        let reply = Reply::read(reply.end().unwrap()).unwrap();
        assert_eq!(reply.story().unwrap().raw(), format!("\"{}\"", line.repeat(6)));
        assert!(reply.cut(None) && reply.repeats());
    }
}

#[test]
fn runaway_thoughts_beside_the_content_are_cut() {
    let thought = delta(r#""reasoning_content":"Wait.\n""#, "null");
    let thoughts = thought.repeat(9);
    let reply = StreamedReply::of(thoughts.as_bytes(), 5);
    assert!(reply.is_done());
    let reply = Reply::read(reply.end().unwrap()).unwrap();
    assert_eq!(
        reply.reasoning().map(ApartReasoning::text),
        Some("Wait.\n".repeat(6).as_str())
    );
    assert_eq!(reply.defect(), Some(&Defect::ThoughtRepeats));
    // Content that has come before them is a reply that was cut.
    let reply = StreamedReply::of([chunk("\"a\""), thoughts.clone()].concat().as_bytes(), 5);
    let reply = Reply::read(reply.end().unwrap()).unwrap();
    assert_eq!(reply.story().unwrap().raw(), "\"a\"");
    assert!(reply.repeats());
    assert!(!StreamedReply::of(thoughts.as_bytes(), 9).is_done());
    assert!(!StreamedReply::of(thoughts.as_bytes(), 0).is_done());
}

proptest! {
    #[test]
    fn a_stream_means_the_same_however_its_bytes_are_split(stream in lines(), size in 1..40_usize, first in 0..40_usize) {
        let whole = assembled([&stream[..]]);
        let (head, rest) = stream.split_at(first.min(stream.len()));
        prop_assert_eq!(&assembled(std::iter::once(head).chain(rest.chunks(size))), &whole);
        prop_assert_eq!(&assembled(stream.chunks(1)), &whole);
    }

    #[test]
    fn the_story_is_what_was_cut_into_pieces(contents in prop::collection::vec(ANY_LITERAL, 0..6)) {
        let stream: String = contents.iter().map(|content| chunk(content)).chain([DONE.to_owned()]).collect();
        let joined: String = contents.iter().map(|content| franz_json::literal::unquoted(content)).collect();
        let mut reply = StreamedReply::default();
        reply.push(stream.as_bytes());
        prop_assert_eq!(reply.content(), &joined);
        prop_assert!(reply.is_done());
        let reply = Reply::read(reply.end().unwrap()).unwrap();
        prop_assert_eq!(reply.story().map(|story| story.raw().to_owned()), (!contents.is_empty()).then(|| format!("\"{joined}\"")));
    }
}
