use std::fmt::Write as _;

use proptest::prelude::*;
use serde_json::value::RawValue;

use super::*;

#[test]
fn it_is_found_in_every_way_of_writing() {
    let secret = Secret::new(Some(" sk-a/b\"c1 "));
    let hidden = [
        r#"{"a":"sk-a/b\"c1"}"#,
        r#"{"a":"sk-a\/b\u0022c1"}"#,
        r#"{"a":"\u0073\u006B-a\u002fb\"c1"}"#,
        r#"{"a":"{\"a\":\"sk-a\\/b\\\"c1\"}"}"#,
        r#"{"a":"\\u0073k-a/b\\\"c1"}"#,
        r#"{"sk-a/b\"c1":1}"#,
    ];
    for json in hidden {
        let out = String::from_utf8(secret.json(json.as_bytes()).into_owned()).unwrap();
        assert!(out.contains("[redacted]") && !out.contains("c1"), "{json} -> {out}");
        serde_json::from_str::<&RawValue>(&out).unwrap();
    }
    let kept = [
        r#"{"a":"sk-a/b","b":"\"c1"}"#,
        r#"["sk-a/b",":\"c1\\"]"#,
        r#"{"a":"\ud83dsk-a/b \"c1"}"#,
    ];
    for json in kept {
        assert_eq!(secret.json(json.as_bytes()), json.as_bytes());
    }
    assert_eq!(secret.text("the key sk-a/b\"c1."), "the key [redacted].");
    assert_eq!(format!("{secret:?}"), "Secret");
}

#[test]
fn what_only_begins_like_an_escape_hides_no_key() {
    for (key, text) in [
        ("sk-0123", r"\u19sk-0123"),
        ("user-0123", r"C:\user-0123"),
        ("user-0123", r"\\\user-0123"),
        ("sk-0123", r"\usk-0123"),
    ] {
        let out = Secret::new(Some(key)).text(text).into_owned();
        assert!(out.ends_with("[redacted]") && !out.contains("0123"), "{text} -> {out}");
    }
}

#[test]
fn no_escape_is_torn() {
    let cases = [
        ("0073abcd", r#"["\u0073abcd"]"#),
        ("12345678u", r#"["12345678\u00e4"]"#),
        ("nnnnnnnn", r#"["\nnnnnnnnn"]"#),
    ];
    for (secret, json) in cases {
        let out = Secret::new(Some(secret)).json(json.as_bytes()).into_owned();
        serde_json::from_slice::<&RawValue>(&out).unwrap();
    }
}

#[test]
fn no_key_hides_nothing() {
    let json = br#"{"turn":1, "x" : "an x", "n":17}"#;
    for none in [None, Some(""), Some("  "), Some("\\")] {
        assert!(matches!(Secret::new(none).json(json), Cow::Borrowed(_)));
        assert!(matches!(Secret::new(none).text("x"), Cow::Borrowed(_)));
    }
}

#[test]
fn a_short_key_is_hidden_where_it_is_a_word() {
    let cases = [
        (
            "x",
            r#"{"x":"an x, X","n":["x","ax","x1","äx","x\u00e4"]}"#,
            r#"{"x":"an [redacted], X","n":["[redacted]","ax","x1","äx","x\u00e4"]}"#,
        ),
        (
            "1",
            r#"{"turn":1,"a":"1, 10, 0.1","1":[1,1e1]}"#,
            r#"{"turn":1,"a":"[redacted], 10, 0.[redacted]","1":[1,1e1]}"#,
        ),
        (
            "x",
            r#"["\u0078","\\u0078","a\u0078","\u0061x","\u00e4x","x\u0031"]"#,
            r#"["[redacted]","[redacted]","a\u0078","\u0061x","\u00e4x","x\u0031"]"#,
        ),
        (
            "n",
            r#"[".\n.","\\n",".\u006e.","n\nn"]"#,
            r#"[".\n.","\\n",".[redacted].","[redacted]\n[redacted]"]"#,
        ),
        (
            "u",
            r#"["\u0000","\\u0000","u"]"#,
            r#"["\u0000","\\u0000","[redacted]"]"#,
        ),
        (
            "00",
            r#"["\u0000 00","\\u00000"]"#,
            r#"["\u0000 [redacted]","\\u00000"]"#,
        ),
        (
            "abc",
            r#"["\nabc\t","a-abc_","{\"k\":\"abc\",\"l\":\"\\nabc\\u0021\"}"]"#,
            r#"["\n[redacted]\t","a-[redacted]_","{\"k\":\"[redacted]\",\"l\":\"\\n[redacted]\\u0021\"}"]"#,
        ),
        (
            "sk-12",
            r#"["sk-12.","sk-123","task-12","s\u006b\u002d12"]"#,
            r#"["[redacted].","sk-123","task-12","[redacted]"]"#,
        ),
        (
            "ab",
            "{\"a\":\"ab\"}\n{\"ab\" :\"ab ab\"}\n",
            "{\"a\":\"[redacted]\"}\n{\"ab\" :\"[redacted] [redacted]\"}\n",
        ),
    ];
    for (key, json, expected) in cases {
        let out = Secret::new(Some(key)).json(json.as_bytes()).into_owned();
        assert_eq!(String::from_utf8(out).unwrap(), expected, "{key} in {json}");
    }
    assert_eq!(
        Secret::new(Some("x")).text("x=a x\nx_exit(x)"),
        "[redacted]=a [redacted]\n[redacted]_exit([redacted])"
    );
}

#[test]
fn words_of_our_own_stay() {
    let hash = "0a".repeat(32);
    for (key, json) in [
        ("match", r#"{"verdict":"match"}"#.to_owned()),
        ("ok", r#"{"status" : "ok"}"#.to_owned()),
        ("not", r#"{"outcome":"not_applied"}"#.to_owned()),
        ("goal", r#"{"key":"prompt.goal","field":"goal"}"#.to_owned()),
        ("7", r#"{"last_event":"6f-7"}"#.to_owned()),
        ("02", r#"{"started":"2026-01-02T03:04:05.123Z"}"#.to_owned()),
        ("png", r#"{"file":"turn_0001.plain.png"}"#.to_owned()),
        ("0a", format!("{{\"sha256\":\"{hash}\"}}")),
    ] {
        let out = Secret::new(Some(key)).json(json.as_bytes()).into_owned();
        assert_eq!(String::from_utf8(out).unwrap(), json);
    }
    // The same words elsewhere are anybody's.
    let out = Secret::new(Some("ok"))
        .json(br#"{"status":"ok then","goal":"ok","story":["ok"]}"#)
        .into_owned();
    assert_eq!(
        out,
        br#"{"status":"[redacted] then","goal":"[redacted]","story":["[redacted]"]}"#
    );
    assert_eq!(
        Secret::new(Some("02")).text("2026-01-02T03:04:05Z"),
        "2026-01-02T03:04:05Z"
    );
    assert_eq!(Secret::new(Some("02")).text("2026-01-02: x"), "2026-01-[redacted]: x");
}

#[test]
fn a_body_is_hidden_in_whatever_it_is() {
    let cases = [
        ("1", "{\"n\": 1, \"a\": \"1\"}", "{\"n\": 1, \"a\": \"[redacted]\"}"),
        (
            "1",
            "data: {\"n\":1,\"a\":\"1\"}\n\ndata: 1\n",
            "data: {\"n\":1,\"a\":\"[redacted]\"}\n\ndata: 1\n",
        ),
        ("key", "[bad key \\u006bey, keys]", "[bad [redacted] [redacted], keys]"),
        (
            "sk-0123",
            "{\"n\": sk-0123} sk-01234",
            "{\"n\": [redacted]} [redacted]4",
        ),
    ];
    for (key, body, expected) in cases {
        let out = Secret::new(Some(key)).body(body.as_bytes()).into_owned();
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
    assert_eq!(
        *Secret::new(Some("x")).body(b"\xffx \xff x"),
        *b"\xff[redacted] \xff [redacted]"
    );
}

#[test]
fn many_backslashes_take_no_longer_than_other_text() {
    for text in ["\\".repeat(4 << 20), r"\u005c".repeat(1 << 20)] {
        for key in ["sk-01234567", "x", "u"] {
            assert_eq!(Secret::new(Some(key)).text(&text), text);
        }
    }
}

proptest! {
    #[test]
    fn json_stays_json(secret in "[\\x20-\\x7e]{1,9}", texts in prop::collection::vec("[\\x00-\\x7fä😀]{0,20}", 0..4)) {
        let json = serde_json::to_string(&texts).unwrap();
        let out = Secret::new(Some(&secret)).json(json.as_bytes()).into_owned();
        let read: Vec<String> = serde_json::from_slice(&out).unwrap();
        prop_assert_eq!(read.len(), texts.len());
    }

    #[test]
    fn nothing_of_it_stays(secret in "[a-z]{8,12}", before in "[^a-z\\\\]{0,9}", after in "[^a-z]{0,9}", escaped in any::<u16>()) {
        let mut json = String::from("[");
        json.push_str(&serde_json::to_string(&before).unwrap());
        json.pop();
        for (at, letter) in secret.bytes().enumerate() {
            if escaped >> at & 1 == 1 {
                write!(json, "\\u{letter:04X}").unwrap();
            } else {
                json.push(char::from(letter));
            }
        }
        json.push_str(&serde_json::to_string(&after).unwrap()[1..]);
        json.push(']');
        let out = Secret::new(Some(&secret)).json(json.as_bytes()).into_owned();
        let read: Vec<String> = serde_json::from_slice(&out).unwrap();
        prop_assert_eq!(&read[0], &format!("{before}[redacted]{after}"));
    }
}
