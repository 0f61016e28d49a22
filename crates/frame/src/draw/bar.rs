//! Filled axis-aligned rectangles.

use super::{Shape, Span};

/// A filled axis-aligned rectangle.
#[derive(Clone, Copy, Debug)]
pub struct Bar {
    min: (f32, f32),
    max: (f32, f32),
    corner: f32,
}

impl Bar {
    /// Creates a rectangle between two opposite corners.
    pub fn new(a: (f32, f32), b: (f32, f32)) -> Bar {
        Bar {
            min: (a.0.min(b.0), a.1.min(b.1)),
            max: (a.0.max(b.0), a.1.max(b.1)),
            corner: 0.0,
        }
    }

    /// Rounds the corners; the radius is at most half the shorter side.
    #[must_use]
    pub fn rounded(self, radius: f32) -> Bar {
        let most = (self.max.0 - self.min.0).min(self.max.1 - self.min.1) / 2.0;
        Bar {
            corner: radius.min(most).max(0.0),
            ..self
        }
    }
}

impl Shape for Bar {
    fn distance(&self, x: f32, y: f32) -> f32 {
        // How far the position is beyond the straight part of a side, on each axis. The value is negative inside that
        // part.
        let beyond = |at: f32, min: f32, max: f32| (min - at).max(at - max) + self.corner;
        let (x, y) = (beyond(x, self.min.0, self.max.0), beyond(y, self.min.1, self.max.1));
        let outside = (x.max(0.0).powi(2) + y.max(0.0).powi(2)).sqrt();
        outside + x.max(y).min(0.0) - self.corner
    }

    fn rows(&self) -> Span {
        Span::new(self.min.1 - 0.5, self.max.1 + 0.5)
    }

    fn columns(&self, _y: f32) -> Span {
        Span::new(self.min.0 - 0.5, self.max.0 + 0.5)
    }
}
