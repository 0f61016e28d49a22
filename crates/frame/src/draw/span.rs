//! A range of rows or columns.

use std::ops::Range;

/// The pixels from `start` to `end`, both inclusive; empty if `start` is beyond `end`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    start: f32,
    end: f32,
}

impl Span {
    /// The empty span.
    pub const EMPTY: Span = Span {
        start: f32::INFINITY,
        end: f32::NEG_INFINITY,
    };

    /// Creates a span from `start` to `end`.
    pub const fn new(start: f32, end: f32) -> Span {
        Span { start, end }
    }

    /// Creates a span that extends `reach` to either side of `middle`.
    pub fn around(middle: f32, reach: f32) -> Span {
        Span::new(middle - reach, middle + reach)
    }

    /// Returns the smallest span that contains both spans.
    #[must_use]
    pub fn joined(self, other: Span) -> Span {
        Span::new(self.start.min(other.start), self.end.max(other.end))
    }

    /// Returns the indices of the whole pixels in the span, on an axis of `size` pixels.
    pub fn pixels(self, size: u32) -> Range<usize> {
        // A float that is NaN or out of range becomes 0 or the last index.
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
    fn a_span_covers_only_pixels_inside_the_axis() {
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
