//! The dialects: samples from named public sources, each read with its family, and what no reply may ever do.

mod any;
mod sound;
mod wording;

use franz_dialect::{Family, Reading, ReplyText, Space};
use serde_json::Value;
use sound::read;

/// The files of samples. Each sample names its source.
const FILES: [(&str, &str); 18] = [
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
