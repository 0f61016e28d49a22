//! The timestamp style: a badge at the bottom centre.

use super::area::Area;
use super::label::Label;
use super::measure::growth;
use super::palette::TIME;
use crate::frame::Frame;
use crate::text::Lettering;

const OPACITY: f32 = 0.85;

/// The time and its position.
pub(super) struct Badge {
    label: Label,
    pub(super) area: Area,
}

impl Badge {
    /// Creates the badge that displays this time.
    pub(super) fn of(frame: &Frame, lettering: &mut Lettering, time: &str) -> Badge {
        let label = Label::new(frame, lettering, time.to_owned());
        let (width, height) = (label.width, label.height);
        let margin = (3.0 * growth(frame)).round();
        let area = Area {
            left: ((frame.width() as f32 - width) / 2.0).round(),
            top: frame.height() as f32 - height - margin,
            width,
            height,
        };
        Badge {
            label,
            area: area.moved_within(frame),
        }
    }

    pub(super) fn draw(&self, frame: &mut Frame, lettering: &mut Lettering) {
        self.label.draw(frame, lettering, self.area, TIME, OPACITY);
    }
}
