//! Calls as code on their own lines, with FRANZ's own names and arguments: `click_element(label="OK", box=[1, 2])`.

use serde_json::Value;

use super::{CallText, FoundCalls};
use crate::dialects::Speakers;
use crate::notation::{Arguments, RawCall, Wrap, line};
use crate::tools::function::Function;

/// Finds the calls, each as a separate part.
pub(super) fn parts(text: &str) -> Vec<FoundCalls> {
    let calls = line::calls(text, |name| Function::named(name).map(|_| Speakers::default()));
    let calls = calls.into_iter().map(|written| written.call);
    calls.map(unwrapped).filter(is_own).map(part).collect()
}

/// If a call's only argument is an object, returns the call with the object's members as its arguments:
/// `wait({"seconds": 1})`.
fn unwrapped(mut call: RawCall) -> RawCall {
    if let ([Value::Object(_)], []) = (&call.args.positional[..], &call.args.named[..])
        && let Some(Value::Object(members)) = call.args.positional.pop()
    {
        call.args = Arguments::of(members);
    }
    call
}

/// Checks whether a call is complete and exactly one of FRANZ's own.
fn is_own(call: &RawCall) -> bool {
    let function = Function::named(&call.name);
    let takes = |name: &str| function.is_some_and(|function| function.param(name).is_some());
    call.wrap == Wrap::Line
        && (call.flaw, call.mended) == (None, None)
        && call.args.positional.is_empty()
        && !call.args.named.is_empty()
        && call.args.named.iter().all(|(name, _)| takes(name))
}

fn part(call: RawCall) -> FoundCalls {
    FoundCalls {
        range: call.span.clone(),
        calls: vec![CallText::new(call.name, call.args.object().to_string(), call.span)],
    }
}
