//! A drag's path.

use crate::point::Point;

/// Two or more points, from the first to the last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path(Vec<Point>);

impl Path {
    /// Returns a straight line between two points.
    pub fn line(from: Point, to: Point) -> Path {
        Path(vec![from, to])
    }

    /// Returns the path along these points; `None` if there are fewer than two.
    pub fn along(points: Vec<Point>) -> Option<Path> {
        (points.len() >= 2).then_some(Path(points))
    }

    /// Returns all points, in order.
    pub fn points(&self) -> &[Point] {
        &self.0
    }

    /// Returns the first point.
    pub fn from(&self) -> Point {
        self.0[0]
    }

    /// Returns the last point.
    pub fn to(&self) -> Point {
        self.0[self.0.len() - 1]
    }

    /// Returns both ends if the path is a straight line; `None` if it has more than two points.
    pub fn ends(&self) -> Option<(Point, Point)> {
        match self.0[..] {
            [from, to] => Some((from, to)),
            _ => None,
        }
    }

    /// Returns the path with each point replaced by the result of `point`.
    #[must_use]
    pub fn map(&self, point: impl Fn(&Point) -> Point) -> Path {
        Path(self.0.iter().map(point).collect())
    }
}
