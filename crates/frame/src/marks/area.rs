//! Rectangles in a picture, used to keep text in marks apart.

use crate::area::Area;
use crate::frame::Frame;

/// An axis-aligned rectangle in pixels, from the top left corner of one pixel to the bottom right corner of another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct MarkArea {
    pub(super) left: f32,
    pub(super) top: f32,
    pub(super) width: f32,
    pub(super) height: f32,
}

impl MarkArea {
    /// Returns the square that extends `reach` in each direction from the drawing position (x, y).
    pub(super) fn around((x, y): (f32, f32), reach: f32) -> MarkArea {
        // Drawing positions are measured from the centre of the first pixel.
        MarkArea {
            left: x + 0.5 - reach,
            top: y + 0.5 - reach,
            width: 2.0 * reach,
            height: 2.0 * reach,
        }
    }

    /// Returns the smallest rectangle of pixels that covers the area.
    pub(super) fn pixels(&self) -> Area {
        let (x, y) = (self.left.floor(), self.top.floor());
        let length = |from: f32, to: f32| (to.ceil() - from).max(0.0) as u32;
        Area {
            x: x as i32,
            y: y as i32,
            width: length(x, self.left + self.width),
            height: length(y, self.top + self.height),
        }
    }

    /// Returns whether both areas share a pixel.
    pub(super) fn overlaps(&self, other: &MarkArea) -> bool {
        self.left < other.left + other.width
            && other.left < self.left + self.width
            && self.top < other.top + other.height
            && other.top < self.top + self.height
    }

    /// Returns whether the whole area lies on the frame.
    pub(super) fn is_within(&self, frame: &Frame) -> bool {
        /// The possible rounding error in sums of small numbers.
        const SLACK: f32 = 0.01;

        self.left >= -SLACK
            && self.top >= -SLACK
            && self.left + self.width <= frame.width() as f32 + SLACK
            && self.top + self.height <= frame.height() as f32 + SLACK
    }

    /// Moves the area onto the frame by the shortest distance. An area that is too large starts at the top left.
    #[must_use]
    pub(super) fn moved_within(self, frame: &Frame) -> MarkArea {
        let right = frame.width() as f32 - self.width;
        let bottom = frame.height() as f32 - self.height;
        MarkArea {
            left: self.left.min(right).max(0.0),
            top: self.top.min(bottom).max(0.0),
            ..self
        }
    }

    /// Returns the drawing position of the area's centre.
    pub(super) fn middle(&self) -> (f32, f32) {
        (self.left + self.width / 2.0 - 0.5, self.top + self.height / 2.0 - 0.5)
    }
}
