//! The timestamp style: a badge, bottom centre.

use super::label::{self, Area};
use super::measure::growth;
use crate::color::Color;
use crate::frame::Frame;
use crate::text::Lettering;

/// Draws the badge and tells where it is.
pub(super) fn draw(frame: &mut Frame, lettering: &mut Lettering, time: &str) -> Area {
    let (width, height) = label::size(frame, lettering, time);
    let margin = (3.0 * growth(frame)).round();
    let area = Area {
        left: ((frame.width() as f32 - width) / 2.0).round(),
        top: frame.height() as f32 - height - margin,
        width,
        height,
    };
    let area = area.moved_within(frame);
    label::draw(frame, lettering, (time, Color::rgb(255, 210, 210)), area, 1.0);
    area
}
