//! Filled polygons: arrow heads, diamonds and the cursor.

use super::line::{columns_near_segment, distance_to_segment};
use super::{Shape, Span};

/// A filled polygon, convex or not, that does not intersect itself.
#[derive(Clone, Debug)]
pub struct Polygon {
    corners: Vec<(f32, f32)>,
}

impl Polygon {
    /// Creates a polygon with these corners. The last corner is joined to the first.
    pub fn new(corners: impl Into<Vec<(f32, f32)>>) -> Polygon {
        Polygon {
            corners: corners.into(),
        }
    }

    fn edges(&self) -> impl Iterator<Item = ((f32, f32), (f32, f32))> {
        let next = self.corners.iter().cycle().skip(1);
        self.corners.iter().copied().zip(next.copied())
    }
}

impl Shape for Polygon {
    fn distance(&self, x: f32, y: f32) -> f32 {
        let mut nearest = f32::INFINITY;
        let mut inside = false;
        for (from, to) in self.edges() {
            nearest = nearest.min(distance_to_segment(from, to, (x, y)));
            // A ray that starts inside the polygon and runs to the right crosses an odd number of edges.
            if (from.1 > y) != (to.1 > y) && x < from.0 + (to.0 - from.0) * (y - from.1) / (to.1 - from.1) {
                inside = !inside;
            }
        }
        if inside { -nearest } else { nearest }
    }

    fn rows(&self) -> Span {
        let rows = self.corners.iter().map(|corner| Span::around(corner.1, 0.5));
        rows.fold(Span::EMPTY, Span::joined)
    }

    fn columns(&self, y: f32) -> Span {
        let columns = self.edges().map(|(from, to)| columns_near_segment(from, to, 0.5, y));
        columns.fold(Span::EMPTY, Span::joined)
    }
}
