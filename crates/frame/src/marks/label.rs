//! A short text on a dark plate.

use super::measure::growth;
use crate::color::Color;
use crate::draw::{Bar, fill};
use crate::frame::Frame;
use crate::text::Lettering;

/// Height of a line at 512 x 288, in pixels.
const SIZE: f32 = 12.0;
const PLATE: Color = Color::rgb(20, 20, 24);

/// An upright rectangle in pixels, from the top left corner of one pixel to the bottom right corner of another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Area {
    pub(super) left: f32,
    pub(super) top: f32,
    pub(super) width: f32,
    pub(super) height: f32,
}

impl Area {
    /// Whether both share a pixel.
    pub(super) fn overlaps(&self, other: &Area) -> bool {
        self.left < other.left + other.width
            && other.left < self.left + self.width
            && self.top < other.top + other.height
            && other.top < self.top + self.height
    }

    /// Moved by as little as puts it on the frame; a larger one starts at the top left.
    #[must_use]
    pub(super) fn moved_within(self, frame: &Frame) -> Area {
        let right = frame.width() as f32 - self.width;
        let bottom = frame.height() as f32 - self.height;
        Area {
            left: self.left.min(right).max(0.0),
            top: self.top.min(bottom).max(0.0),
            ..self
        }
    }
}

/// How much room a label takes, in whole pixels.
pub(super) fn size(frame: &Frame, lettering: &mut Lettering, text: &str) -> (f32, f32) {
    let size = SIZE * growth(frame);
    let (width, height) = lettering.measure(text, size);
    ((width + size * 0.5).ceil(), (height + size * 0.1).ceil())
}

/// Draws a label into the area that [`size`] gave; `opacity` is that of the whole.
pub(super) fn draw(
    frame: &mut Frame,
    lettering: &mut Lettering,
    (text, color): (&str, Color),
    area: Area,
    opacity: f32,
) {
    let size = SIZE * growth(frame);
    let (left, top) = (area.left - 0.5, area.top - 0.5);
    let plate = Bar::new((left, top), (left + area.width, top + area.height)).rounded(size * 0.2);
    fill(frame, &plate, PLATE.opacity(0.75 * opacity));
    let at = (area.left + size * 0.25, area.top + size * 0.05);
    // Labels are numbers and times, which the bundled font has.
    let _ = lettering.draw_text(frame, text, at, size, color.opacity(opacity));
}
