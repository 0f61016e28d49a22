//! Thick lines with round caps.

use super::{Shape, Span};

/// A straight line with round caps.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    from: (f32, f32),
    to: (f32, f32),
    half: f32,
}

impl Line {
    /// Creates a line from `from` to `to` that is `thickness` wide.
    pub fn new(from: (f32, f32), to: (f32, f32), thickness: f32) -> Line {
        Line {
            from,
            to,
            half: thickness / 2.0,
        }
    }
}

impl Shape for Line {
    fn distance(&self, x: f32, y: f32) -> f32 {
        distance_to_segment(self.from, self.to, (x, y)) - self.half
    }

    fn rows(&self) -> Span {
        let reach = self.half + 0.5;
        Span::around(self.from.1, reach).joined(Span::around(self.to.1, reach))
    }

    fn columns(&self, y: f32) -> Span {
        columns_near_segment(self.from, self.to, self.half + 0.5, y)
    }
}

/// Returns the distance from a point to a segment.
pub(super) fn distance_to_segment(from: (f32, f32), to: (f32, f32), at: (f32, f32)) -> f32 {
    let along = (to.0 - from.0, to.1 - from.1);
    let offset = (at.0 - from.0, at.1 - from.1);
    let square = along.0 * along.0 + along.1 * along.1;
    let part = if square > 0.0 {
        ((offset.0 * along.0 + offset.1 * along.1) / square).clamp(0.0, 1.0)
    } else {
        0.0
    };
    let (x, y) = (offset.0 - along.0 * part, offset.1 - along.1 * part);
    (x * x + y * y).sqrt()
}

/// Returns the columns of row `y` that might be within `reach` of a segment, rounded outwards.
pub(super) fn columns_near_segment(from: (f32, f32), to: (f32, f32), reach: f32, y: f32) -> Span {
    // Only the part of the segment in nearby rows can be within reach.
    let rise = to.1 - from.1;
    let (first, last) = if rise != 0.0 {
        let (a, b) = ((y - reach - from.1) / rise, (y + reach - from.1) / rise);
        (a.min(b).max(0.0), a.max(b).min(1.0))
    } else if (y - from.1).abs() <= reach {
        (0.0, 1.0)
    } else {
        return Span::EMPTY;
    };
    if first > last || reach < 0.0 {
        return Span::EMPTY;
    }
    let x = |part: f32| from.0 + (to.0 - from.0) * part;
    // Extend the reach slightly, so that rounding errors do not lose a pixel.
    let reach = reach + 0.01;
    Span::around(x(first), reach).joined(Span::around(x(last), reach))
}
