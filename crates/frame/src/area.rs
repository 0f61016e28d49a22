//! A rectangle of pixels.

use std::fmt;

use franz_action::{Norm, Point};

/// A rectangle of pixels; (0,0) is the top left corner of the picture or screen that contains it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Area {
    /// The distance from the left edge.
    pub x: i32,
    /// The distance from the top edge.
    pub y: i32,
    /// The number of pixels from left to right.
    pub width: u32,
    /// The number of pixels from top to bottom.
    pub height: u32,
}

impl Area {
    /// Returns the area that covers a picture or screen of this size.
    pub fn whole(width: u32, height: u32) -> Area {
        Area {
            x: 0,
            y: 0,
            width,
            height,
        }
    }

    /// Returns the pixel of this area that a point refers to.
    pub fn pixel(&self, point: Point) -> (i32, i32) {
        (
            self.x.saturating_add_unsigned(point.x.to_pixel(self.width)),
            self.y.saturating_add_unsigned(point.y.to_pixel(self.height)),
        )
    }

    /// Returns the point inside this area nearest to a pixel.
    pub fn point(&self, x: i32, y: i32) -> Point {
        let norm = |offset: i64, size: u32| {
            let last = f64::from(size.saturating_sub(1).max(1));
            Norm::clamped((offset as f64 / last * 1000.0).round() as i64)
        };
        Point {
            x: norm(i64::from(x) - i64::from(self.x), self.width),
            y: norm(i64::from(y) - i64::from(self.y), self.height),
        }
    }

    /// Returns whether a pixel lies inside this area.
    pub fn contains(&self, x: i32, y: i32) -> bool {
        (i64::from(self.x)..self.right()).contains(&i64::from(x))
            && (i64::from(self.y)..self.bottom()).contains(&i64::from(y))
    }

    /// Returns the intersection of both areas, or `None` if they do not overlap.
    pub fn intersection(&self, other: &Area) -> Option<Area> {
        let (x, y) = (self.x.max(other.x), self.y.max(other.y));
        let width = self.right().min(other.right()) - i64::from(x);
        let height = self.bottom().min(other.bottom()) - i64::from(y);
        (width > 0 && height > 0).then_some(Area {
            x,
            y,
            width: width as u32,
            height: height as u32,
        })
    }

    /// Returns the smallest area that contains both areas.
    #[must_use]
    pub fn union(&self, other: &Area) -> Area {
        let (x, y) = (self.x.min(other.x), self.y.min(other.y));
        Area {
            x,
            y,
            width: (self.right().max(other.right()) - i64::from(x)) as u32,
            height: (self.bottom().max(other.bottom()) - i64::from(y)) as u32,
        }
    }

    /// Returns the points for the first and last pixels of `part`, which lies in this area.
    pub fn corners(&self, part: &Area) -> (Point, Point) {
        let last = |start: i32, size: u32| start.saturating_add_unsigned(size.saturating_sub(1));
        (
            self.point(part.x, part.y),
            self.point(last(part.x, part.width), last(part.y, part.height)),
        )
    }

    /// Returns the position just past the last pixel of a row.
    fn right(&self) -> i64 {
        i64::from(self.x) + i64::from(self.width)
    }

    /// Returns the position just past the last pixel of a column.
    fn bottom(&self) -> i64 {
        i64::from(self.y) + i64::from(self.height)
    }
}

impl fmt::Display for Area {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{} at {},{}", self.width, self.height, self.x, self.y)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AREA: Area = Area {
        x: 100,
        y: -50,
        width: 201,
        height: 101,
    };

    #[test]
    fn corners_of_the_coordinates_are_corners_of_the_area() {
        for (point, pixel) in [((0, 0), (100, -50)), ((1000, 1000), (300, 50)), ((500, 500), (200, 0))] {
            let point = Point::clamped(point.0, point.1);
            assert_eq!(AREA.pixel(point), pixel);
            assert_eq!(AREA.point(pixel.0, pixel.1), point);
        }
        assert_eq!(AREA.point(-999, 999), Point::clamped(0, 1000), "outside is at the edge");
        assert_eq!(Area::whole(1, 1).point(0, 0), Point::clamped(0, 0));
    }

    #[test]
    fn areas_intersect_and_unite() {
        let other = Area {
            x: 250,
            y: 0,
            width: 1000,
            height: 10,
        };
        let shared = Area {
            x: 250,
            y: 0,
            width: 51,
            height: 10,
        };
        assert_eq!(AREA.intersection(&other), Some(shared));
        assert_eq!(AREA.union(&AREA), AREA);
        assert_eq!(AREA.union(&other).to_string(), "1150x101 at 100,-50");
        assert_eq!(AREA.intersection(&Area { x: 301, ..other }), None);
        assert!(AREA.contains(300, 50) && !AREA.contains(301, 50));
    }
}
