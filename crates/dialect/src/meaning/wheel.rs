//! The meaning of scrolls, in all units that dialects use.

use franz_action::{Action, Point};

use super::{
    Does, HELD, MeaningError, Surroundings, Wheel, one, placed, refuse_held, refuse_others, resolved, said, words,
};
use crate::bind::MOST_NOTCHES;
use crate::geometry::Spot;
use crate::manner::{ScrollUnit, Swipe};
use crate::notation::{Arguments, same};
use crate::spot;

const DIRECTION: [&str; 4] = ["direction", "scroll_direction", "dir", "value"];
const AMOUNT: [&str; 11] = [
    "amount",
    "scroll_amount",
    "clicks",
    "steps",
    "step",
    "step_count",
    "times",
    "wheel_times",
    "scroll_count",
    "scroll_size",
    "pixels",
];

/// The arguments that give an amount in Gemini's scrolls.
const MAGNITUDES: [&str; 2] = ["magnitude_in_pixels", "magnitude_in_wheel_clicks"];
/// Arguments that give an amount in units which cannot be converted to notches, or which are not known.
const OTHER_UNITS: [&str; 8] = [
    "magnitude",
    "distance",
    "scroll_distance",
    "delta",
    "lines",
    "pages",
    "num_pages",
    "percentage",
];
const PIXELS: [&str; 4] = ["scroll_x", "scroll_y", "delta_x", "delta_y"];

/// Checks whether scrolls have an argument with this name.
pub(super) fn reads(key: &str) -> bool {
    let all = [&DIRECTION[..], &AMOUNT, &PIXELS, &["dy", "dx", "magnitude"]].concat();
    all.iter().any(|name| same(name, key))
}

pub(super) fn scrolled(wheel: Wheel, args: &Arguments, around: &Surroundings<'_>) -> Result<Does, MeaningError> {
    refuse_held(args, &HELD)?;
    refuse_held(args, &["text", "keys", "shift"])?;
    let place = spot::scrolled(args)?;
    // Some models also write where a finger would lift. The direction and the amount say how far to scroll.
    let read: Vec<Spot> = place.into_iter().chain(spot::lifted(args)).collect();
    refuse_others(args, &read)?;
    let place = place.map(|place| resolved(&place, around)).transpose()?;
    let unread: &[&str] = match wheel {
        Wheel::Grid(_) => &AMOUNT,
        _ => &MAGNITUDES,
    };
    refuse_amounts(args, unread)?;
    let (down, right) = turned(wheel, args, around.manner.scroll)?;
    wheeled((down, right), place)
}

/// Reads a swipe, which is a drag between two places or a scroll in a direction.
pub(super) fn swiped(args: &Arguments, around: &Surroundings<'_>) -> Result<Does, MeaningError> {
    if args.get(&DIRECTION).is_none() {
        return super::pointer::dragged(args, around);
    }
    if spot::has_end(args) {
        return Err(words("a swipe has two places or a direction, not both"));
    }
    let place = placed(args, around)?;
    refuse_amounts(args, &AMOUNT)?;
    let (down, right) = toward(said(args, &DIRECTION), f64::from(Wheel::USUAL))?;
    match around.manner.swipe {
        Swipe::Content => wheeled((down, right), place),
        Swipe::Finger => wheeled((-down, -right), place),
    }
}

/// Refuses a call with an amount that it does not read: one with these names, or one in other units.
fn refuse_amounts(args: &Arguments, unread: &[&str]) -> Result<(), MeaningError> {
    let is_unread = |key: &str| OTHER_UNITS.iter().chain(unread).any(|name| same(name, key));
    match args
        .named
        .iter()
        .find(|(key, value)| !value.is_null() && is_unread(key))
    {
        Some((key, _)) => Err(words(format!(
            "the scroll amount in '{key}' has no meaning here; leave it out, or use the name from the instructions"
        ))),
        None => Ok(()),
    }
}

/// Turns the wheel this many notches down and to the right.
fn wheeled((down, right): (f64, f64), place: Option<(Point, [f64; 2])>) -> Result<Does, MeaningError> {
    if !(down.abs() <= MOST_NOTCHES && right.abs() <= MOST_NOTCHES) {
        return Err(words("the wheel can turn at most 100 notches at a time"));
    }
    let (dy, dx) = (down.round() as i32, right.round() as i32);
    if (dy, dx) == (0, 0) {
        return Err(words("the scroll amount is missing or too small"));
    }
    let at = place.map(|(point, _)| point);
    Ok(one(
        Action::Scroll { dy, dx, at },
        place.map(|(_, exact)| exact).into_iter().collect(),
    ))
}

/// Returns the notches down and to the right.
fn turned(wheel: Wheel, args: &Arguments, unit: ScrollUnit) -> Result<(f64, f64), MeaningError> {
    let amount = match args.get(&AMOUNT) {
        Some(value) => Some(spot::number(value).ok_or_else(|| words("the scroll amount is not a number"))?),
        None => None,
    };
    let directed = |amount: f64| toward(said(args, &DIRECTION), amount);
    let notches = |amount: f64| match unit {
        ScrollUnit::Notches => amount,
        ScrollUnit::Pixels => of_pixels(amount),
    };
    // Amounts of a hundred or more are in pixels.
    let mixed = |amount: f64| match unit {
        ScrollUnit::Notches if amount.abs() >= 100.0 => amount / 100.0,
        _ => notches(amount),
    };
    match wheel {
        Wheel::Notches(default) => match amount {
            Some(amount) => directed(notches(amount)),
            None => directed(f64::from(default)),
        },
        Wheel::Up | Wheel::Right if args.get(&DIRECTION).is_some() => directed(mixed(amount.ok_or_else(missing)?)),
        Wheel::Up => Ok((-mixed(amount.ok_or_else(missing)?), 0.0)),
        Wheel::Right => Ok((0.0, mixed(amount.ok_or_else(missing)?))),
        Wheel::UpNotches => Ok((-notches(amount.ok_or_else(missing)?), 0.0)),
        Wheel::RightNotches => Ok((0.0, notches(amount.ok_or_else(missing)?))),
        Wheel::Pixels => {
            let (x, y) = (
                axis(args, &["scroll_x", "delta_x"])?,
                axis(args, &["scroll_y", "delta_y"])?,
            );
            Ok((of_pixels(y), of_pixels(x)))
        }
        Wheel::Toward(direction, default) => {
            let amount = amount.map_or(f64::from(default), mixed);
            toward(Some(direction.to_owned()), amount)
        }
        Wheel::Down if args.get(&DIRECTION).is_some() => turned(Wheel::Notches(Wheel::USUAL), args, unit),
        Wheel::Down if args.get(&PIXELS).is_some() => turned(Wheel::Pixels, args, unit),
        Wheel::Down => Ok((axis(args, &["dy"])?, axis(args, &["dx"])?)),
        Wheel::Grid(_) if args.get(&DIRECTION).is_none() && args.get(&["dy", "dx"]).is_some() => {
            turned(Wheel::Down, args, unit)
        }
        Wheel::Grid(usual) => {
            let [pixels, clicks] = MAGNITUDES.map(|name| args.get(&[name]));
            let number = |value| spot::number(value).ok_or_else(|| words("the scroll amount is not a number"));
            match (pixels, clicks) {
                (Some(_), Some(_)) => Err(words("give the scroll amount only once")),
                (Some(pixels), None) => directed(of_pixels(number(pixels)?)),
                (None, Some(clicks)) => directed(number(clicks)?),
                (None, None) => directed(f64::from(usual)),
            }
        }
    }
}

/// Returns the notches for this many pixels. Less than half a notch still counts as one.
fn of_pixels(pixels: f64) -> f64 {
    if pixels == 0.0 {
        return 0.0;
    }
    pixels.signum() * (pixels.abs() / 100.0).max(1.0)
}

/// Returns the notches down and to the right for an amount in a direction.
fn toward(direction: Option<String>, amount: f64) -> Result<(f64, f64), MeaningError> {
    if amount < 0.0 {
        return Err(words(
            "the scroll amount must be positive; the direction says which way",
        ));
    }
    match direction.map(|word| word.trim().to_ascii_lowercase()).as_deref() {
        Some("down") => Ok((amount, 0.0)),
        Some("up") => Ok((-amount, 0.0)),
        Some("right") => Ok((0.0, amount)),
        Some("left") => Ok((0.0, -amount)),
        Some(_) => Err(words("the scroll direction must be up, down, left or right")),
        None => Err(words("the scroll direction is missing")),
    }
}

/// Returns the amount along one axis, or 0 if the call does not give one.
fn axis(args: &Arguments, names: &[&str]) -> Result<f64, MeaningError> {
    match args.get(names) {
        Some(value) => spot::number(value).ok_or_else(missing),
        None => Ok(0.0),
    }
}

fn missing() -> MeaningError {
    words("the scroll amount is missing")
}
