//! What must hold when any reply is read with any family. The property test and the fuzz target share it.

use franz_action::ToolSet;
use franz_dialect::protocol::ReadingSettings;
use franz_dialect::{DialectReader, Family, OwnForm, ReadStep, Reading, ReplySpan, ReplyText, ToolsProtocol};

const PICTURE: (u32, u32) = (1000, 1000);

/// Reads a reply with a family, on a screen of the picture's size.
pub(crate) fn read(family: &Family, reply: &ReplyText<'_>, picture: (u32, u32)) -> Reading {
    let own = ToolsProtocol::from(ReadingSettings::new(ToolSet::all()));
    let reader = DialectReader {
        dialect: family.dialect,
        geometry: family.geometry(Some(picture), None),
        own: &own,
        own_form: OwnForm::Tools,
        pointer: None,
        manner: family.manner.clone(),
    };
    reader.read(reply)
}

/// Checks everything that must hold for any reply.
///
/// # Panics
/// If something does not hold.
pub(crate) fn check(family: &Family, reply: &ReplyText<'_>) {
    let name = &family.name;
    let reading = read(family, reply, PICTURE);
    for step in &reading.steps {
        check_step(family, reply, step);
    }
    if reply.cut {
        let last = reading.steps.last().and_then(ReadStep::action);
        assert!(last.is_none(), "{name}: the last call of a cut reply acts: {last:?}");
    }
    let left = reading.steps.iter().any(|step| step.why().is_some() && !step.again);
    assert!(!left || !reading.told.is_empty(), "{name}: something is left untold");
    check_told(family, &reading);
    check_thought(family, reply);
}

fn check_step(family: &Family, reply: &ReplyText<'_>, step: &ReadStep) {
    let (whole, span) = match &step.span {
        ReplySpan::Text(span) => (reply.text, span),
        ReplySpan::ToolCalls(span) => (reply.tool_calls.unwrap_or_default(), span),
    };
    assert!(
        whole.get(span.clone()).is_some(),
        "{}: {step:?} is no place",
        family.name
    );
    if step.action().is_some() {
        let inside = |point: &[f64; 2]| point.iter().all(|number| (0.0..=1000.0).contains(number));
        assert!(step.points.iter().all(inside), "{}: {step:?} acts outside", family.name);
    }
}

/// Checks that the message to the model ends in one line that would be performed.
fn check_told(family: &Family, reading: &Reading) {
    let Some((_, line)) = reading.told.rsplit_once("Write:\n") else {
        assert!(
            reading.told.is_empty(),
            "{}: no line in {:?}",
            family.name,
            reading.told
        );
        return;
    };
    let again = read(family, &ReplyText::of(line), PICTURE);
    let done = again.steps.iter().filter(|step| step.action().is_some()).count();
    assert!(
        done > 0 && done == again.steps.len(),
        "{}: told to write {line}, which is not done: {}",
        family.name,
        again.told
    );
}

/// Checks that no action is performed if the whole text is a thought.
fn check_thought(family: &Family, reply: &ReplyText<'_>) {
    let lower = reply.text.to_lowercase();
    if ["think", "thought", "reason", "reflect"]
        .iter()
        .any(|word| lower.contains(word))
    {
        return;
    }
    let thought = format!("<think>{}</think>", reply.text);
    let reading = read(family, &ReplyText::of(&thought), PICTURE);
    let acts = reading.steps.iter().any(|step| step.action().is_some()) || reading.answer.is_some();
    assert!(!acts, "{}: a thought acts: {:?}", family.name, reading.steps);
}
