//! Normalised coordinates: 0..=1000 on both axes, (0,0) top left, independent of any screen's size.

use std::fmt;

/// One coordinate, a whole number in `0..=1000`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Norm(u16);

impl Norm {
    /// The right or bottom edge.
    pub const MAX: Norm = Norm(1000);

    /// Clamps a whole number to `0..=1000`.
    pub fn clamped(value: i64) -> Norm {
        Norm(value.clamp(0, 1000) as u16)
    }

    /// Returns the value, `0..=1000`.
    pub fn get(self) -> u16 {
        self.0
    }

    /// Returns the pixel index on an axis of `size` pixels: `round(n / 1000 * (size - 1))`.
    pub fn to_pixel(self, size: u32) -> u32 {
        (f64::from(self.0) / 1000.0 * f64::from(size.saturating_sub(1))).round() as u32
    }

    /// Returns the same position unrounded, for drawing on a picture of `size` pixels.
    pub fn to_subpixel(self, size: u32) -> f32 {
        f32::from(self.0) / 1000.0 * size.saturating_sub(1) as f32
    }
}

impl fmt::Display for Norm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// A position in normalised coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Point {
    /// The distance from the left edge.
    pub x: Norm,
    /// The distance from the top edge.
    pub y: Norm,
}

impl Point {
    /// Returns a point from whole numbers, clamped to the screen.
    pub fn clamped(x: i64, y: i64) -> Point {
        Point {
            x: Norm::clamped(x),
            y: Norm::clamped(y),
        }
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}", self.x, self.y)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_edges_map_to_the_first_and_last_pixel() {
        for size in [1, 2, 288, 512, 1080, 1920] {
            assert_eq!(Norm::clamped(0).to_pixel(size), 0);
            assert_eq!(Norm::MAX.to_pixel(size), size - 1);
        }
        assert_eq!(Norm::clamped(500).to_pixel(1920), 960);
        assert_eq!(Norm::clamped(500).to_pixel(512), 256);
    }
}
