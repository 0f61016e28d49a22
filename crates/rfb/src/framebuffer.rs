//! The contents of the server's screen, as far as the server has sent them.

use crate::error::RfbError;

/// The maximum number of pixels that a screen can have: 8K.
const MOST: usize = 7680 * 4320;

/// The bytes per pixel: blue, green, red and a zero.
pub(crate) const STEP: usize = 4;

/// A part of a screen, in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rectangle {
    /// The left edge.
    pub x: u16,
    /// The top edge.
    pub y: u16,
    /// The width, in columns.
    pub width: u16,
    /// The height, in rows.
    pub height: u16,
}

impl Rectangle {
    /// Returns the number of pixels in the part.
    pub fn pixels(self) -> usize {
        usize::from(self.width) * usize::from(self.height)
    }

    pub(crate) fn right(self) -> usize {
        usize::from(self.x) + usize::from(self.width)
    }

    pub(crate) fn bottom(self) -> usize {
        usize::from(self.y) + usize::from(self.height)
    }

    /// Returns the smallest part that contains both.
    fn union(self, other: Rectangle) -> Rectangle {
        let (x, y) = (self.x.min(other.x), self.y.min(other.y));
        // Both parts lie on one screen, so their edges fit into the protocol's numbers.
        let right = self.right().max(other.right());
        let bottom = self.bottom().max(other.bottom());
        Rectangle {
            x,
            y,
            width: (right - usize::from(x)) as u16,
            height: (bottom - usize::from(y)) as u16,
        }
    }
}

/// The mouse cursor of a server that does not draw it into its pictures.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerCursor {
    /// The width, in columns; 0 if the cursor is hidden.
    pub width: u16,
    /// The height, in rows; 0 if the cursor is hidden.
    pub height: u16,
    /// The pixel that points, relative to the top left corner.
    pub hot_spot: (u16, u16),
    /// One value per pixel: alpha, red, green and blue, from the highest byte to the lowest.
    pub pixels: Vec<u32>,
}

/// The pixels of a screen.
#[derive(Clone, Debug)]
pub struct Framebuffer {
    width: u16,
    height: u16,
    pixels: Vec<u8>,
    damage: Option<Rectangle>,
}

impl Framebuffer {
    /// Creates a black screen.
    pub(crate) fn black(width: u16, height: u16) -> Result<Framebuffer, RfbError> {
        let count = usize::from(width) * usize::from(height);
        if count == 0 || count > MOST {
            return Err(RfbError::Invalid(
                "an empty screen, or one of more than 7680x4320 pixels",
            ));
        }
        Ok(Framebuffer {
            width,
            height,
            pixels: vec![0; count * STEP],
            damage: None,
        })
    }

    /// Returns the width, in columns.
    pub fn width(&self) -> u16 {
        self.width
    }

    /// Returns the height, in rows.
    pub fn height(&self) -> u16 {
        self.height
    }

    /// Returns the rows from top to bottom, with four bytes per pixel: blue, green, red and a zero.
    pub fn pixels(&self) -> &[u8] {
        &self.pixels
    }

    /// Returns the smallest part that contains everything drawn since the last call.
    pub fn take_damage(&mut self) -> Option<Rectangle> {
        self.damage.take()
    }

    /// Returns the part that covers the whole screen.
    pub fn whole(&self) -> Rectangle {
        Rectangle {
            x: 0,
            y: 0,
            width: self.width,
            height: self.height,
        }
    }

    /// Checks that a part lies on the screen.
    pub(crate) fn check(&self, part: Rectangle) -> Result<(), RfbError> {
        if part.right() > usize::from(self.width) || part.bottom() > usize::from(self.height) {
            return Err(RfbError::Invalid("a rectangle outside the screen"));
        }
        Ok(())
    }

    /// Records that a part was drawn.
    pub(crate) fn note(&mut self, part: Rectangle) {
        if part.pixels() > 0 {
            self.damage = Some(self.damage.map_or(part, |before| before.union(part)));
        }
    }

    /// Returns one row of a checked part, for drawing.
    pub(crate) fn row_mut(&mut self, part: Rectangle, row: usize) -> &mut [u8] {
        let start = self.start(part.x, usize::from(part.y) + row);
        &mut self.pixels[start..start + usize::from(part.width) * STEP]
    }

    /// Copies the pixels at `from` to a part. Both must have been checked; they can overlap.
    pub(crate) fn copy(&mut self, from: (u16, u16), to: Rectangle) {
        let length = usize::from(to.width) * STEP;
        let copy = |row: usize| {
            let source = self.start(from.0, usize::from(from.1) + row);
            let target = self.start(to.x, usize::from(to.y) + row);
            self.pixels.copy_within(source..source + length, target);
        };
        let rows = 0..usize::from(to.height);
        if from.1 < to.y {
            rows.rev().for_each(copy);
        } else {
            rows.for_each(copy);
        }
    }

    fn start(&self, x: u16, y: usize) -> usize {
        (y * usize::from(self.width) + usize::from(x)) * STEP
    }
}
