//! The classic style: every action of the turn, numbered in order.

mod step;

use step::Step;

use super::Scene;
use super::measure::{RED, growth};
use crate::draw::{Line, fill};
use crate::frame::Frame;
use crate::text::Lettering;

/// Thickness in pixels at 512 x 288.
const TRAIL: f32 = 0.8;
const FAINT: f32 = 0.4;

/// Marks all actions that have a place, and joins them by a faint trail.
pub(super) fn draw(frame: &mut Frame, lettering: &mut Lettering, scene: &Scene<'_>) {
    let steps = Step::all(frame, lettering, scene);
    let scale = growth(frame);
    for pair in steps.windows(2) {
        let trail = Line::new(pair[0].end(), pair[1].start(), TRAIL * scale);
        fill(frame, &trail, RED.opacity(FAINT));
    }
    // Numbers come last, so that no arrow crosses one.
    for step in &steps {
        step.draw_path(frame, scale);
    }
    for (index, step) in steps.iter().enumerate() {
        step.draw_number(frame, lettering, index + 1, scale);
    }
}
