//! Clicks and drags.

use franz_action::Action;

use super::{CallFault, Click, Does, HELD, Surroundings, at_pointer, one, refuse_held, resolved, said, words};
use crate::geometry::Spot;
use crate::notation::{Arguments, same};
use crate::spot::{self, SpotError};

const TIMES: [&str; 3] = ["num_clicks", "clicks", "count"];
const BUTTON: [&str; 2] = ["button", "button_type"];
/// The argument of FRANZ's own function that says which click.
const KIND: &str = "kind";
/// The kind that clicks nothing.
const HOVER: &str = "hover";

/// Checks whether clicks read an argument of this name.
pub(super) fn reads(key: &str) -> bool {
    TIMES.iter().chain(&BUTTON).chain(&[KIND]).any(|name| same(name, key))
}

pub(super) fn moved(args: &Arguments, around: &Surroundings<'_>) -> Result<Does, CallFault> {
    let place = spot::place(args)?.ok_or(SpotError::Missing)?;
    let (point, exact) = resolved(&place, around)?;
    Ok(one(Action::Move(point), vec![exact]))
}

pub(super) fn clicked(click: Click, args: &Arguments, around: &Surroundings<'_>) -> Result<Does, CallFault> {
    refuse_held(args, &HELD)?;
    // Qwen3.5 and Claude write the held keys of a click as its text, OpenAI as its keys.
    refuse_held(args, &["text", "keys", "key"])?;
    if args.get(&["index", "ref", "selector", "id"]).is_some() {
        return Err(words("elements have no numbers here; say the place as two numbers"));
    }
    let times = args.get(&TIMES).and_then(spot::number).unwrap_or(1.0);
    let button = said(args, &BUTTON).unwrap_or_default().to_ascii_lowercase();
    let kind = said(args, &[KIND]).unwrap_or_default().to_ascii_lowercase();
    if !kind.is_empty() && args.get(&BUTTON).or_else(|| args.get(&TIMES)).is_some() {
        return Err(words("say which click it is once, as 'kind'"));
    }
    if kind == HOVER && click == Click::Left {
        return moved(args, around);
    }
    let (button, times) = match kind.as_str() {
        "" => (button.as_str(), times),
        "double" => ("left", 2.0),
        "triple" => ("left", 3.0),
        other => (other, 1.0),
    };
    let click = match (click, button, times as i64) {
        (click, "" | "left", 1) => click,
        (Click::Left, "" | "left", 2) => Click::Double,
        (Click::Left, "" | "left", 3) => Click::Triple,
        (Click::Left, "right", 1) => Click::Right,
        (Click::Left, "middle" | "wheel", 1) => Click::Middle,
        _ => {
            return Err(words(
                "there is no such click; use the left, right or middle button once, or the left one twice or three times",
            ));
        }
    };
    let (point, exact) = match spot::place(args)? {
        Some(place) => resolved(&place, around)?,
        None if args.get(&["element_description", "description"]).is_some() => return Err(SpotError::Missing.into()),
        None => at_pointer(around)?,
    };
    let action = match click {
        Click::Left => Action::LeftClick(point),
        Click::Right => Action::RightClick(point),
        Click::Middle => Action::MiddleClick(point),
        Click::Double => Action::DoubleLeftClick(point),
        Click::Triple => Action::TripleClick(point),
    };
    Ok(one(action, vec![exact]))
}

pub(super) fn dragged(args: &Arguments, around: &Surroundings<'_>) -> Result<Does, CallFault> {
    refuse_held(args, &HELD)?;
    refuse_held(args, &["keys"])?;
    if said(args, &["button"]).is_some_and(|button| !button.eq_ignore_ascii_case("left")) {
        return Err(words("only the left button drags"));
    }
    if let Some(path) = spot::path(args)? {
        return match path[..] {
            [from, to] => between(&from, &to, around),
            [] | [_] => Err(words("a drag needs two points")),
            _ => Err(words(
                "a drag goes in a straight line from one point to another; write one drag for each line",
            )),
        };
    }
    let end = spot::end(args)?.ok_or(SpotError::Missing)?;
    if let Some(start) = spot::start(args)? {
        return between(&start, &end, around);
    }
    let (to, exact) = resolved(&end, around)?;
    let (from, begun) = at_pointer(around)?;
    Ok(one(Action::Drag(from, to), vec![begun, exact]))
}

fn between(start: &Spot, end: &Spot, around: &Surroundings<'_>) -> Result<Does, CallFault> {
    let ((from, begun), (to, ended)) = (resolved(start, around)?, resolved(end, around)?);
    Ok(one(Action::Drag(from, to), vec![begun, ended]))
}
