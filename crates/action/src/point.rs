//! Normalised coordinates: 0..=1000 on both axes, (0,0) top left, independent of any screen's size, in steps of 1/64.

use std::fmt;

/// The number of steps per thousandth, fine enough to address each of 64,000 pixels.
const STEPS: u16 = 64;

/// One coordinate in `0..=1000`, in steps of 1/64.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Norm(u16);

impl Norm {
    /// The right or bottom edge.
    pub const MAX: Norm = Norm(1000 * STEPS);
    /// The middle.
    pub const MIDDLE: Norm = Norm(500 * STEPS);

    /// Clamps a whole number to `0..=1000`.
    pub fn clamped(value: i64) -> Norm {
        Norm(value.clamp(0, 1000) as u16 * STEPS)
    }

    /// Returns the nearest coordinate in `0..=1000`; NaN becomes 0.
    pub fn nearest(value: f64) -> Norm {
        Norm((value.clamp(0.0, 1000.0) * f64::from(STEPS)).round() as u16)
    }

    /// Returns the value in `0.0..=1000.0`.
    pub fn get(self) -> f64 {
        f64::from(self.0) / f64::from(STEPS)
    }

    /// Returns the nearest whole number in `0..=1000`.
    pub fn whole(self) -> u16 {
        (self.0 + STEPS / 2) / STEPS
    }

    /// Returns the pixel index on an axis of `size` pixels: `round(n / 1000 * (size - 1))`.
    pub fn to_pixel(self, size: u32) -> u32 {
        (self.get() / 1000.0 * f64::from(size.saturating_sub(1))).round() as u32
    }

    /// Returns the same position unrounded, for drawing on a picture of `size` pixels.
    pub fn to_subpixel(self, size: u32) -> f32 {
        self.get() as f32 / 1000.0 * size.saturating_sub(1) as f32
    }
}

/// Writes the fewest decimals, at most two, that read back as the same coordinate.
impl fmt::Display for Norm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_multiple_of(STEPS) {
            return write!(f, "{}", self.0 / STEPS);
        }
        let value = self.get();
        let tenth = (value * 10.0).round() / 10.0;
        // Writing whole numbers is several times as fast as writing fractions.
        if Norm::nearest(tenth) == *self {
            let tenths = (value * 10.0).round_ties_even() as u32;
            write!(f, "{}.{}", tenths / 10, tenths % 10)
        } else {
            let hundredths = (value * 100.0).round_ties_even() as u32;
            write!(f, "{}.{:02}", hundredths / 100, hundredths % 100)
        }
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
    /// Returns the nearest point on the screen.
    pub fn nearest(x: f64, y: f64) -> Point {
        Point {
            x: Norm::nearest(x),
            y: Norm::nearest(y),
        }
    }

    /// Returns a point; `None` if it is not on the screen.
    pub fn on_screen(x: f64, y: f64) -> Option<Point> {
        let is_on = |value: f64| (0.0..=1000.0).contains(&value);
        (is_on(x) && is_on(y)).then(|| Point::nearest(x, y))
    }

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

    #[test]
    fn every_coordinate_reads_back_from_its_text() {
        for steps in 0..=Norm::MAX.0 {
            let norm = Norm(steps);
            let text = norm.to_string();
            assert_eq!(Norm::nearest(text.parse().unwrap()), norm, "{text}");
            let decimals = text.split_once('.').map_or(0, |(_, decimals)| decimals.len());
            assert!(decimals <= 2, "{text}");
            assert_eq!(text, format!("{:.decimals$}", norm.get()));
        }
        assert_eq!(Norm::clamped(300).to_string(), "300");
        assert_eq!(Norm::nearest(299.6).to_string(), "299.6");
        assert_eq!(Norm::nearest(0.5).to_string(), "0.5");
        assert_eq!(Norm::nearest(f64::NAN), Norm::clamped(0));
    }

    #[test]
    fn every_pixel_of_a_large_screen_can_be_pointed_at() {
        for size in [1080, 3840, 7680] {
            for pixel in 0..size {
                let exact = f64::from(pixel) / f64::from(size - 1) * 1000.0;
                assert_eq!(Norm::nearest(exact).to_pixel(size), pixel);
            }
        }
    }
}
