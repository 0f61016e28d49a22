//! What blocks do, compared with what `CPython` 3.11 did with the same source (`record.py` records it). The only
//! differences are the wording of many syntax errors, which uses the parser's words and a caret, and that of `import`.

use serde_json::Value;

use super::run;

const RECORDED: &str = include_str!("recorded.json");

/// As many frames as the feedback shows. No recorded case has more.
const MOST_FRAMES: usize = 6;

pub(super) fn cases() -> Vec<Value> {
    serde_json::from_str(RECORDED).expect("the record is JSON")
}

pub(super) fn text<'v>(case: &'v Value, key: &str) -> &'v str {
    case[key].as_str().expect("a string")
}

/// Returns the feedback that a recorded case should get.
fn wanted(case: &Value) -> String {
    let actions = case["actions"].as_array().expect("a list").len();
    let executed = format!("{actions} action{} executed", if actions == 1 { "" } else { "s" });
    let mut wanted = match case["error"].as_object() {
        None => format!("OK: {executed}."),
        Some(error) => {
            let lines = error["lines"].as_array().expect("a list");
            assert!(lines.len() <= MOST_FRAMES);
            let source: Vec<&str> = text(case, "source").split('\n').collect();
            let caret = error.get("caret").and_then(Value::as_u64);
            let frames = lines.iter().map(|line| {
                let number = line.as_u64().expect("a line") as usize;
                let start = format!("  Line {number}: ");
                let below = caret.map(|caret| format!("{}^\n", " ".repeat(start.len() + caret as usize)));
                let text = source.get(number - 1).unwrap_or(&"").trim();
                format!("{start}{text}\n{}", below.unwrap_or_default())
            });
            let message = error["message"].as_str().expect("a string");
            format!("{}{message}\n{executed} before error.", frames.collect::<String>())
        }
    };
    let output = text(case, "output");
    if !output.is_empty() {
        wanted.push_str("\nOutput:\n");
        wanted.push_str(output.strip_suffix('\n').unwrap_or(output));
    }
    wanted
}

#[test]
fn blocks_do_what_cpython_does() {
    let cases = cases();
    assert!(cases.len() > 300);
    let mut different = Vec::new();
    for case in &cases {
        let source = text(case, "source");
        let (actions, feedback) = run(source);
        let wanted_actions: Vec<_> = case["actions"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let wanted = wanted(case);
        // A protocol can read punctuation from other scripts, which CPython refuses.
        if wanted.contains("SyntaxError: invalid character") && !feedback.contains("SyntaxError") {
            continue;
        }
        if actions != wanted_actions || feedback != wanted {
            different.push(format!(
                "{source}\n--- wanted {wanted_actions:?}\n{wanted}\n--- got {actions:?}\n{feedback}\n"
            ));
        }
    }
    assert!(
        different.is_empty(),
        "{} of {} differ\n\n{}",
        different.len(),
        cases.len(),
        different.join("\n======\n")
    );
}
