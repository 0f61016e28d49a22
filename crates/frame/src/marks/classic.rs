//! Draws the classic style: every action of the turn, numbered in order.

mod number;
mod step;

use number::Number;
use step::Step;

use super::MarkData;
use super::area::MarkArea;
use super::measure::growth;
use super::palette::RED;
use crate::draw::{Line, fill};
use crate::frame::Frame;
use crate::text::Lettering;

/// The thickness of the trail in pixels at 512 x 288.
const TRAIL: f32 = 0.8;
const FAINT: f32 = 0.4;

/// An action and its number, which is omitted if there is no room for it.
pub(super) struct Numbered {
    step: Step,
    number: Option<Number>,
}

impl Numbered {
    /// Returns the area that the number covers.
    #[cfg(test)]
    pub(super) fn area(&self) -> Option<MarkArea> {
        self.number.as_ref().map(Number::area)
    }
}

/// Returns all actions that have a position. Their numbers lie on the picture, and overlap neither each other nor the
/// `taken` areas, to which they are added.
pub(super) fn numbered(
    frame: &Frame,
    lettering: &mut Lettering,
    scene: &MarkData<'_>,
    taken: &mut Vec<MarkArea>,
) -> Vec<Numbered> {
    let steps = Step::all(frame, lettering, scene.actions);
    let placed = steps.into_iter().enumerate().map(|(index, step)| {
        let number = Number::of(frame, lettering, &step, index + 1, taken);
        taken.extend(number.as_ref().map(Number::area));
        Numbered { step, number }
    });
    placed.collect()
}

/// Marks the actions and joins them with a faint trail.
pub(super) fn draw(frame: &mut Frame, lettering: &mut Lettering, numbered: &[Numbered]) {
    let scale = growth(frame);
    for (before, after) in numbered.iter().zip(numbered.iter().skip(1)) {
        let trail = Line::new(before.step.end(), after.step.start(), TRAIL * scale);
        fill(frame, &trail, RED.opacity(FAINT));
    }
    for Numbered { step, number } in numbered {
        step.draw(frame, number.as_ref().map(Number::center), scale);
    }
    // Draw the numbers last, so that no arrow crosses one.
    for number in numbered.iter().filter_map(|numbered| numbered.number.as_ref()) {
        number.draw(frame, lettering);
    }
}
