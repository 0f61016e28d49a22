//! Draws the timestamp style: a badge at the bottom centre, or elsewhere if a target is there.

use super::area::MarkArea;
use super::label::Label;
use super::measure::growth;
use super::palette::TIME;
use crate::frame::Frame;
use crate::text::Lettering;

const OPACITY: f32 = 0.85;

/// The time and its position.
pub(super) struct Badge {
    label: Label,
    pub(super) area: MarkArea,
}

impl Badge {
    /// Creates the badge that displays this time. The badge is at the bottom if there is room, otherwise at the top,
    /// and centred unless that position is `taken`.
    pub(super) fn of(frame: &Frame, lettering: &mut Lettering, time: &str, taken: &[MarkArea]) -> Badge {
        let label = Label::new(frame, lettering, time.to_owned());
        let (width, height) = (label.width, label.height);
        let margin = (3.0 * growth(frame)).round();
        let (right, bottom) = (
            frame.width() as f32 - width - margin,
            frame.height() as f32 - height - margin,
        );
        let middle = ((frame.width() as f32 - width) / 2.0).round();
        let places = [bottom, margin]
            .into_iter()
            .flat_map(|top| [middle, margin, right].map(|left| (left, top)));
        let area = |(left, top): (f32, f32)| {
            let area = MarkArea {
                left,
                top,
                width,
                height,
            };
            area.moved_within(frame)
        };
        let free = |area: &MarkArea| !taken.iter().any(|other| area.overlaps(other));
        let area = places.map(area).find(free).unwrap_or_else(|| area((middle, bottom)));
        Badge { label, area }
    }

    pub(super) fn draw(&self, frame: &mut Frame, lettering: &mut Lettering) {
        self.label.draw(frame, lettering, self.area, TIME, OPACITY);
    }
}
