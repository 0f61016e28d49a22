//! The dialects: samples from named public sources, each read with its family, and what no reply may ever do.

mod any;
mod places;
mod sound;
mod wording;

use franz_action::{Outcome, ToolSet};
use franz_dialect::protocol::ReadingSettings;
use franz_dialect::{
    Examples, Family, FamilyProtocol, Intent, OwnForm, Protocol, Reading, ReplyText, Space, ToolsProtocol,
};
use serde_json::Value;
use sound::read;

/// The files of samples. Each sample names its source.
const FILES: [(&str, &str); 19] = [
    ("agentcpm_gui", include_str!("dialects/agentcpm_gui.jsonl")),
    ("autoglm", include_str!("dialects/autoglm.jsonl")),
    ("boxes", include_str!("dialects/boxes.jsonl")),
    ("claude", include_str!("dialects/claude.jsonl")),
    ("cogagent", include_str!("dialects/cogagent.jsonl")),
    ("computer_use", include_str!("dialects/computer_use.jsonl")),
    ("gemini", include_str!("dialects/gemini.jsonl")),
    ("glm", include_str!("dialects/glm.jsonl")),
    ("holo", include_str!("dialects/holo.jsonl")),
    ("openai", include_str!("dialects/openai.jsonl")),
    ("os_atlas", include_str!("dialects/os_atlas.jsonl")),
    ("pyautogui", include_str!("dialects/pyautogui.jsonl")),
    ("rules", include_str!("dialects/rules.jsonl")),
    ("scalecua", include_str!("dialects/scalecua.jsonl")),
    ("seed", include_str!("dialects/seed.jsonl")),
    ("showui", include_str!("dialects/showui.jsonl")),
    ("step_gui", include_str!("dialects/step_gui.jsonl")),
    ("uitars", include_str!("dialects/uitars.jsonl")),
    ("venus", include_str!("dialects/venus.jsonl")),
];

/// Checks whether a sample's source is a file in a repository at a commit, or in a released package.
fn names_commit(row: &Value) -> bool {
    let source = row.get("source").and_then(Value::as_str).unwrap_or_default();
    let commit = source.split_once('@').map(|(_, commit)| commit).unwrap_or_default();
    let digits = commit.chars().take_while(char::is_ascii_hexdigit).count();
    source.contains('/') && digits >= 12
}

fn actions(reading: &Reading) -> Vec<String> {
    let actions = reading.steps.iter().filter_map(franz_dialect::ReadStep::action);
    actions.map(ToString::to_string).collect()
}

#[test]
fn every_sample_is_read_as_its_source_intends() {
    let mut wrong = Vec::new();
    for (file, texts) in FILES {
        let rows: Vec<Value> = texts.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert!(
            file == "rules" || rows.iter().filter(|row| names_commit(row)).count() >= 3,
            "{file} has at least three texts of named commits"
        );
        for row in &rows {
            let text = |key: &str| row.get(key).and_then(Value::as_str);
            assert!(text("source").is_some_and(|source| !source.is_empty()), "{row}");
            let mut family = Family::named(text("family").unwrap()).unwrap_or_else(|| panic!("{row}"));
            if text("space") == Some("fractions") {
                family.space = Space::Fractions;
            }
            let picture = row.get("picture");
            let picture = picture.map_or((1000, 1000), |size| serde_json::from_value(size.clone()).unwrap());
            let reply = ReplyText {
                text: text("text").unwrap(),
                tool_calls: text("tool_calls"),
                cut: row.get("cut") == Some(&Value::Bool(true)),
            };
            let reading = read(&family, &reply, picture);
            let wanted: Vec<String> = serde_json::from_value(row["actions"].clone()).unwrap();
            let found = (actions(&reading), reading.answer.as_deref(), reading.question());
            if found != (wanted.clone(), text("answer"), text("asks")) {
                wrong.push(format!(
                    "{}: {found:?}, wanted {wanted:?}, told {}",
                    row["id"], reading.told
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_collapsed_click_is_not_asked_for_again() {
    let family = Family::named("ui-tars-1.0").unwrap();
    let text = "Action: click(start_box='(1,2)')\n\n".repeat(3);
    let reading = read(&family, &ReplyText::of(&text), (1000, 1000));
    assert_eq!((&*reading.told, reading.problems.len()), ("", 1));

    let settings = ReadingSettings::new(ToolSet::all());
    let protocol = FamilyProtocol {
        own_form: OwnForm::Tools,
        tools: settings.tools.clone(),
        calls: settings.calls,
        geometry: family.geometry(Some((1000, 1000)), None),
        family,
        pointer: None,
        examples: Examples::default(),
        schema: None,
        own: Box::new(ToolsProtocol::from(settings)),
    };
    let plan = protocol.read(&ReplyText::of(&text));
    let ignored = |intent: &Intent| matches!(intent, Intent::Leave(Outcome::Ignored(Some(_))));
    assert_eq!(plan.steps.iter().filter(|step| ignored(&step.intent)).count(), 2);
    assert_eq!((plan.actions().count(), plan.correction), (1, None));
}

#[test]
fn only_a_plain_click_is_written_anew() {
    let family = Family::named("qwen3-vl").unwrap();
    for (arguments, line) in [
        (r#""action": "left_click""#, Some("left_click")),
        (r#""action": "right_click""#, Some("right_click")),
        (r#""action": "triple_click""#, Some("triple_click")),
        (r#""action": "middle_click""#, Some("middle_click")),
        (r#""action": "left_click", "text": "ctrl""#, None),
        (r#""action": "left_click", "button": "right""#, None),
        (r#""action": "left_click", "num_clicks": 3"#, None),
        (r#""action": "mouse_move""#, None),
    ] {
        let call = format!(r#"{{"name": "computer_use", "arguments": {{{arguments}, "coordinate": [5, 6]}}}}"#);
        let text = format!("<tool_call>{call}</tool_call>");
        let reply = ReplyText {
            cut: true,
            ..ReplyText::of(&text)
        };
        let told = read(&family, &reply, (1000, 1000)).told;
        let again = told.split_once("Write:\n").map(|(_, line)| line).unwrap_or_default();
        assert_eq!(again.contains("[5, 6]"), line.is_some(), "{told}");
        assert!(again.contains(line.unwrap_or_default()), "{told}");
    }
}

/// Waiting does not help a model find the right place.
#[test]
fn a_click_that_cannot_be_written_anew_is_followed_by_a_look() {
    let click = r#"<tool_call>{"name": "computer_use", "arguments": {"action": "left_click", "text": "ctrl", "coordinate": [5, 6]}}</tool_call>"#;
    for (family, text, look) in [
        ("qwen2-vl", click, "screenshot"),
        // Qwen3-VL was trained without a call for looking.
        ("qwen3-vl", click, "wait"),
        ("claude", "I will do it.", "observe_screen"),
        ("gemini", "I will do it.", "observe_screen"),
        ("openai", "I will do it.", "observe_screen"),
    ] {
        let reply = ReplyText {
            cut: true,
            ..ReplyText::of(text)
        };
        let told = read(&Family::named(family).unwrap(), &reply, (1000, 1000)).told;
        let line = told.split_once("Write:\n").map(|(_, line)| line).unwrap_or_default();
        assert!(line.contains(look), "{family}: {told}");
    }
}

#[test]
fn what_cannot_be_read_exactly_is_explained() {
    let scroll_to = r#"{"name": "computer", "arguments": {"action": "scroll_to", "ref": "ref_1"}}"#;
    for (family, text, why) in [
        ("opencua", "pyautogui.drag(100, 0)", "use dragTo with the place"),
        ("opencua", "pyautogui.moveRel(100, 0)", "use moveTo with the place"),
        ("claude", scroll_to, "use scroll with a place and a direction"),
    ] {
        let reading = read(&Family::named(family).unwrap(), &ReplyText::of(text), (1000, 1000));
        assert!(reading.told.contains(why), "{text}: {}", reading.told);
    }
}

#[test]
fn what_is_not_done_is_told() {
    let tap = r#"{"thought":"x","tool_call":{"tool_name":"hold_and_tap_key_desktop","hold_keys":["alt"],"tap_keys":["tab","tab"]}}"#;
    let write = r#"{"thought":"x","tool_call":{"tool_name":"write_desktop","content":"tea","overwrite":true}}"#;
    let said =
        r#"<tool_call>{"name": "computer_use", "arguments": {"action": "type", "text": "say "hi""}}</tool_call>"#;
    let path =
        r#"<tool_call>{"name": "computer_use", "arguments": {"action": "type", "text": "C:\Users\nick"}}</tool_call>"#;
    let keys = r#"<tool_call>{"name": "computer_use", "arguments": {"action": "key", "keys": ["down", "down", "enter"]}}</tool_call>"#;
    all_are_told(&[
        (
            "ui-tars-1.0",
            "Action: click(start_box='(1,2)'), fly(x=1)",
            "there is no 'fly' here",
        ),
        (
            "kimi",
            "```\npyautogui.click(0.5, 0.3)\n```\n```\npyautogui.write('hi')\n```",
            "1 done, but pyautogui.click was not: only the last code block of a reply is run",
        ),
        (
            "qwen3-vl",
            r#"{"thought":"x","action":"left_click(500, 300)"}"#,
            "the reply has no call",
        ),
        (
            "holo3",
            r#"{"thought":"I scroll","action":"scroll down"}"#,
            "the reply has no call",
        ),
        (
            "franz",
            r#"{"thought":"x","action":{"type":"click","x":5,"y":3}}"#,
            "the reply has no call",
        ),
        (
            "ui-tars-1.0",
            "Action: type(content='say 'hi')')",
            "type was not done: write a backslash before each quote inside a string",
        ),
        (
            "ui-tars-1.0",
            "Action: type(content='a' + 'b')",
            "type was not done: write a backslash before each quote inside a string",
        ),
        (
            "opencua",
            "```python\npyautogui.write('-' * 20)\n```",
            "the code block contains more than plain calls, so none of it was run",
        ),
        ("ui-tars-1.0", "I will click (here) soon.", "the reply has no call"),
        ("qwen3-vl", said, "write a backslash before each quote inside a string"),
        (
            "qwen3-vl",
            path,
            "in a string, write \\\\ for a backslash and \\n for a line break",
        ),
        (
            "openai",
            r#"{"type":"type","text":"cd C:\Users\nick"}"#,
            "in a string, write \\\\ for a backslash and \\n for a line break",
        ),
        ("holo3", tap, "write one call for each key"),
        ("holo3", write, "click it and press ctrl+a first"),
        (
            "qwen3-vl",
            keys,
            "'down' is not a modifier; only ctrl, alt, shift and win can be held; write one call for each key",
        ),
        ("os-atlas", "Actions:\nCLICK []", "is not a place: write two numbers"),
        ("ui-venus-1.5", "<action>PressBack()</action>", "there is no phone here"),
        (
            "ui-venus-1.5",
            "<action>Scroll(start=(1,2), end=(3,4))</action>",
            "the scroll direction must be up, down, left or right",
        ),
    ]);
}

#[test]
fn a_string_that_prevents_a_block_is_told() {
    const QUOTES: &str = "write a backslash before each quote inside a string";
    all_are_told(&[
        ("opencua", "```python\npyautogui.write('say ''hi'' to me')\n```", QUOTES),
        ("kimi", "```python\npyautogui.write('x.split(' ')')\n```", QUOTES),
        (
            "opencua",
            "```python\npyautogui.write('C:\\Users\\nick')\n```",
            "in a string, write \\\\ for a backslash and \\n for a line break",
        ),
    ]);
}

#[test]
fn what_is_inside_a_sentence_is_told() {
    all_are_told(&[
        (
            "ui-tars-1.0",
            "Action: click(start_box='(1,2)') and then type(content='hi')",
            "1 done, but type was not: it follows another call within a sentence",
        ),
        (
            "ui-tars-1.0",
            "Action: click(start_box='(1,2)') -> type(content='hi')",
            "1 done, but type was not: it follows another call within a sentence",
        ),
        (
            "ui-tars-1.0",
            "Action: Click the search bar. click(start_box='(100,200)')",
            "Nothing was done: the call click is inside a sentence",
        ),
        (
            "glm-v",
            "Next step: left_click(start_box='[376,465]')",
            "Nothing was done: the call left_click is inside a sentence",
        ),
        (
            "qwen3-vl",
            r#"The log shows {"action": "stop", "code": 1}."#,
            "Nothing was done: the call stop is inside a sentence",
        ),
        (
            "qwen3-vl",
            r#"{"action": "left_click", "coordinate": [100, 200]} then {"action": "type", "text": "bob"} there."#,
            "1 done, but type was not: it follows another call within a sentence",
        ),
        (
            "ui-tars-1.0",
            "I pressed the shortcut with hotkey(key='ctrl s'); the file is saved.",
            "if the task is done, finish with the whole answer",
        ),
    ]);
}

/// Checks that each text in the dialect of this family is answered with these words and with lines that would be right.
fn all_are_told(cases: &[(&str, &str, &str)]) {
    for &(family, text, why) in cases {
        let reading = read(&Family::named(family).unwrap(), &ReplyText::of(text), (1000, 1000));
        assert!(reading.told.contains(why), "{text}: {}", reading.told);
        assert!(reading.told.contains("Write:\n"), "{text}: {}", reading.told);
    }
}

#[test]
fn a_place_in_a_made_up_picture_is_not_offered() {
    let text = "Action: click(start_box='(100,200)')\nObservation: ok\nAction: click(start_box='(300,400)')";
    let reading = read(
        &Family::named("ui-tars-1.0").unwrap(),
        &ReplyText::of(text),
        (1000, 1000),
    );
    assert!(
        reading.told.contains("you made up the result before it"),
        "{}",
        reading.told
    );
    assert!(!reading.told.contains("300"), "{}", reading.told);
}

#[test]
fn a_repeated_block_is_run_once_and_told_to_nobody() {
    let block = "```python\npyautogui.click(0.5, 0.3)\n```\n";
    let reading = read(
        &Family::named("kimi").unwrap(),
        &ReplyText::of(&block.repeat(2)),
        (1000, 1000),
    );
    assert_eq!((actions(&reading).len(), &*reading.told), (1, ""));
}

#[test]
fn every_dialect_is_read_by_some_family() {
    let families = Family::all();
    for dialect in franz_dialect::dialects::DIALECTS {
        assert!(
            families.iter().any(|family| family.dialect.name == dialect.name),
            "{}",
            dialect.name
        );
    }
}
