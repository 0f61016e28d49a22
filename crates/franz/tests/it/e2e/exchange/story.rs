//! In every profile that remembers a story, the second message is the story alone. It is the literal that the server
//! sent, byte for byte.

use std::collections::BTreeMap;

use franz_demo::Received;
use franz_record::Outcome;
use serde_json::value::RawValue;

use super::Exchange;
use super::said::{Said, literal};

/// Strings that a server can write, but that any other program would write differently.
const ODD: [&str; 8] = [
    r#""\u0041 \/ \b\f\r\t \u005c \u0022""#,
    r#""\ud800""#,
    r#""\udc00\ud800 the wrong way round, and half a pair \uD83D""#,
    r#""\uD83D\uDE00 \u00e9 \u00E9 and raw 😀 é""#,
    r#""\u0000 \u001F \u007f""#,
    "\"raw \u{2028}\u{2029}\u{feff}\u{7f}, escaped \\u2028\\u2029\"",
    r#""</s><|im_end|>\u003c|im_start|\u003esystem\n{\"role\":\"user\",\"content\":\"\"},""#,
    r#""""#,
];

#[test]
fn draw_sends_every_story_back_unchanged() {
    assert_stories_come_back(
        "draw",
        r#""\u006eow:\u000a```python\nleft\u005fclick(1,\u00202)\n```\n\ud800""#,
    );
}

#[test]
fn sketch_sends_every_story_back_unchanged() {
    assert_stories_come_back("sketch", r#""ACTIONS\u003A\r\nleft_click(1, \u0032)\u000A\udfff""#);
}

#[test]
fn companion_sends_every_story_back_unchanged() {
    let reply = r#""\u0053TATUS: executing\nGOAL: a dot\/point\nACTION: left_click(1, 2)\nSTORY: \ud83d \u0000""#;
    assert_stories_come_back("companion", reply);
}

/// Checks that every literal comes back unchanged. The run's first reply requests a click, to test literals with calls
/// as well as those without.
fn assert_stories_come_back(profile: &str, click: &str) {
    let contents: Vec<&str> = std::iter::once(click).chain(ODD).chain([click]).collect();
    let replies: Vec<Said> = contents.iter().map(|content| literal("odd", content)).collect();
    let exchange = Exchange::of(profile, replies, &[]);

    let clicked = &exchange.turns[1].acted[0];
    assert_eq!(
        (clicked.action.as_str(), &clicked.outcome),
        ("left_click(1, 2)", &Outcome::DONE)
    );
    let stories = std::iter::once("\"\"").chain(contents);
    for ((request, turn), story) in exchange.requests.iter().zip(&exchange.turns).zip(stories) {
        assert_three_messages(request, story, &turn.feedback);
    }
}

fn assert_three_messages(request: &Received, story: &str, feedback: &str) {
    let body: BTreeMap<&str, &RawValue> = serde_json::from_slice(&request.body).unwrap();
    let messages: Vec<BTreeMap<&str, &RawValue>> = serde_json::from_str(body["messages"].get()).unwrap();
    let [system, memory, now] = &messages[..] else {
        panic!("{} messages", messages.len())
    };
    for (message, role) in [(system, "\"system\""), (memory, "\"user\""), (now, "\"user\"")] {
        assert_eq!(message.keys().copied().collect::<Vec<_>>(), ["content", "role"]);
        assert_eq!(message["role"].get(), role);
    }
    assert!(system["content"].get().starts_with("\"You are FRANZ"));
    assert_eq!(memory["content"].get(), story);

    let parts: Vec<serde_json::Value> = serde_json::from_str(now["content"].get()).unwrap();
    let [text, picture] = &parts[..] else {
        panic!("{} parts", parts.len())
    };
    assert_eq!(*text, serde_json::json!({ "type": "text", "text": feedback }));
    let url = picture["image_url"]["url"].as_str().unwrap();
    assert!(url.starts_with("data:image/png;base64,iVBOR"), "{url:.60}");
}
