//! The crosshair style: the last action only.

use franz_action::{Action, Button};

use super::measure::{direction, moved, place};
use super::palette::{CLICK, DRAG, DRAG_ENDS, RIGHT_CLICK, opposite};
use crate::color::Color;
use crate::draw::{Disc, Line, Polygon, Ring, fill};
use crate::frame::Frame;

/// Lengths in pixels at a picture height of 864; they scale with the height.
const HEIGHT: f32 = 864.0;
const ARM: f32 = 25.0;
const ARM_THICKNESS: f32 = 3.0;
const RING_RADIUS: f32 = 40.0;
const ARROW_THICKNESS: f32 = 4.0;
const ARROW_HEAD: f32 = 40.0;
const END_RADIUS: f32 = 15.0;

/// Thinner lines than this, in pixels, fade away, and rings scaled below this part of their size close.
const THINNEST: f32 = 1.5;
const SMALLEST: f32 = 0.15;

/// A line of opposite brightness on both sides separates marks from a background of their own colour.
const HALO: f32 = 1.5;
const THINNEST_HALO: f32 = 0.8;
const SHADE: f32 = 0.5;

/// Marks the last action, if it presses a button somewhere.
pub(super) fn draw(frame: &mut Frame, actions: &[Action]) {
    let scale = (frame.height() as f32 / HEIGHT).max(SMALLEST);
    match actions.last() {
        Some(Action::Drag(path)) => {
            let places: Vec<_> = path.points().iter().map(|at| place(frame, *at)).collect();
            if let [before @ .., from, to] = &places[..] {
                for (from, to) in before.iter().zip(places.iter().skip(1)) {
                    shaft(frame, (*from, *to), scale);
                }
                arrow(frame, *from, *to, scale);
            }
        }
        Some(Action::Move(_) | Action::Scroll { .. }) | None => {}
        Some(action) => {
            let is_right = matches!(action, Action::Click(click) if click.button == Button::Right);
            if let Some(at) = action.pointer() {
                let center = place(frame, at);
                cross(frame, center, scale, if is_right { RIGHT_CLICK } else { CLICK });
            }
        }
    }
}

fn cross(frame: &mut Frame, (x, y): (f32, f32), scale: f32, [arms, ring]: [Color; 2]) {
    let thickness = (ARM_THICKNESS * scale).max(THINNEST);
    let arm = ARM * scale;
    // Between two rows of pixels, a thin arm would become a broad pale one.
    let (x, y) = (x.round(), y.round());
    let lines = |thickness| {
        [
            Line::new((x - arm, y), (x + arm, y), thickness),
            Line::new((x, y - arm), (x, y + arm), thickness),
        ]
    };
    let circle = |thickness| Ring::new((x, y), RING_RADIUS * scale, thickness);
    for line in lines(thickness + 2.0 * halo(scale)) {
        fill(frame, &line, opposite(arms).opacity(SHADE));
    }
    fill(
        frame,
        &circle(thickness + 2.0 * halo(scale)),
        opposite(ring).opacity(SHADE),
    );
    for line in lines(thickness) {
        fill(frame, &line, arms);
    }
    fill(frame, &circle(thickness), ring);
}

fn shaft(frame: &mut Frame, (from, to): ((f32, f32), (f32, f32)), scale: f32) {
    let thickness = (ARROW_THICKNESS * scale).max(THINNEST);
    let line = |thickness| Line::new(from, to, thickness);
    fill(
        frame,
        &line(thickness + 2.0 * halo(scale)),
        opposite(DRAG).opacity(SHADE),
    );
    fill(frame, &line(thickness), DRAG);
}

fn arrow(frame: &mut Frame, from: (f32, f32), to: (f32, f32), scale: f32) {
    let radius = END_RADIUS * scale;
    shaft(frame, (from, to), scale);
    for (end, color) in [from, to].into_iter().zip(DRAG_ENDS) {
        fill(
            frame,
            &Disc::new(end, radius + halo(scale)),
            opposite(color).opacity(SHADE),
        );
        fill(frame, &Disc::new(end, radius), color);
    }
    if let Some(along) = direction(from, to) {
        // The head ends where the end's disc begins, so that both are visible.
        let tip = moved(to, along, -radius);
        let foot = moved(tip, along, -ARROW_HEAD * scale * 0.7);
        let across = (-along.1, along.0);
        let side = |distance| moved(foot, across, distance * ARROW_HEAD * scale * 0.35);
        fill(frame, &Polygon::new([tip, side(1.0), side(-1.0)]), DRAG);
    }
}

fn halo(scale: f32) -> f32 {
    (HALO * scale).max(THINNEST_HALO)
}
