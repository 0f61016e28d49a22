//! A whole reply in the tools protocol, with the calls that the server reports before a NUL, or with calls in the text
//! after them.
#![no_main]

use franz_action::ToolSet;
use franz_dialect::protocol::ReadingSettings;
use franz_dialect::{Plan, Protocol, ReplyText, Scene, ReplySpan, ToolsProtocol};
use libfuzzer_sys::fuzz_target;
use serde_json::{Map, Value};

fuzz_target!(|data: &[u8]| {
    let data = String::from_utf8_lossy(data);
    let (tool_calls, text) = match data.split_once('\0') {
        Some((tool_calls, text)) => (Some(tool_calls), text),
        None => (None, &*data),
    };
    let protocol = ToolsProtocol::from(ReadingSettings::new(ToolSet::all()));
    for cut in [false, true] {
        let reply = ReplyText { text, tool_calls, cut };
        check(&reply, &protocol.read(&reply));
    }
});

fn check(reply: &ReplyText<'_>, plan: &Plan) {
    let performed = plan.actions().count();
    assert!(performed <= 1 && !(reply.cut && performed == plan.steps.len() && performed > 0));
    assert!(plan.finish.is_none() || performed == 0);
    for step in &plan.steps {
        let (whole, range) = match &step.span {
            ReplySpan::Text(range) => (reply.text, range),
            ReplySpan::ToolCalls(range) => (reply.tool_calls.unwrap_or_default(), range),
        };
        assert!(whole.get(range.clone()).is_some());
    }
    let spoken = plan.spoken.as_ref().expect("every reply is spoken");
    assert_eq!(spoken.calls.len(), plan.steps.len());
    for call in &spoken.calls {
        assert!(serde_json::from_str::<Map<String, Value>>(&call.arguments).is_ok());
        assert!((1..=64).contains(&call.name.len()));
    }
    let feedback = plan.feedback(&plan.all_done(), &Scene::default());
    assert!(plan.steps.is_empty() || feedback.split('\n').count() == plan.steps.len());
}
