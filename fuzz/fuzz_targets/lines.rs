//! A whole reply in the lines protocol. Every step has its position in the reply, and feedback stays short.
#![no_main]

use franz_action::ToolSet;
use franz_dialect::protocol::ReadingSettings;
use franz_dialect::{LinesProtocol, Protocol, ReplyText, Scene, ReplySpan};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let plan = LinesProtocol::from(ReadingSettings::new(ToolSet::all())).read(&ReplyText::of(text));
    let mut behind = 0;
    for step in &plan.steps {
        let ReplySpan::Text(range) = &step.span else {
            panic!("there are no tool calls");
        };
        assert!(behind <= range.start && text.get(range.clone()).is_some(), "{range:?}");
        behind = range.end;
    }
    assert!(plan.steps.len() <= 500);
    let feedback = plan.feedback(&plan.all_done(), &Scene::default());
    assert!(feedback.starts_with("EXECUTOR_FEEDBACK:\n") && feedback.len() < 200_000);
});
