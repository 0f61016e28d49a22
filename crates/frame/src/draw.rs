//! Blends anti-aliased shapes over a frame.
//!
//! Coordinates are in pixels, and whole numbers are the centres of pixels: (0.0, 0.0) is the centre of the top left
//! pixel. A shape reports the distance from a pixel to its edge; parts outside the frame are skipped. The cost depends
//! only on the pixels in and just around the shape, however long and slanted it is.

mod bar;
mod disc;
mod line;
mod polygon;
mod span;

pub use bar::Bar;
pub use disc::{Disc, Ring};
pub use line::Line;
pub use polygon::Polygon;
pub use span::Span;

use crate::color::{Ink, Paint};
use crate::frame::Frame;

/// A shape that covers pixels.
pub trait Shape {
    /// Returns the distance in pixels from (x, y) to the nearest edge, negative inside the shape.
    fn distance(&self, x: f32, y: f32) -> f32;

    /// Returns the rows that might be covered, including partly covered ones.
    fn rows(&self) -> Span;

    /// Returns the columns that might be covered in row `y`, including partly covered ones.
    fn columns(&self, y: f32) -> Span;

    /// Returns a range within [`Shape::columns`] that the shape is guaranteed not to cover in row `y`.
    fn gap(&self, _y: f32) -> Span {
        Span::EMPTY
    }
}

/// Applies `paint` to every pixel that the shape covers.
pub fn fill(frame: &mut Frame, shape: &impl Shape, paint: impl Into<Paint>) {
    let ink = Ink::new(paint.into(), frame.format());
    let width = frame.width();
    for row in shape.rows().pixels(frame.height()) {
        let y = row as f32;
        let columns = shape.columns(y).pixels(width);
        let gap = shape.gap(y).pixels(width);
        let left = columns.start..gap.start.clamp(columns.start, columns.end);
        let right = gap.end.clamp(columns.start, columns.end)..columns.end;
        for run in [left, right] {
            let coverage = |x: usize| (0.5 - shape.distance(x as f32, y)).clamp(0.0, 1.0);
            ink.blend(frame.row_mut(row), run.start, run.map(coverage));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::color::Color;
    use crate::pixel_format::PixelFormat;
    use proptest::prelude::*;

    fn gray(width: u32, height: u32) -> Frame {
        Frame::black(width, height, PixelFormat::Gray8).unwrap()
    }

    fn painted(shape: &impl Shape) -> Frame {
        let mut frame = gray(64, 64);
        fill(&mut frame, shape, Color::WHITE);
        frame
    }

    /// Returns the painted area in pixels, counting each partly covered pixel by its share.
    fn area(frame: &Frame) -> f32 {
        frame.data().iter().map(|&value| f32::from(value) / 255.0).sum()
    }

    /// Paints every pixel, whether it is within the spans or not.
    fn painted_without_spans(shape: &impl Shape) -> Frame {
        struct Everywhere<'a, S>(&'a S);
        impl<S: Shape> Shape for Everywhere<'_, S> {
            fn distance(&self, x: f32, y: f32) -> f32 {
                self.0.distance(x, y)
            }
            fn rows(&self) -> Span {
                Span::new(0.0, 1e6)
            }
            fn columns(&self, _y: f32) -> Span {
                Span::new(0.0, 1e6)
            }
        }
        painted(&Everywhere(shape))
    }

    fn arrow(at: (f32, f32), size: f32) -> Polygon {
        Polygon::new([(0.0, 0.0), (0.3, 1.0), (0.5, 0.6), (1.0, 0.5)].map(|(x, y)| (at.0 + x * size, at.1 + y * size)))
    }

    #[test]
    fn painted_shapes_have_their_geometric_area() {
        let near = |frame: Frame, expected: f32| {
            let area = area(&frame);
            assert!(
                (area - expected).abs() < expected * 0.03,
                "{area} instead of {expected}"
            );
        };
        let pi = std::f32::consts::PI;
        near(painted(&Disc::new((31.3, 30.8), 12.0)), pi * 144.0);
        near(painted(&Ring::new((31.3, 30.8), 15.0, 4.0)), 2.0 * pi * 15.0 * 4.0);
        near(
            painted(&Line::new((10.0, 12.0), (50.0, 41.0), 5.0)),
            5.0 * 49.41 + pi * 6.25,
        );
        near(painted(&Bar::new((10.0, 10.0), (40.0, 20.0))), 300.0);
        near(
            painted(&Polygon::new([(10.0, 10.0), (50.0, 10.0), (30.0, 50.0)])),
            800.0,
        );
    }

    #[test]
    fn a_shape_in_colour_is_gray_by_luminance_on_gray() {
        let mut frame = gray(9, 9);
        fill(&mut frame, &Disc::new((4.0, 4.0), 3.0), Color::rgb(255, 0, 0));
        assert_eq!(frame.color(4, 4), Some(Color::rgb(76, 76, 76)));
        assert_eq!(frame.color(0, 0), Some(Color::BLACK));
    }

    fn coordinate() -> impl Strategy<Value = f32> {
        prop_oneof![-10.0f32..80.0, -1e4f32..1e4, prop::num::f32::ANY,]
    }

    fn place() -> impl Strategy<Value = (f32, f32)> {
        (coordinate(), coordinate())
    }

    fn near() -> impl Strategy<Value = (f32, f32)> {
        (-20.0f32..84.0, -20.0f32..84.0)
    }

    proptest! {
        #[test]
        fn painting_with_spans_matches_painting_without(a in near(), b in near(), size in 0.0f32..30.0) {
            let shapes: [(Frame, Frame); 5] = [
                (painted(&Disc::new(a, size)), painted_without_spans(&Disc::new(a, size))),
                (painted(&Ring::new(a, size, 3.0)), painted_without_spans(&Ring::new(a, size, 3.0))),
                (painted(&Line::new(a, b, size)), painted_without_spans(&Line::new(a, b, size))),
                (painted(&Bar::new(a, b).rounded(4.0)), painted_without_spans(&Bar::new(a, b).rounded(4.0))),
                (painted(&arrow(a, size)), painted_without_spans(&arrow(a, size))),
            ];
            for (index, (with, without)) in shapes.iter().enumerate() {
                prop_assert!(with == without, "shape {}", index);
            }
        }

        #[test]
        fn no_coordinate_panics(a in place(), b in place(), size in coordinate(), width in 1u32..20, height in 1u32..20) {
            let mut frame = gray(width, height);
            fill(&mut frame, &Disc::new(a, size), Color::WHITE);
            fill(&mut frame, &Ring::new(a, size, b.0), Color::WHITE);
            fill(&mut frame, &Line::new(a, b, size), Color::WHITE.opacity(size));
            fill(&mut frame, &Bar::new(a, b).rounded(size), Color::WHITE);
            fill(&mut frame, &arrow(a, size), Color::WHITE);
        }
    }
}
