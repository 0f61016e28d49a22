//! The call that the next one builds on: a click that text follows, or a move that a drag follows.

use franz_action::{Action, Point};

use super::tongue::{Tongue, native, pieces};
use crate::request::ChatRequest;

/// Returns the action that the last call of the conversation prepared with, if it was one.
pub(super) fn last(tongue: &Tongue<'_>, request: &ChatRequest) -> Option<Action> {
    let said = match &request.called {
        Some(called) => called.arguments.to_string(),
        None => call_of(&request.story)?.to_owned(),
    };
    let native_call = request.called.is_some();
    let kinds: [fn(Point) -> Action; 2] = [Action::Move, Action::LeftClick];
    kinds.into_iter().find_map(|kind| {
        let line = tongue.line(&kind(Point::clamped(500, 500)))?;
        let line = if native_call { native(&line)?.arguments } else { line };
        let numbers = same_but_numbers(&said, &line)?;
        tongue.aim.point(numbers).map(kind)
    })
}

/// Returns the call of a reply: what stands behind `ACTION:`, or else its last line.
fn call_of(story: &str) -> Option<&str> {
    let lines = || story.lines().map(str::trim).filter(|line| !line.is_empty());
    let action = lines().find_map(|line| line.strip_prefix("ACTION:"));
    action.or_else(|| lines().next_back())
}

/// Returns the two numbers of a call that differs from another one in nothing else.
fn same_but_numbers(said: &str, other: &str) -> Option<[f64; 2]> {
    let text = |call: &str| -> String {
        let between = pieces(call).into_iter().filter_map(Result::err);
        between.collect::<Vec<_>>().join("#")
    };
    let bare = |call: &str| text(call.trim().trim_start_matches("Action:").trim());
    let numbers: Vec<f64> = pieces(said).into_iter().filter_map(Result::ok).collect();
    match numbers[..] {
        [first, second] if bare(said) == bare(other) => Some([first, second]),
        _ => None,
    }
}
