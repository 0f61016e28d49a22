//! A stretch of rows or columns.

use std::ops::Range;

/// From `start` to `end` in pixels, both included; nothing when `start` lies beyond `end`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    start: f32,
    end: f32,
}

impl Span {
    /// Nothing.
    pub const EMPTY: Span = Span {
        start: f32::INFINITY,
        end: f32::NEG_INFINITY,
    };

    /// From `start` to `end`.
    pub const fn new(start: f32, end: f32) -> Span {
        Span { start, end }
    }

    /// `reach` to both sides of `middle`.
    pub fn around(middle: f32, reach: f32) -> Span {
        Span::new(middle - reach, middle + reach)
    }

    /// The smallest span that holds both.
    #[must_use]
    pub fn joined(self, other: Span) -> Span {
        Span::new(self.start.min(other.start), self.end.max(other.end))
    }

    /// The indices of the whole pixels inside, of an axis with `size` pixels.
    pub fn pixels(self, size: u32) -> Range<usize> {
        // A float that is not a number or lies outside becomes 0 or the last index.
        let size = size as usize;
        let end = (self.end.floor() + 1.0).max(0.0) as usize;
        let end = end.min(size);
        let start = (self.start.ceil().max(0.0) as usize).min(end);
        start..end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_pixels_inside_of_the_axis_count() {
        let cases = [
            (Span::new(1.2, 3.9), 2..4),
            (Span::new(1.0, 3.0), 1..4),
            (Span::new(-5.0, 0.0), 0..1),
            (Span::new(8.0, 1e30), 8..10),
            (Span::new(20.0, 30.0), 10..10),
            (Span::new(-9.0, -4.0), 0..0),
            (Span::EMPTY, 0..0),
            (Span::new(f32::NAN, f32::NAN), 0..0),
        ];
        for (span, pixels) in cases {
            assert_eq!(span.pixels(10), pixels, "{span:?}");
        }
    }
}
