//! A drag's arrow. It runs between the neighbourhoods of the drag's ends, or next to them if there is no room in
//! between.

use super::measure::{direction, moved};
use crate::draw::Line;
use crate::frame::Frame;

/// The minimum length of an arrow, as a multiple of its head's length.
const SHORTEST: f32 = 1.6;
/// Half a head's width, and the gap between an arrow and anything it avoids, relative to the head's length.
const HALF_WIDTH: f32 = 0.45;
const GAP: f32 = 0.2;

/// An arrow with an open head.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stroke {
    pub(super) from: (f32, f32),
    pub(super) tip: (f32, f32),
    along: (f32, f32),
    head: f32,
    /// Whether the arrow is next to the path of the drag.
    pub(super) is_beside: bool,
}

impl Stroke {
    /// Returns the arrow for a drag from one position to another, with a head of this length. The arrow avoids the
    /// squares that extend `reach` around both positions. Returns `None` if the positions are the same.
    pub(super) fn between(frame: &Frame, [from, to]: [(f32, f32); 2], reach: f32, head: f32) -> Option<Stroke> {
        let along = direction(from, to)?;
        let (length, gap) = ((to.0 - from.0).hypot(to.1 - from.1), GAP * head);
        // The distance from the centre of a square to its side, along the drag.
        let exit = reach / along.0.abs().max(along.1.abs()) + gap;
        let straight = Stroke {
            from: moved(from, along, exit),
            tip: moved(to, along, -exit),
            along,
            head,
            is_beside: false,
        };
        if length >= 2.0 * exit + SHORTEST * head {
            return Some(straight);
        }
        let across = reach * (along.0.abs() + along.1.abs()) + gap + HALF_WIDTH * head;
        let beside = [1.0, -1.0].map(|side| {
            let way = (along.1 * side, -along.0 * side);
            let tip = moved(moved(to, way, across), along, head / 2.0);
            Stroke {
                from: moved(tip, along, -length.max(SHORTEST * head)),
                tip,
                along,
                head,
                is_beside: true,
            }
        });
        let [first, second] = beside;
        Some(if first.is_within(frame) { first } else { second })
    }

    fn is_within(&self, frame: &Frame) -> bool {
        let (right, bottom) = (frame.width() as f32 - 1.0, frame.height() as f32 - 1.0);
        let margin = HALF_WIDTH * self.head;
        let inside =
            |(x, y): (f32, f32)| (margin..=right - margin).contains(&x) && (margin..=bottom - margin).contains(&y);
        inside(self.from) && inside(self.tip)
    }

    /// Returns the arrow's lines: the shaft and the two sides of the head.
    pub(super) fn lines(&self) -> [impl Fn(f32) -> Line; 3] {
        let foot = moved(self.tip, self.along, -self.head);
        let across = (-self.along.1, self.along.0);
        let side = |distance: f32| moved(foot, across, distance * self.head);
        let tip = self.tip;
        [self.from, side(HALF_WIDTH), side(-HALF_WIDTH)].map(|from| move |thickness| Line::new(from, tip, thickness))
    }
}
