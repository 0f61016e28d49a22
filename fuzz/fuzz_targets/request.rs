//! A request to the built-in model. The model answers anything that it can read, as itself and as a model of some
//! family, with text or one call, in one piece or streamed.
#![no_main]

use franz_demo::fuzzing;
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fuzz_target!(|body: &[u8]| {
    let Some(mut answers) = fuzzing::answers(None, body, 1) else {
        return;
    };
    let pick = body.iter().fold(0, |pick: u8, byte| pick.wrapping_add(*byte));
    answers.extend(fuzzing::played(pick, body));
    for event in answers.concat() {
        let event = event.strip_prefix(b"data: ").unwrap_or(&event);
        if event == b"[DONE]\n\n" {
            continue;
        }
        let answer: Value = serde_json::from_slice(event).expect("JSON");
        let choice = &answer["choices"][0];
        let message = choice.get("message").or_else(|| choice.get("delta"));
        let calls = message.map(|message| &message["tool_calls"]).and_then(Value::as_array);
        for call in calls.into_iter().flatten() {
            let arguments = call["function"]["arguments"].as_str().expect("arguments");
            assert!(serde_json::from_str::<Value>(arguments).expect("JSON").is_object());
        }
    }
});
