//! A whole reply in the sections protocol. It has at most one action, which has its position in the reply, and feedback
//! stays short.
#![no_main]

use franz_action::ToolSet;
use franz_dialect::protocol::ReadingSettings;
use franz_dialect::{Protocol, ReplyText, Scene, SectionsProtocol, ReplySpan};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for cut in [false, true] {
        check(text, cut);
    }
});

fn check(text: &str, cut: bool) {
    let plan = SectionsProtocol::from(ReadingSettings::new(ToolSet::all())).read(&ReplyText { cut, ..ReplyText::of(text) });
    assert!(plan.actions().count() <= 1);
    for step in &plan.steps {
        assert!(matches!(&step.span, ReplySpan::Text(range) if text.get(range.clone()).is_some()));
    }
    assert!(plan.goal.as_ref().is_none_or(|goal| goal.chars().count() <= 1001));
    let feedback = plan.feedback(&plan.all_done(), &Scene::default());
    assert!(feedback.starts_with("Last action performed: ") && feedback.len() < 20_000);
}
