//! Finds a calibration's figures, buttons and numbers on its page.

use franz_dialect::calibration::{Colour, Figure};

use super::lettered;
use super::thing::{Thing, things};
use crate::picture::Pixels;

/// Returns the centre of the figure with this shape and colour.
pub(super) fn find(picture: &Pixels, wanted: (Figure, Colour)) -> Option<(f64, f64)> {
    let things = things(picture);
    let found = things.iter().filter(|thing| thing.figure(picture) == Some(wanted));
    found.max_by_key(|thing| thing.size()).map(Thing::middle)
}

/// Returns the centre of the button whose label most resembles this text.
pub(super) fn find_button(picture: &Pixels, label: &str) -> Option<(f64, f64)> {
    let buttons = things(picture).into_iter().filter(Thing::is_button);
    let likeness = |button: &Thing| lettered::likeness(picture, &button.inside(), label);
    let rated = buttons.filter_map(|button| Some((likeness(&button)?, button)));
    let (_, best) = rated.max_by(|(one, _), (other, _)| one.total_cmp(other))?;
    Some(best.middle())
}

/// Reads the number on a page that shows nothing else.
pub(super) fn number(picture: &Pixels) -> Option<String> {
    let mut digits = things(picture);
    digits.retain(|digit| digit.height() > picture.height / 20);
    digits.sort_by_key(|digit| digit.left);
    let read = digits.iter().map(|digit| lettered::digit(picture, digit));
    read.collect::<Option<String>>().filter(|number| !number.is_empty())
}
