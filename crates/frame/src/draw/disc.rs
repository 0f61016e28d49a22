//! Filled and hollow circles.

use super::{Shape, Span};

/// A filled circle.
#[derive(Clone, Copy, Debug)]
pub struct Disc {
    center: (f32, f32),
    radius: f32,
}

impl Disc {
    /// Creates a disc around `center`.
    pub fn new(center: (f32, f32), radius: f32) -> Disc {
        Disc { center, radius }
    }
}

impl Shape for Disc {
    fn distance(&self, x: f32, y: f32) -> f32 {
        length(x - self.center.0, y - self.center.1) - self.radius
    }

    fn rows(&self) -> Span {
        Span::around(self.center.1, self.radius + 0.5)
    }

    fn columns(&self, y: f32) -> Span {
        chord(self.center, self.radius + 0.5, y)
    }
}

/// A hollow circle.
#[derive(Clone, Copy, Debug)]
pub struct Ring {
    center: (f32, f32),
    radius: f32,
    half: f32,
}

impl Ring {
    /// Creates a ring around `center`, drawn with a line `thickness` wide along a circle of this `radius`.
    pub fn new(center: (f32, f32), radius: f32, thickness: f32) -> Ring {
        Ring {
            center,
            radius,
            half: thickness / 2.0,
        }
    }
}

impl Shape for Ring {
    fn distance(&self, x: f32, y: f32) -> f32 {
        (length(x - self.center.0, y - self.center.1) - self.radius).abs() - self.half
    }

    fn rows(&self) -> Span {
        Span::around(self.center.1, self.radius + self.half + 0.5)
    }

    fn columns(&self, y: f32) -> Span {
        chord(self.center, self.radius + self.half + 0.5, y)
    }

    fn gap(&self, y: f32) -> Span {
        chord(self.center, self.radius - self.half - 0.5, y)
    }
}

/// Returns the columns in which a row crosses a circle.
fn chord(center: (f32, f32), radius: f32, y: f32) -> Span {
    let rise = y - center.1;
    let square = radius * radius - rise * rise;
    if radius > 0.0 && square >= 0.0 {
        Span::around(center.0, square.sqrt())
    } else {
        Span::EMPTY
    }
}

fn length(x: f32, y: f32) -> f32 {
    (x * x + y * y).sqrt()
}
