//! The plan keeps its promises, whatever a reply contains.

use std::time::{Duration, Instant};

use franz_dialect::protocol::ReadingSettings;
use franz_dialect::{Plan, Protocol, ReplySpan, ReplyText, Scene, ToolsProtocol};
use proptest::prelude::*;
use serde_json::{Map, Value};

use crate::tools::{call, kinds, performed, protocol, reported};

/// Returns one of the pieces that replies are made of.
fn piece() -> impl Strategy<Value = String> {
    let marks = prop::sample::select(vec![
        "<tool_call>",
        "</tool_call>",
        "<function=",
        "wait>",
        "</function>",
        "<parameter=",
        "seconds>",
        "</parameter>",
        "```",
        "```json\n",
        "<think>",
        "</think>",
        "{",
        "}",
        "[",
        "]",
        "(",
        "{{",
        "}}",
        ",",
        ":",
        "\"",
        "'",
        "\\",
        "\n",
        " ",
        "\u{201c}",
        "\u{201d}",
        "\u{ff1a}",
        "1",
        "2.5",
        "True",
        "null",
        "\\ud800",
        "Thought: ",
        "\"name\":",
        "\"function\":",
        "\"arguments\":",
        "\"id\":",
        "\"click_element\"",
        "\"wait\"",
        "\"observe_screen\"",
        "\"label\":\"OK\"",
        "\"box\":[1,2]",
        "\"seconds\":1",
        "{\"seconds\":1}",
        "\"{\\\"seconds\\\":1}\"",
        "{\"name\":\"wait\",\"arguments\":{\"seconds\":1}}",
        "{\"name\":\"observe_screen\"}",
        "<tool_call>{\"name\":\"move\",\"arguments\":{\"box\":[1,2]}}</tool_call>",
        "{\"function\":{\"name\":\"press_key\",\"arguments\":\"{\\\"key\\\":\\\"enter\\\"}\"}}",
    ]);
    prop_oneof![8 => marks.prop_map(str::to_owned), 1 => "\\PC{0,4}"]
}

fn soup() -> impl Strategy<Value = String> {
    prop::collection::vec(piece(), 0..24).prop_map(|pieces| pieces.concat())
}

/// Checks what must hold for every plan.
fn check(reply: &ReplyText<'_>) -> Plan {
    let plan = protocol().read(reply);
    let spoken = plan.spoken.clone().unwrap();
    assert!(plan.actions().count() <= protocol().calls);
    assert!(plan.finish.is_none() || plan.actions().next().is_none());
    assert_eq!(spoken.calls.len(), plan.steps.len());
    for (number, (step, call)) in plan.steps.iter().zip(&spoken.calls).enumerate() {
        let words = match &step.span {
            ReplySpan::Text(range) => reply.text.get(range.clone()),
            ReplySpan::ToolCalls(range) => reply.tool_calls.unwrap_or_default().get(range.clone()),
        };
        let words = words.unwrap_or_else(|| panic!("{:?} is no place", step.span));
        if step.action().is_some() {
            assert!(words.contains(&call.name), "{words} is no {}", call.name);
            assert!(number < protocol().calls && !(reply.cut && plan.steps.len() == number + 1));
        }
        assert!(
            serde_json::from_str::<Map<String, Value>>(&call.arguments).is_ok(),
            "{}",
            call.arguments
        );
        assert!((1..=64).contains(&call.name.len()));
        assert!(
            call.name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
        );
    }
    let feedback = plan.feedback(&plan.all_done(), &Scene::default());
    if plan.steps.is_empty() {
        assert!(feedback.starts_with("Nothing was done"), "{feedback}");
        assert!(plan.no_call.is_some());
    } else {
        assert_eq!(feedback.split('\n').count(), plan.steps.len());
        for line in feedback.split('\n') {
            assert!(
                line.chars().count() <= 1000 && serde_json::from_str::<Value>(line).is_ok(),
                "{line}"
            );
        }
    }
    plan
}

proptest! {
    #[test]
    fn any_text_has_a_sound_plan(text in soup(), cut: bool) {
        check(&ReplyText { text: &text, tool_calls: None, cut });
    }

    #[test]
    fn any_reported_calls_have_a_sound_plan(text in soup(), tool_calls in soup(), cut: bool) {
        check(&ReplyText { text: &text, tool_calls: Some(&tool_calls), cut });
        check(&ReplyText { text: &text, tool_calls: Some(&format!("[{tool_calls}]")), cut });
    }

    #[test]
    fn a_cut_text_never_does_more_than_the_whole(text in soup(), at in 0usize..200) {
        let end = text.floor_char_boundary(at.min(text.len()));
        let plan = check(&ReplyText { text: &text[..end], tool_calls: None, cut: true });
        prop_assert!(performed(&plan).len() < plan.steps.len().max(1));
    }
}

/// Calls every function in the schema with values of the declared types, giving all arguments or only the required
/// ones.
#[test]
fn the_schema_and_the_reader_agree() {
    let schema: Vec<Value> = serde_json::from_str(&protocol().schema().unwrap()).unwrap();
    assert_eq!(schema.len(), 15);
    for tool in &schema {
        assert_eq!(tool["type"], "function");
        let function = &tool["function"];
        let name = function["name"].as_str().unwrap();
        let properties = function["parameters"]["properties"].as_object().unwrap();
        let required = function["parameters"]["required"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        let value = |key: &str, property: &Value| match (property["type"].as_str().unwrap(), property["enum"].get(0)) {
            (_, Some(choice)) => choice.clone(),
            ("string", None) if key == "modifiers" => Value::from("ctrl"),
            ("array", None) if property["items"]["type"] == "array" => serde_json::json!([[10, 20], [30, 40]]),
            ("string", None) => Value::from("a"),
            ("boolean", None) => Value::from(true),
            ("array", None) => serde_json::json!([10, 20]),
            (_, None) => Value::from(1),
        };
        let all: Map<String, Value> = properties
            .iter()
            .map(|(key, property)| (key.clone(), value(key, property)))
            .collect();
        let least = |(key, value): (&String, &Value)| {
            required
                .contains(&key.as_str().into())
                .then(|| (key.clone(), value.clone()))
        };
        let least: Map<String, Value> = all.iter().filter_map(least).collect();
        assert_eq!(least.len(), required.len());
        for arguments in [&all, &least] {
            let arguments = serde_json::to_string(arguments).unwrap();
            assert_eq!(kinds(&reported(&call(name, &arguments))), ["ok"], "{name} {arguments}");
        }
        for (key, property) in properties {
            for choice in property["enum"].as_array().into_iter().flatten() {
                let mut chosen = all.clone();
                chosen.insert(key.clone(), choice.clone());
                if ["hover", "down", "up"].iter().any(|kind| choice == kind) {
                    chosen.remove("modifiers");
                }
                let chosen = serde_json::to_string(&chosen).unwrap();
                assert_eq!(kinds(&reported(&call(name, &chosen))), ["ok"], "{name} {chosen}");
            }
        }
        for key in least.keys() {
            let mut fewer = least.clone();
            fewer.remove(key);
            let fewer = serde_json::to_string(&fewer).unwrap();
            assert_ne!(kinds(&reported(&call(name, &fewer))), ["ok"], "{name} {fewer}");
        }
    }
    let none = ToolsProtocol::from(ReadingSettings::new(franz_action::ToolSet::of([])));
    let offered: Vec<Value> = serde_json::from_str(&none.schema().unwrap()).unwrap();
    assert_eq!(
        (offered.len(), &offered[0]["function"]["name"]),
        (1, &Value::from("finish"))
    );
}

/// Far more time than any of these replies takes, and far less than a quadratic reader would take.
const LONG: Duration = Duration::from_secs(30);

#[test]
fn no_text_takes_long() {
    let units = [
        "<tool_call>",
        "<tool_call>{",
        "<tool_call>[\"',\", ",
        "<tool_call>{'",
        "</tool_call>",
        "<function=",
        "<function=a>",
        "<function=a><parameter=b>",
        "```",
        "```json\n{\"name\":\"wait\"",
        "{",
        "[",
        "{\"a\":",
        "\n{",
        "a\n[",
        "a\n[\n",
        "a\n{ name: ",
        "\"",
        "\\",
        "<",
        "\u{201c}'",
        "{\"name\":\"wait\"}",
        "<tool_call>{\"name\":\"wait\"}",
        "<tool_call>{\"name\":\"wait\"}<tool_call>",
        "\n{\"name\":\"wait\"}</tool_call>",
        "\n{\"a\": '</tool_call>",
        "\n{\"name\":\"wait\"};<eos>",
        "[TOOL_REQUEST]{",
        "<|START_ACTION|>[{\"a\":",
        "<atem:invoke name=\"a\">",
        "to=user<|message|><atem:invoke name=\"a\">",
        "<|open|>call tool=\"a\"<|sep|><|open|>argument key=\"b\"<|sep|>",
        "]<]minimax[>[<invoke name=\"a\">]<]minimax[>[<b>",
        "]<]minimax[>[<item>",
        "call:wait{",
        "call:wait{seconds:1}",
        "\ncall:wait{seconds:[",
        "<think>",
        "```json\n[",
        " ",
        "\"wait",
        "name wait ",
    ];
    let started = Instant::now();
    for unit in units {
        // A reader that trims too much looks at trailing whitespace again from many positions.
        let text = unit.repeat((1 << 19) / unit.len()) + &" ".repeat(1 << 19);
        check(&ReplyText::of(&text));
        let tool_calls = format!("[{text}");
        check(&ReplyText {
            tool_calls: Some(&tool_calls),
            ..ReplyText::default()
        });
    }
    // The first fence is far from the calls.
    let text = "` ".repeat(1 << 19) + &"\n{\"name\":\"wait\"}```x</tool_call>".repeat(1 << 15);
    check(&ReplyText::of(&text));
    assert!(started.elapsed() < LONG, "{:?}", started.elapsed());
}
