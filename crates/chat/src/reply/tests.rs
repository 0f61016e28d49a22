use super::{Expect, Reply};
use crate::defect::Defect;
use crate::reasoning::ApartReasoning;
use crate::request::tests::ANY_LITERAL;
use franz_json::literal;
use proptest::prelude::*;

fn read(body: &str) -> Result<Reply, Defect> {
    Reply::read(body.to_owned().into())
}

fn with_message(message: &str) -> Reply {
    read(&format!(r#"{{"choices":[{{"message":{message}}}]}}"#)).unwrap()
}

#[test]
fn an_impossible_token_count_is_ignored() {
    for (count, read_as) in [
        ("1000000000", Some(1_000_000_000)),
        ("1000000001", None),
        ("1e30", None),
        ("1e999", None),
    ] {
        let body = format!(r#"{{"choices":[{{"message":{{"content":""}}}}],"usage":{{"total_tokens":{count}}}}}"#);
        assert_eq!(read(&body).unwrap().usage().total, read_as, "{count}");
    }
}

#[test]
fn tokens_of_the_cache_are_read_from_every_known_field() {
    let cached = |fields: &str| {
        let body = format!(r#"{{"choices":[{{"message":{{"content":""}}}}],{fields}}}"#);
        read(&body).unwrap().usage().cached
    };
    let details = r#""usage":{"prompt_tokens":9,"prompt_tokens_details":{"cached_tokens":7}}"#;
    assert_eq!(cached(details), Some(7));
    assert_eq!(cached(r#""timings":{"cache_n":5,"prompt_n":1}"#), Some(5));
    assert_eq!(cached(r#""timings":[],"usage":"many""#), None);
    assert_eq!(cached(r#""timings":{"cache_n":1e30}"#), None);
}

#[test]
fn a_full_reply_is_read_in_every_field() {
    let body = r#" {"id":"x","model":"m","choices":[{"finish_reason":"stop","message":{"role":"assistant","content":"caf\u00e9",
        "reasoning_content":"hm","tool_calls":[{"id":"1"}]}},{"message":null}],
        "usage":{"prompt_tokens":10,"completion_tokens":5.0,"total_tokens":"15"}}
    "#;
    let reply = read(body).unwrap();
    assert_eq!(reply.story().unwrap().raw(), r#""caf\u00e9""#);
    assert_eq!(
        (
            reply.model(),
            reply.finish(),
            reply.reasoning().map(ApartReasoning::text)
        ),
        (Some("m"), Some("stop"), Some("hm"))
    );
    assert_eq!(reply.tool_calls().unwrap().get(), r#"[{"id":"1"}]"#);
    let usage = reply.usage();
    assert_eq!((usage.prompt, usage.completion, usage.total), (Some(10), Some(5), None));
    assert_eq!(reply.raw(), body);
}

#[test]
fn only_text_counts_as_a_story() {
    let cases = [
        (r#"{"content":""}"#, None),
        (r#"{"content":[]}"#, None),
        (r#"{"content":[{"type":"text","text":"x"}]}"#, None),
        (
            r#"{"content":[{"type":"text","text":"x"},"y"]}"#,
            Some("content_not_text"),
        ),
        (r#"{"content":"x","tool_calls":[{}]}"#, None),
        (r#"{"content":null}"#, Some("null_content")),
        (r"{}", Some("missing_content")),
        ("null", Some("missing_content")),
        (r#"{"content":["x"]}"#, Some("content_not_text")),
        (r#"{"content":{"text":"x"}}"#, Some("content_not_text")),
        (r#"{"content":7}"#, Some("content_not_text")),
        (r#"{"content":null,"reasoning":"hm"}"#, Some("reasoning_only")),
        (r#"{"reasoning_content":"hm"}"#, Some("reasoning_only")),
        (r#"{"content":null,"reasoning_content":""}"#, Some("null_content")),
        (
            r#"{"content":null,"tool_calls":[{}],"reasoning":"hm"}"#,
            Some("tool_calls_only"),
        ),
        (r#"{"content":null,"tool_calls":[]}"#, Some("null_content")),
        (r#"{"content":"x","content":null}"#, Some("null_content")),
        (r#"{"content":null,"content":"x"}"#, None),
    ];
    for (message, defect) in cases {
        let reply = with_message(message);
        assert_eq!(reply.defect().map(Defect::name), defect, "{message}");
        assert_eq!(reply.story().is_some(), defect.is_none(), "{message}");
    }
}

#[test]
fn the_texts_of_parts_are_joined_as_they_are_written() {
    let parts = r#"[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"caf\u00e9 \ud83d"},
        {"type":"text","text":"\ude00"},{"type":"image","text":null}]"#;
    let reply = with_message(&format!(r#"{{"content":{parts}}}"#));
    assert_eq!(reply.story().unwrap().raw(), r#""caf\u00e9 \ud83d\ude00""#);
    assert!(reply.check(Expect::Story).is_ok());
}

#[test]
fn thoughts_cut_at_the_token_limit_are_not_a_story() {
    let thought = r#""content":"","reasoning_content":"hm""#;
    let cases = [
        (thought, "length", Some("thought_cut")),
        (r#""content":"","reasoning":"hm""#, "MAX_TOKENS", Some("thought_cut")),
        (r#""content":null,"reasoning":"hm""#, "length", Some("thought_cut")),
        (r#""reasoning":"hm""#, "length", Some("thought_cut")),
        (r#""reasoning":"hm""#, "repeats", Some("thought_repeats")),
        (r#""content":[],"reasoning":"hm""#, "length", Some("thought_cut")),
        (thought, "stop", None),
        (r#""content":null,"reasoning":"hm""#, "stop", Some("reasoning_only")),
        (r#""reasoning":"","content":"""#, "length", None),
        (r#""content":"""#, "length", None),
        (r#""content":"I","reasoning":"hm""#, "length", None),
        (r#""content":"","reasoning":"hm","tool_calls":[{}]"#, "length", None),
    ];
    for (message, finish, defect) in cases {
        let body = format!(r#"{{"choices":[{{"finish_reason":"{finish}","message":{{{message}}}}}]}}"#);
        assert_eq!(read(&body).unwrap().defect().map(Defect::name), defect, "{body}");
    }
}

#[test]
fn faults_around_a_story_are_named() {
    let story = r#""choices":[{"message":{"content":"x"}}]"#;
    let cases = [
        ("{}".to_owned(), Some("no_choices")),
        (r#"{"choices":[]}"#.to_owned(), Some("no_choices")),
        (r#"{"choices":7}"#.to_owned(), Some("no_choices")),
        (
            r#"{"error":{"message":"out of memory"}}"#.to_owned(),
            Some("error_inside"),
        ),
        (format!(r#"{{"error":"busy",{story}}}"#), Some("error_inside")),
        (format!(r#"{{"error":null,{story}}}"#), None),
        (format!(r#"{{"error":{{}},{story}}}"#), None),
        (
            format!(r#"{{"id":{{}},"model":[],"usage":"many","object":null,{story}}}"#),
            None,
        ),
        (format!(r#"{{"choices":null,{story}}}"#), None),
        (
            r#"{"choices":[{"message":{"content":""},"error":{"code":502,"message":"gone"}}]}"#.to_owned(),
            Some("error_inside"),
        ),
        (
            r#"{"choices":[{"message":{"content":"x"},"finish_reason":"error"}]}"#.to_owned(),
            Some("error_inside"),
        ),
        (
            r#"{"choices":[{"message":{"content":"x"},"finish_reason":"stop","error":null}]}"#.to_owned(),
            None,
        ),
    ];
    for (body, defect) in cases {
        assert_eq!(read(&body).unwrap().defect().map(Defect::name), defect, "{body}");
    }
    let error = read(r#"{"error":{"message":"out of \ud800 memory"}}"#).unwrap();
    assert!(error.defect().unwrap().to_string().ends_with("out of \u{fffd} memory"));
}

#[test]
fn only_the_first_choice_counts() {
    let reply = read(r#"{"choices":[null,{"message":{"content":"second"}}]}"#).unwrap();
    assert_eq!(reply.defect(), Some(&Defect::MissingContent));
}

#[test]
fn a_cut_reply_is_recognised_by_finish_reason_or_token_count() {
    let cases = [
        (r#""length""#, "null", None, true),
        (r#""MAX_TOKENS""#, "null", None, true),
        (r#""content_filter""#, "null", None, false),
        (r#""stop""#, "900", Some(900), true),
        (r#""stop""#, "899", Some(900), false),
        (r#""stop""#, "900", None, false),
        ("null", "null", Some(900), false),
    ];
    for (finish, tokens, most, cut) in cases {
        let body = format!(
            r#"{{"choices":[{{"finish_reason":{finish},"message":{{"content":""}}}}],"usage":{{"completion_tokens":{tokens}}}}}"#
        );
        assert_eq!(read(&body).unwrap().cut(most), cut, "{body}");
    }
}

#[test]
fn tool_calls_are_a_defect_only_where_none_are_expected() {
    let reply = with_message(r#"{"content":null,"tool_calls":[{}]}"#);
    assert!(reply.clone().check(Expect::StoryOrToolCalls).is_ok());
    assert_eq!(reply.check(Expect::Story).unwrap_err(), Defect::ToolCallsOnly);
    let nothing = with_message(r#"{"content":null}"#);
    assert!(nothing.check(Expect::StoryOrToolCalls).is_err());
}

#[test]
fn tool_calls_are_kept_as_they_are_written() {
    let calls = [
        r#"[{"id":"1","type":"function","function":{"name":"f","arguments":{"x":[1]}}}]"#,
        r#"[{"id":"1","type":"function","function":{"name":"f","arguments":"{\"x\":[1]}"}}]"#,
        r#"[{"function":{"name":"f"}}]"#,
        r#"[{"id":null,"function":{"name":"f","arguments":null}}, "odd\ud800"]"#,
    ];
    for calls in calls {
        for content in [r#""content":null,"#, r#""content":7,"#, ""] {
            let reply = with_message(&format!(r#"{{{content}"tool_calls":{calls}}}"#));
            let reply = reply.check(Expect::StoryOrToolCalls).unwrap();
            assert_eq!((reply.tool_calls().unwrap().get(), reply.story()), (calls, None));
        }
        let both = with_message(&format!(r#"{{"content":"","tool_calls":{calls}}}"#));
        assert!(both.story().is_some() && both.tool_calls().is_some());
    }
}

proptest! {
    #[test]
    fn no_text_in_any_field_harms_the_story(odd in ANY_LITERAL, content in ANY_LITERAL) {
        let body = format!(
            r#"{{{odd}:1,"id":{odd},"model":{odd},"system_fingerprint":{odd},"unknown":[{odd}],"usage":{odd},"error":null,
            "choices":[{{"finish_reason":{odd},"logprobs":{odd},"message":{{"role":{odd},"reasoning_content":{odd},"refusal":{odd},
            "tool_calls":[{{"function":{{"name":{odd},"arguments":{odd}}}}}],"content":{content}}}}}]}}"#
        );
        // Another test covers keys that happen to match one of FRANZ's own.
        prop_assume!(literal::decode(&odd) != "error");
        let reply = read(&body).unwrap();
        prop_assert_eq!(reply.story().unwrap().raw(), content);
        prop_assert_eq!(reply.model().unwrap(), literal::decode(&odd));
    }

    #[test]
    fn nothing_panics(garbage in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = Reply::read(garbage.into());
    }
}
