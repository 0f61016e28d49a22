//! Finds the position where the last call of a conversation clicked, so that text can follow there.

use franz_action::{Action, Point};

use super::tongue::{Tongue, native, pieces};
use crate::request::ChatRequest;
use crate::tools;

/// Returns the position of the last call if it was a click.
pub(super) fn last(tongue: &Tongue<'_>, request: &ChatRequest) -> Option<Point> {
    if let Some(called) = request.called.as_ref().filter(|_| tongue.speaks_own()) {
        return tongue.aim.point(tools::clicked(called)?);
    }
    let line = tongue.line(&Action::left_click(Point::clamped(500, 500)))?;
    let numbers = match &request.called {
        Some(called) => same_but_numbers(&called.arguments.to_string(), &native(&line)?.arguments)?,
        None => same_but_numbers(call_of(&request.story)?, &line)?,
    };
    tongue.aim.point(numbers)
}

/// Returns the call in a reply: the text after `ACTION:`, or else the last line.
fn call_of(story: &str) -> Option<&str> {
    let lines = || story.lines().map(str::trim).filter(|line| !line.is_empty());
    let action = lines().find_map(|line| line.strip_prefix("ACTION:"));
    action.or_else(|| lines().next_back())
}

/// Returns the two numbers of a call if it differs from another call only in these numbers.
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
