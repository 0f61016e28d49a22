//! Function calls in a conversation, and the final answer.

use super::Exchange;
use super::said::{Said, all, literal, says};

#[test]
fn operator() {
    let goal = "Find the switch, flip it, and say what colour the lamp has.";
    let exchange = Exchange::of("operator", replies(), &[goal]);
    let told = &exchange.finished.stdout;
    let answer = "\nanswer:\n  The lamp is green.\nrecord  run\n";
    assert!(told.contains(answer), "{told}");
    assert!(
        told.contains("\nended: the model gave its final answer\npicture run/"),
        "{told}"
    );
    exchange.assert_as_in("operator");
}

/// Returns a call as most servers report it, with its arguments in a string.
fn call(id: u32, name: &str, arguments: &str) -> String {
    let arguments = serde_json::Value::from(arguments);
    format!(r#"{{"id":"call_{id}","type":"function","function":{{"name":"{name}","arguments":{arguments}}}}}"#)
}

/// Returns a reply with words and calls.
fn calls(about: &'static str, text: &'static str, call: &str) -> Said {
    Said::from(says(about, text)).calling(call)
}

/// Returns a reply that consists only of calls.
fn mute(about: &'static str, call: &str) -> Said {
    literal(about, "null").calling(call)
}

fn replies() -> Vec<Said> {
    let parts = [forms(), mistakes(), steps(), thoughts_and_ends()];
    parts.into_iter().flatten().collect()
}

/// Returns arguments and boxes in every form, thoughts that are later dropped, and several calls in one reply.
fn forms() -> Vec<Said> {
    vec![
        mute(
            "no content, and arguments of nothing",
            r#"{"id":"call_1","type":"function","function":{"name":"observe_screen"}}"#,
        ),
        calls(
            "a think block; a point, as a string",
            "<think>First thought: a dark screen.</think>I click the switch.",
            &call(2, "click_element", r#"{"label": "the switch", "box": [500, 300]}"#),
        ),
        calls(
            "a box of four numbers, as an object",
            "<think>Second thought: it did not move.</think>I try its left half.",
            r#"{"id":"call_3","type":"function","function":{"name":"click_element","arguments":{"label":"left half","box":[450,280,500,321]}}}"#,
        ),
        calls(
            "a box of two corners, the wrong way round; the third thought drives out the first",
            "<think>Third thought: the right half.</think>I try its right half.",
            &call(
                4,
                "click_element",
                r#"{"label": "right half", "box": [[550, 320], [500, 280]]}"#,
            ),
        ),
        calls(
            "three calls at once",
            "I type and press Enter.",
            &[
                call(5, "type_text", r#"{"text":"on"}"#),
                call(6, "press_key", r#"{"key":"enter"}"#),
                call(7, "observe_screen", "{}"),
            ]
            .join(",\n"),
        ),
    ]
}

/// Returns each kind of error once, with a valid call in between, because eight errors in a row would end the run.
fn mistakes() -> Vec<Said> {
    vec![
        mute(
            "a call that is no JSON",
            &call(8, "click_element", r#"{"label": "lamp", "box": [500, }"#),
        ),
        mute(
            "an argument of a wrong kind",
            &call(9, "wait", r#"{"seconds":"a while"}"#),
        ),
        mute(
            "a box of three numbers",
            &call(10, "click_element", r#"{"label":"lamp","box":[500,300,20]}"#),
        ),
        mute("no label", &call(11, "click_element", r#"{"box":[500,300]}"#)),
        mute("no box", &call(12, "click_element", r#"{"label":"lamp"}"#)),
        mute("a look", &call(27, "observe_screen", "{}")),
        mute("no key", &call(13, "press_key", "{}")),
        mute("no text", &call(14, "type_text", r#"{"text":""}"#)),
        mute(
            "a key that there is not",
            &call(15, "press_key", r#"{"key":"ctrl+banana"}"#),
        ),
        mute(
            "a tool that there is not",
            &call(16, "open_browser", r#"{"url":"http://example.org"}"#),
        ),
    ]
}

/// Returns calls to the tools that have not been used so far.
fn steps() -> Vec<Said> {
    vec![
        mute(
            "a key, pressed in vain on a canvas",
            &call(17, "press_key", r#"{"key":"Return"}"#),
        ),
        mute(
            "a scroll with nothing said",
            r#"{"id":"call_18","type":"function","function":{"name":"scroll_at_position","arguments":null}}"#,
        ),
        mute(
            "pixels for the thousand",
            &call(19, "double_click", r#"{"box":[1600,300]}"#),
        ),
        mute(
            "a right click with a label",
            &call(20, "right_click", r#"{"box":[700,300],"label":"the lamp"}"#),
        ),
        mute("a move", &call(21, "move", r#"{"box":"[710, 310]"}"#)),
        mute(
            "a wait, its seconds as text",
            &call(22, "wait", r#"{"seconds":"0.01"}"#),
        ),
        mute(
            "a text for the clipboard",
            &call(24, "write_clipboard", r#"{"text":"a long letter"}"#),
        ),
        mute("the clipboard, in vain on a canvas", &call(25, "read_clipboard", "{}")),
    ]
}

/// Returns a call in the text, a reply of thoughts only, cut-off replies, words, and the answer.
fn thoughts_and_ends() -> Vec<Said> {
    let cut_call = call(23, "type_text", r#"{"text":"off"#);
    let mut replies = all(&[
        says(
            "a call in the text",
            r#"
I drag the lever.
<tool_call>
{"name": "drag", "arguments": {"x1": 300, "y1": 300, "x2": 600, "y2": 300}}
</tool_call>"#,
        ),
        says("thoughts alone", "<think>Fourth thought: is it green now?</think>"),
    ]);
    replies.push(mute("cut off in the middle of a call", &cut_call).cut());
    replies.extend(all(&[
        says(
            "text that the token limit cut off",
            "The lamp has the colour of a leaf in",
        )
        .cut(),
        says(
            "words in place of a call",
            "<think>It is green, so I am done.</think>\n\nThe lamp is green.",
        ),
    ]));
    replies.push(mute(
        "the final answer",
        &call(26, "finish", r#"{"answer":"The lamp is green.","success":true}"#),
    ));
    replies
}
