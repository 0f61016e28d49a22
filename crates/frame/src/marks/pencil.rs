//! Draws thin lines that are visible on any background, because each has a rim of a different brightness.

use crate::color::Paint;
use crate::draw::{Shape, Span, fill};
use crate::frame::Frame;

/// The style of lines; lengths are in pixels.
pub(super) struct Pencil {
    pub(super) thickness: f32,
    /// The width that the rim adds on each side.
    pub(super) rim: f32,
    pub(super) paint: Paint,
    pub(super) rim_paint: Paint,
}

impl Pencil {
    /// Draws shapes of any thickness. The rim leaves out the area under the line, because the background might have to
    /// show through there.
    pub(super) fn draw<S: Shape>(&self, frame: &mut Frame, shapes: &[impl Fn(f32) -> S]) {
        for shape in shapes {
            let rim = Rim {
                outer: shape(self.thickness + 2.0 * self.rim),
                inner: shape(self.thickness),
            };
            fill(frame, &rim, self.rim_paint);
        }
        for shape in shapes {
            fill(frame, &shape(self.thickness), self.paint);
        }
    }
}

/// The part of a thick shape that remains when a thin one is removed.
struct Rim<S> {
    outer: S,
    inner: S,
}

impl<S: Shape> Shape for Rim<S> {
    fn distance(&self, x: f32, y: f32) -> f32 {
        self.outer.distance(x, y).max(-self.inner.distance(x, y))
    }

    fn rows(&self) -> Span {
        self.outer.rows()
    }

    fn columns(&self, y: f32) -> Span {
        self.outer.columns(y)
    }

    fn gap(&self, y: f32) -> Span {
        self.outer.gap(y)
    }
}
