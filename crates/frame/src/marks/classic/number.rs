//! Draws an action's number: digits on a small plate next to the action's position.

use super::step::Step;
use crate::draw::{Bar, fill};
use crate::frame::Frame;
use crate::marks::area::MarkArea;
use crate::marks::measure::growth;
use crate::marks::palette::{DIGITS, PLATE};
use crate::text::Lettering;

/// The line height in pixels at 512 x 288; the height of the digits is relative to it.
const SIZE: f32 = 14.0;
const HEIGHT: f32 = 0.64;
/// The top of the digits, relative to the line height.
const TOP: f32 = 0.17;
/// The plate's margin around the digits, in pixels, and its opacity.
const MARGIN: f32 = 1.0;
const SHADE: f32 = 0.8;

/// A number and its position.
pub(super) struct Number {
    text: String,
    size: f32,
    area: MarkArea,
}

impl Number {
    /// Returns the first position for the number of `step` that lies on the picture and is not `taken`, or `None` if
    /// there is none.
    pub(super) fn of(
        frame: &Frame,
        lettering: &mut Lettering,
        step: &Step,
        number: usize,
        taken: &[MarkArea],
    ) -> Option<Number> {
        let (text, size) = (number.to_string(), SIZE * growth(frame));
        let (width, _) = lettering.measure(&text, size);
        let (width, height) = (width.ceil() + 2.0 * MARGIN, (size * HEIGHT).ceil() + 2.0 * MARGIN);
        let area = |(x, y): (f32, f32)| MarkArea {
            left: (x + 0.5 - width / 2.0).round(),
            top: (y + 0.5 - height / 2.0).round(),
            width,
            height,
        };
        let free = |area: &MarkArea| area.is_within(frame) && !taken.iter().any(|other| area.overlaps(other));
        let area = step.numbers(frame, (width, height)).into_iter().map(area).find(free)?;
        Some(Number { text, size, area })
    }

    pub(super) fn center(&self) -> (f32, f32) {
        self.area.middle()
    }

    /// Returns the area that contains the plate and the digits.
    pub(super) fn area(&self) -> MarkArea {
        self.area
    }

    pub(super) fn draw(&self, frame: &mut Frame, lettering: &mut Lettering) {
        let (left, top) = (self.area.left + MARGIN, self.area.top + MARGIN - self.size * TOP);
        let (right, bottom) = (self.area.left + self.area.width, self.area.top + self.area.height);
        let plate = Bar::new((self.area.left - 0.5, self.area.top - 0.5), (right - 0.5, bottom - 0.5));
        fill(frame, &plate.rounded(2.0 * MARGIN), PLATE.opacity(SHADE));
        // The bundled font contains all digits.
        let _ = lettering.draw_text(frame, &self.text, (left, top), self.size, DIGITS);
    }
}
