//! Draws the crosshair style: only the last action.

use franz_action::{Action, Button};

use super::measure::place;
use super::neighbourhood;
use super::palette::{CLICK, DRAG, DRAG_ENDS, RIGHT_CLICK, opposite};
use super::pencil::Pencil;
use super::stroke::Stroke;
use crate::color::Color;
use crate::draw::{Line, Ring};
use crate::frame::Frame;

/// Lengths in pixels at a picture height of 864; they scale with the height.
const HEIGHT: f32 = 864.0;
const ARM: f32 = 14.0;
const THICKNESS: f32 = 2.0;
const RING_RADIUS: f32 = 30.0;
const ARROW_HEAD: f32 = 20.0;

/// The thinnest lines, and the shortest arms and heads, that are easy to see, in pixels.
const THINNEST: f32 = 1.5;
const SHORTEST: f32 = 7.0;

/// Lines of opposite brightness on both sides separate marks from a background of the same colour.
const HALO: f32 = 1.0;
const SHADE: f32 = 0.5;

/// Marks the last action, if it presses a button somewhere.
pub(super) fn draw(frame: &mut Frame, actions: &[Action]) {
    match actions.last() {
        Some(Action::Drag(path)) => {
            let places: Vec<_> = path.points().iter().map(|at| place(frame, *at)).collect();
            if let [before @ .., from, to] = &places[..] {
                let size = Size::of(frame);
                for (from, to) in before.iter().zip(places.iter().skip(1)) {
                    size.shaft(frame, *from, *to);
                }
                size.arrow(frame, [*from, *to]);
            }
        }
        Some(Action::Move(_) | Action::Scroll { .. }) | None => {}
        Some(action) => {
            let is_right = matches!(action, Action::Click(click) if click.button == Button::Right);
            if let Some(at) = action.pointer() {
                let center = place(frame, at);
                Size::of(frame).cross(frame, center, if is_right { RIGHT_CLICK } else { CLICK });
            }
        }
    }
}

/// The lengths for a picture, in pixels.
struct Size {
    scale: f32,
    thickness: f32,
    /// Half a neighbourhood's side, and the radius of the smallest circle around a neighbourhood.
    reach: f32,
    around: f32,
}

impl Size {
    fn of(frame: &Frame) -> Size {
        let scale = frame.height() as f32 / HEIGHT;
        let thickness = (THICKNESS * scale).max(THINNEST);
        let reach = neighbourhood::reach(frame) + 1.0;
        Size {
            scale,
            thickness,
            reach,
            around: reach * std::f32::consts::SQRT_2 + thickness / 2.0 + HALO,
        }
    }

    /// Draws a ring with an arm on each side, leaving out the centre.
    fn cross(&self, frame: &mut Frame, (x, y): (f32, f32), [arms, ring]: [Color; 2]) {
        // On the border between two rows of pixels, a thin arm would become broad and pale.
        let (x, y) = (x.round(), y.round());
        let radius = (RING_RADIUS * self.scale).max(self.around);
        let (near, far) = (
            self.reach + self.thickness / 2.0 + HALO,
            radius + (ARM * self.scale).max(SHORTEST),
        );
        let line = |(dx, dy): (f32, f32)| {
            move |thickness| Line::new((x + dx * near, y + dy * near), (x + dx * far, y + dy * far), thickness)
        };
        let lines = [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)].map(line);
        self.pencil(ring)
            .draw(frame, &[|thickness| Ring::new((x, y), radius, thickness)]);
        self.pencil(arms).draw(frame, &lines);
    }

    /// Draws a segment of a path other than the last one.
    fn shaft(&self, frame: &mut Frame, from: (f32, f32), to: (f32, f32)) {
        self.pencil(DRAG)
            .draw(frame, &[|thickness| Line::new(from, to, thickness)]);
    }

    fn arrow(&self, frame: &mut Frame, ends: [(f32, f32); 2]) {
        let head = (ARROW_HEAD * self.scale).max(SHORTEST);
        if let Some(stroke) = Stroke::between(frame, ends, self.around + self.thickness, head) {
            self.pencil(DRAG).draw(frame, &stroke.lines());
        }
        for (end, color) in ends.into_iter().zip(DRAG_ENDS) {
            self.pencil(color)
                .draw(frame, &[|thickness| Ring::new(end, self.around, thickness)]);
        }
    }

    fn pencil(&self, color: Color) -> Pencil {
        Pencil {
            thickness: self.thickness,
            rim: HALO,
            paint: color.into(),
            rim_paint: opposite(color).opacity(SHADE),
        }
    }
}
