//! A script for the built-in model and, after the first byte 0xff, a request. The answer contains exactly the contents
//! of the script's line.
#![no_main]

use franz_demo::{Script, fuzzing};
use libfuzzer_sys::fuzz_target;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// The parts of a script line that the answer must contain.
#[derive(Deserialize)]
struct Said {
    raw: Option<String>,
    #[serde(default)]
    json: Option<Box<RawValue>>,
    text: Option<String>,
}

fuzz_target!(|data: &[u8]| {
    let mut parts = data.splitn(2, |&byte| byte == 0xff);
    let text = String::from_utf8_lossy(parts.next().unwrap_or_default());
    let Ok(script) = Script::parse(&text) else { return };
    let asked = parts.next().filter(|body| !body.is_empty());
    let lines: Vec<&str> = text
        .trim_start_matches('\u{feff}')
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    let request = asked.unwrap_or(br#"{"messages": []}"#);
    let Some(answers) = fuzzing::answers(Some(script), request, lines.len() + 1) else {
        return;
    };
    assert_eq!(answers.len(), lines.len() + 1);
    for (line, answer) in lines.iter().zip(&answers) {
        if let Ok(said) = serde_json::from_str(line) {
            is_answered(&said, answer);
        }
    }
});

fn is_answered(said: &Said, answer: &[Vec<u8>]) {
    let exact = said.raw.as_deref().or(said.json.as_deref().map(RawValue::get));
    if let Some(exact) = exact {
        assert_eq!(answer.concat(), exact.as_bytes());
    } else if let Some(text) = &said.text {
        assert_eq!(&content(answer), text);
    }
}

/// Returns the content of an answer, in one piece or streamed.
fn content(answer: &[Vec<u8>]) -> String {
    let said = |body: &[u8], message: &str| {
        let body: Value = serde_json::from_slice(body).expect("JSON");
        body["choices"][0][message]["content"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    match answer {
        [body] => said(body, "message"),
        [events @ .., last] => {
            assert_eq!(last, b"data: [DONE]\n\n");
            let pieces = events
                .iter()
                .map(|event| said(event.strip_prefix(b"data: ").expect("an event"), "delta"));
            pieces.collect()
        }
        [] => String::new(),
    }
}
