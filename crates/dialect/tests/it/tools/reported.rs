//! Calls that servers report: which ones are performed, and what is sent back to the server.

use franz_dialect::{Protocol, ReplyText, ToolsProtocol};

use crate::tools::{call, kinds, performed, protocol, reported, results, written};

/// A call that presses a key, and one that waits.
const PRESS: &str = r#"{"function":{"name":"press_key","arguments":{"key":"tab"}}}"#;
const WAIT: &str = r#"{"function":{"name":"wait","arguments":{"seconds":1}}}"#;

#[test]
fn as_many_calls_are_performed_as_the_settings_say() {
    let calls = format!(r#"[{WAIT},{PRESS},{PRESS},{{"function":{{"name":"nonsense"}}}}]"#);
    let read = |most, calls: &str| {
        let protocol = ToolsProtocol {
            calls: most,
            ..protocol()
        };
        protocol.read(&ReplyText {
            tool_calls: Some(calls),
            ..ReplyText::default()
        })
    };
    let surplus = "too_many_tool_calls";
    for (most, done, told) in [
        (1, &["wait(1)"][..], ["ok", surplus, surplus, surplus]),
        (2, &["wait(1)", "press(\"tab\")"], ["ok", "ok", surplus, surplus]),
        (
            3,
            &["wait(1)", "press(\"tab\")", "press(\"tab\")"],
            ["ok", "ok", "ok", surplus],
        ),
        (
            20,
            &["wait(1)", "press(\"tab\")", "press(\"tab\")"],
            ["ok", "ok", "ok", "unknown_tool"],
        ),
    ] {
        let plan = read(most, &calls);
        assert_eq!(performed(&plan), done);
        assert_eq!(kinds(&plan), told);
    }
    let told = |most| {
        results(&read(most, &calls))[3]["error"]["message"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert!(
        told(1).starts_with("only the first tool call of a reply"),
        "{}",
        told(1)
    );
    assert!(
        told(3).starts_with("only the first 3 tool calls of a reply"),
        "{}",
        told(3)
    );
    // The results of the earlier calls must be known before the work can end.
    for end in ["finish", "terminate"] {
        let plan = read(
            8,
            &format!(r#"[{WAIT},{{"function":{{"name":"{end}","arguments":{{"answer":"a"}}}}}}]"#),
        );
        assert_eq!(kinds(&plan), ["ok", "not_yet"], "{end}");
        assert_eq!(plan.finish, None);
    }
}

#[test]
fn every_call_has_a_result_but_of_very_many_only_the_first() {
    let many = format!("[{}]", vec![r#"{"name":"observe_screen"}"#; 70].join(","));
    let plan = reported(&many);
    assert_eq!(kinds(&plan).len(), 64);
    assert_eq!(
        plan.notices,
        ["70 tool calls in one reply: only the first 64 are answered."]
    );
}

#[test]
fn servers_report_calls_in_many_ways() {
    let cases = [
        r#"[{"id":"x","type":"function","function":{"name":"wait","arguments":"{\"seconds\":1}"}}]"#,
        r#"[{"id":"x","function":{"name":" wait ","arguments":{"seconds":1}}}]"#,
        r#"[{"id":"x","name":"wait","arguments":{"seconds":1}}]"#,
        r#"[{"id":"x","function":{"name":"wait"},"arguments":{"seconds":1}}]"#,
        r#"[{"id":"x","function":"wait","arguments":"{\"seconds\":1}"}]"#,
        r#"[{"id":"x","function":{"name":"wait","parameters":{"seconds":1}}}]"#,
        r#"[{"id":"x","function":{" name":"wait"," arguments":{"seconds":1}},"more":["\ud800",1e999]}]"#,
        "\n[ {\n\"id\" : \"x\", \"index\":0, \"function\" : { \"name\":\"\\u0077ait\", \"arguments\" : { \"seconds\" : 1 } } } ]\n",
        r#"{"id":"x","name":"wait","arguments":{"seconds":1}}"#,
        r#"[{"type":"tool_use","id":"x","name":"wait","input":{"seconds":1}}]"#,
        r#"[{"tool_name":"wait","tool_input":{"seconds":1}}]"#,
    ];
    for tool_calls in cases {
        let plan = reported(tool_calls);
        assert_eq!(performed(&plan), ["wait(1)"], "{tool_calls}");
        let spoken = plan.spoken.unwrap();
        assert_eq!(spoken.text, None);
        assert_eq!(spoken.calls[0].name, "wait");
        assert_eq!(spoken.calls[0].arguments, r#"{"seconds":1}"#);
    }
    let odd = [
        ("[null]", "invalid_json"),
        ("[5]", "invalid_json"),
        ("[[]]", "invalid_json"),
        ("[{}]", "unknown_tool"),
        (r#"[{"function":null}]"#, "unknown_tool"),
        (r#"[{"function":{"name":5,"arguments":"{}"}}]"#, "unknown_tool"),
        ("nonsense", "invalid_json"),
        ("[{", "invalid_json"),
    ];
    for (tool_calls, kind) in odd {
        assert_eq!(kinds(&reported(tool_calls)), [kind], "{tool_calls}");
    }
    for none in ["", " ", "null", "[]", " [ ] "] {
        assert!(reported(none).steps.is_empty(), "{none}");
    }
}

#[test]
fn a_reported_call_hides_calls_in_the_text() {
    let tool_calls = call("wait", r#"{"seconds":1}"#);
    let text = r#"Waiting. <tool_call>{"name":"observe_screen"}</tool_call>"#;
    let reply = ReplyText {
        text,
        tool_calls: Some(&tool_calls),
        cut: false,
    };
    assert_eq!(performed(&protocol().read(&reply)), ["wait(1)"]);
    let reply = ReplyText {
        tool_calls: Some("[]"),
        ..reply
    };
    assert_eq!(performed(&protocol().read(&reply)), ["observe()"]);
}

#[test]
fn the_last_call_of_a_cut_reply_is_never_performed() {
    let one = call("wait", r#"{"seconds":1}"#);
    let two = r#"[{"name":"wait","arguments":{"seconds":1}},{"name":"observe_screen"}]"#;
    let cut = |text, tool_calls| {
        protocol().read(&ReplyText {
            text,
            tool_calls,
            cut: true,
        })
    };
    let plan = cut("", Some(&one));
    assert_eq!(kinds(&plan), ["invalid_json"]);
    let message = results(&plan)[0]["error"]["message"].clone();
    assert!(message.as_str().unwrap().contains("hit the token limit"), "{message}");
    let plan = cut("", Some(two));
    assert_eq!(performed(&plan), ["wait(1)"]);
    assert_eq!(kinds(&plan), ["ok", "invalid_json"]);
    let plan = cut(r#"<tool_call>{"name":"observe_screen"}</tool_call>"#, None);
    assert_eq!(kinds(&plan), ["invalid_json"]);
    // If anything might be missing, closing braces are not implied either.
    let plan = cut(
        r#"<tool_call>{"name":"observe_screen"<tool_call>{"name":"observe_screen"}"#,
        None,
    );
    assert!(performed(&plan).is_empty());
}

#[test]
fn sent_back_calls_suit_any_server() {
    let spoken = |name: &str, arguments: &str| {
        let call = reported(&call(name, arguments)).spoken.unwrap().calls.remove(0);
        (call.name, call.arguments)
    };
    let pair = |name: &str, arguments: &str| (name.to_owned(), arguments.to_owned());
    assert_eq!(
        spoken("a b.c/é\"_-1", "{ \"b\": 1, \"a\": [ 2 ] }"),
        pair("abc_-1", r#"{"b":1,"a":[2]}"#)
    );
    assert_eq!(spoken("é", "{'a': None,}"), pair("unknown", r#"{"a":null}"#));
    assert_eq!(spoken(&"x".repeat(100), "[1]"), pair(&"x".repeat(64), "{}"));
    assert_eq!(spoken("wait", r#"{"seconds": 1"#), pair("wait", "{}"));
    assert_eq!(
        spoken("wait", r#"{"text":"\ud800"}"#),
        pair("wait", "{\"text\":\"\u{fffd}\"}")
    );
    let deep = format!("{{\"a\":{}{}}}", "[".repeat(5000), "]".repeat(5000));
    assert_eq!(spoken("wait", &deep), pair("wait", "{}"));
    assert_eq!(written("Hello.").spoken.unwrap().calls, []);
}
