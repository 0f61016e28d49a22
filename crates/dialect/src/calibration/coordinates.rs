//! What the numbers in an answer mean, and which axis comes first.

use std::fmt;

use super::map::Map;
use crate::geometry::{Axes, Geometry, Space};

/// How to read a pair of numbers as a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coordinates {
    /// The coordinate space of the numbers.
    pub space: Space,
    /// The axis that comes first.
    pub axes: Axes,
    /// The fitted picture size that pixels refer to; `None` means the size of the picture as sent.
    pub of: Option<[f64; 2]>,
}

/// The spaces in which a model might give places, except pixels, whose size is fitted.
pub(super) const FIXED: [Space; 5] = [
    Space::Thousandths,
    Space::Parts1024,
    Space::Fractions,
    Space::Percent,
    Space::Letterboxed,
];

impl Coordinates {
    /// Returns coordinates in the picture as sent.
    pub const fn new(space: Space, axes: Axes) -> Coordinates {
        Coordinates { space, axes, of: None }
    }

    /// Returns coordinates in pixels of a picture of this size.
    pub const fn pixels(of: [f64; 2], axes: Axes) -> Coordinates {
        Coordinates {
            space: Space::Pixels,
            axes,
            of: Some(of),
        }
    }

    /// Returns the geometry of these coordinates for a screen whose picture was sent at this size.
    pub fn geometry(&self, picture: (u32, u32), screen: Option<(u32, u32)>) -> Geometry {
        let whole = |[width, height]: [f64; 2]| (width.round().max(1.0) as u32, height.round().max(1.0) as u32);
        Geometry {
            space: self.space,
            axes: self.axes,
            picture: Some(self.of.map_or(picture, whole)),
            screen: screen.or(Some(picture)),
        }
    }

    /// Returns the place that a pair of numbers means in a picture of this size, in pixels of that picture.
    pub fn place(&self, answer: (f64, f64), picture: (u32, u32)) -> (f64, f64) {
        let [x, y] = self.map(picture).place([answer.0, answer.1]);
        (x, y)
    }

    /// Returns the pair of numbers for a place, before any rounding. This is the inverse of [`Self::place`].
    pub fn answer(&self, place: (f64, f64), picture: (u32, u32)) -> (f64, f64) {
        let [first, second] = self.map(picture).answer([place.0, place.1]);
        (first, second)
    }

    /// Returns whether both belong to the same class. Pixels of any size are one class.
    pub fn same_class(&self, other: &Coordinates) -> bool {
        (self.space, self.axes) == (other.space, other.axes)
    }

    pub(super) fn map(&self, picture: (u32, u32)) -> Map {
        let size = [f64::from(picture.0), f64::from(picture.1)];
        let parts = |parts: f64| size.map(|length| (length - 1.0) / parts);
        let (scale, offset) = match self.space {
            Space::Thousandths | Space::Unknown => (parts(1000.0), [0.0; 2]),
            Space::Parts1024 => (parts(1024.0), [0.0; 2]),
            Space::Fractions => (parts(1.0), [0.0; 2]),
            Space::Percent => (parts(100.0), [0.0; 2]),
            Space::Letterboxed => {
                let square = size[0].max(size[1]);
                ([(square - 1.0) / 1000.0; 2], size.map(|own| (own - square) / 2.0))
            }
            Space::Pixels => {
                let of = self.of.unwrap_or(size);
                let scale = [size[0] / of[0], size[1] / of[1]];
                (scale, scale.map(|scale| (scale - 1.0) / 2.0))
            }
        };
        Map {
            axes: self.axes,
            scale,
            offset,
        }
    }
}

impl fmt::Display for Coordinates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.space {
            Space::Letterboxed => write!(f, "letterboxed thousandths")?,
            space => write!(f, "{}", space.name())?,
        }
        if let Some([width, height]) = self.of {
            write!(f, " of {width:.0}x{height:.0}")?;
        }
        match self.axes {
            Axes::Xy => write!(f, " (x, y)"),
            Axes::Yx => write!(f, " (y, x)"),
        }
    }
}
