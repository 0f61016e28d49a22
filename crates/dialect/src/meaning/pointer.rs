//! The meaning of clicks and drags, and of buttons that stay down.

use franz_action::keys::Modifier;
use franz_action::{Action, Button, Path, Point};

use super::{
    ClickKind, Does, HELD, MeaningError, Surroundings, at_pointer, is_empty, one, placed, refuse_held, refuse_others,
    resolved, said, words,
};
use crate::bind::{MOST_CLICKS, MOST_POINTS, ONE_POINT};
use crate::geometry::Spot;
use crate::notation::{Arguments, same};
use crate::spot::{self, SpotError};

const TIMES: [&str; 4] = ["num_clicks", "clicks", "count", "click_count"];
const BUTTON: [&str; 4] = ["button", "button_type", "mouse_button", "click_button"];
/// The arguments that say which kind of click it is: that of FRANZ's own function, and another one.
const KIND: [&str; 2] = ["kind", "click_type"];
/// Arguments that would change a click, but are not read.
const CHANGES: [&str; 12] = [
    "double",
    "double_click",
    "is_double",
    "is_double_click",
    "triple_click",
    "right_click",
    "middle_click",
    "long_press",
    "ctrl",
    "shift",
    "alt",
    "meta",
];
/// The kind that moves the pointer without clicking.
const HOVER: &str = "hover";
/// Arguments that describe what is at a place.
const DESCRIBED: [&str; 7] = [
    "description",
    "element_description",
    "element_info",
    "element",
    "target",
    "label",
    "locate",
];
const NO_SUCH_CLICK: &str =
    "there is no such click; use the left, right or middle button, a whole number of times from 1 to 20";

/// Checks whether clicks have an argument with this name.
pub(super) fn reads(key: &str) -> bool {
    TIMES.iter().chain(&BUTTON).chain(&KIND).any(|name| same(name, key))
}

/// Checks whether an argument with this name would change a click that is not read with it.
pub(super) fn changes(key: &str) -> bool {
    CHANGES.iter().any(|name| same(name, key))
}

pub(super) fn moved(args: &Arguments, around: &Surroundings<'_>) -> Result<Does, MeaningError> {
    let place = spot::place(args)?.ok_or(SpotError::Missing)?;
    refuse_others(args, &[place])?;
    let (point, exact) = resolved(&place, around)?;
    Ok(one(Action::Move(point), vec![exact]))
}

pub(super) fn clicked(click: ClickKind, args: &Arguments, around: &Surroundings<'_>) -> Result<Does, MeaningError> {
    if args.get(&["index", "ref", "selector", "id"]).is_some() {
        return Err(words("elements have no numbers here; give the place as two numbers"));
    }
    let modifiers = modifiers(args)?;
    let times = match args.get(&TIMES) {
        Some(value) => spot::number(value).ok_or_else(|| words(NO_SUCH_CLICK))?,
        None => 1.0,
    };
    let button = said(args, &BUTTON).unwrap_or_default().to_ascii_lowercase();
    let kind = said(args, &KIND).unwrap_or_default().to_ascii_lowercase();
    let kind = kind
        .strip_suffix("click")
        .unwrap_or(&kind)
        .trim_end_matches(['_', '-', ' ']);
    let kind = if kind == "single" || kind == button { "" } else { kind };
    refuse_changes(args)?;
    if !kind.is_empty() && args.get(&BUTTON).is_some() {
        return Err(words("give the kind of click only once, as 'kind'"));
    }
    if kind == HOVER && click == ClickKind::Left {
        return moved(args, around);
    }
    let (button, usual) = match kind {
        "" => (button.as_str(), 1),
        "double" => ("left", 2),
        "triple" => ("left", 3),
        other => (other, 1),
    };
    if usual > 1 && args.get(&TIMES).is_some() {
        return Err(words("give the number of clicks only once, as 'kind' or as 'count'"));
    }
    let (own, own_count) = click.usual();
    let button = match button {
        "" => own,
        name => Button::named(name).ok_or_else(|| words(NO_SUCH_CLICK))?,
    };
    if !(1.0..=f64::from(MOST_CLICKS)).contains(&times) || times.fract() != 0.0 {
        return Err(words(NO_SUCH_CLICK));
    }
    let times = times as u32;
    // If the verb says which click it is, the arguments cannot ask for another one.
    if click != ClickKind::Left && (button != own || own_count > 1 && times != 1 && times != own_count) {
        return Err(words(NO_SUCH_CLICK));
    }
    let count = own_count.max(usual).max(times);
    let place = spot::place(args)?;
    refuse_others(args, place.as_slice())?;
    let (at, exact) = match place {
        Some(place) => resolved(&place, around)?,
        None if !around.clicks_at_pointer || args.get(&DESCRIBED).is_some() => return Err(SpotError::Missing.into()),
        None => at_pointer(around)?,
    };
    let click = franz_action::Click {
        modifiers,
        ..franz_action::Click::new(button, count, at)
    };
    Ok(one(Action::Click(click), vec![exact]))
}

/// Refuses an argument that would change the click or the drag.
fn refuse_changes(args: &Arguments) -> Result<(), MeaningError> {
    let asked = |name: &&&str| args.get(&[name]).is_some_and(|value| !is_empty(value));
    match CHANGES.iter().find(asked) {
        Some(name) => Err(words(format!(
            "'{name}' is not read here; use the call's own verb or argument for it"
        ))),
        None => Ok(()),
    }
}

/// Returns the keys to hold down during a click. Qwen3.5 and Claude give them in `text`, `OpenAI` in `keys`.
fn modifiers(args: &Arguments) -> Result<Vec<Modifier>, MeaningError> {
    let mut held = Vec::new();
    for names in [&HELD[..], &["text", "keys", "key"]] {
        let Some(value) = args.get(names).filter(|value| !is_empty(value)) else {
            continue;
        };
        let names = crate::chord::names(value).ok_or_else(|| words("the held keys could not be read"))?;
        held.push(names.join("+"));
    }
    Modifier::list(&held.join("+")).map_err(|error| words(error.to_string()))
}

pub(super) fn dragged(args: &Arguments, around: &Surroundings<'_>) -> Result<Does, MeaningError> {
    refuse_held(args, &HELD)?;
    for names in ["keys", "key", "text"] {
        refuse_held(args, &[names])?;
    }
    refuse_changes(args)?;
    if said(args, &BUTTON).is_some_and(|button| !button.eq_ignore_ascii_case("left")) {
        return Err(words("only the left button drags"));
    }
    if let Some(path) = spot::path(args)? {
        if path.len() > MOST_POINTS {
            return Err(words(format!("a path can have at most {MOST_POINTS} points")));
        }
        refuse_others(args, &path)?;
        return along(&path, around);
    }
    let end = spot::end(args)?.ok_or(SpotError::Missing)?;
    if let Some(start) = spot::start(args)? {
        refuse_others(args, &[start, end])?;
        return along(&[start, end], around);
    }
    refuse_others(args, &[end])?;
    let (to, exact) = resolved(&end, around)?;
    let (from, begun) = at_pointer(around)?;
    Ok(one(Action::drag(from, to), vec![begun, exact]))
}

/// Reads the part of the screen between two places.
pub(super) fn zoomed(args: &Arguments, around: &Surroundings<'_>) -> Result<Does, MeaningError> {
    let end = spot::end(args)?.ok_or(SpotError::Missing)?;
    let start = spot::start(args)?.ok_or(SpotError::Missing)?;
    refuse_others(args, &[start, end])?;
    let ((from, first), (to, second)) = (resolved(&start, around)?, resolved(&end, around)?);
    Ok(one(Action::Zoom(from, to), vec![first, second]))
}

fn along(spots: &[Spot], around: &Surroundings<'_>) -> Result<Does, MeaningError> {
    let resolved = spots.iter().map(|spot| resolved(spot, around));
    let (points, exact): (Vec<Point>, Vec<[f64; 2]>) = resolved.collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
    let path = Path::along(points).ok_or_else(|| words(ONE_POINT))?;
    Ok(one(Action::Drag(path), exact))
}

/// Reads a button that goes down or up and stays that way.
pub(super) fn button(
    act: fn(Button, Option<Point>) -> Action,
    args: &Arguments,
    around: &Surroundings<'_>,
) -> Result<Does, MeaningError> {
    refuse_held(args, &HELD)?;
    let button = match said(args, &BUTTON) {
        Some(name) => Button::named(&name).ok_or_else(|| words("the button must be left, middle or right"))?,
        None => Button::Left,
    };
    let (at, exact) = placed(args, around)?.unzip();
    Ok(one(act(button, at), exact.into_iter().collect()))
}
