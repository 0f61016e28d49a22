//! Draws short text on a dark plate.

use super::area::MarkArea;
use super::measure::growth;
use super::palette::PLATE;
use crate::color::Color;
use crate::draw::{Bar, fill};
use crate::frame::Frame;
use crate::text::Lettering;

/// The line height at 512 x 288, in pixels.
const SIZE: f32 = 12.0;

/// Text, its size, and the space that it takes up in whole pixels.
#[derive(Clone, Debug)]
pub(super) struct Label {
    text: String,
    size: f32,
    pub(super) width: f32,
    pub(super) height: f32,
}

impl Label {
    /// Creates a label of the usual size, made smaller if the picture requires it.
    pub(super) fn new(frame: &Frame, lettering: &mut Lettering, text: String) -> Label {
        let usual = SIZE * growth(frame);
        Label::of_size(frame, lettering, text, usual)
    }

    /// Creates a label of this size, made smaller if the picture requires it.
    pub(super) fn of_size(frame: &Frame, lettering: &mut Lettering, text: String, usual: f32) -> Label {
        let (most_width, most_height) = (frame.width() as f32, frame.height() as f32);
        let (width, height) = room(lettering, &text, usual);
        let size = usual * (most_width / width).min(most_height / height).min(1.0);
        let (width, height) = room(lettering, &text, size);
        Label {
            text,
            size,
            // Rounding up might make the label a pixel too large.
            width: width.min(most_width),
            height: height.min(most_height),
        }
    }

    /// Draws the label into an area of the label's width and height, on a plate of this opacity.
    pub(super) fn draw(
        &self,
        frame: &mut Frame,
        lettering: &mut Lettering,
        area: MarkArea,
        color: Color,
        opacity: f32,
    ) {
        if self.text.is_empty() {
            return;
        }
        let (left, top) = (area.left - 0.5, area.top - 0.5);
        let plate = Bar::new((left, top), (left + area.width, top + area.height)).rounded(self.size * 0.2);
        fill(frame, &plate, PLATE.opacity(opacity));
        let at = (area.left + self.size * 0.25, area.top + self.size * 0.05);
        // Labels are numbers and times, which the bundled font covers.
        let _ = lettering.draw_text(frame, &self.text, at, self.size, color);
    }
}

fn room(lettering: &mut Lettering, text: &str, size: f32) -> (f32, f32) {
    let (width, height) = lettering.measure(text, size);
    ((width + size * 0.5).ceil(), (height + size * 0.1).ceil())
}
