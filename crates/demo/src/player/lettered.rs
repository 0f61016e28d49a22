//! Recognises letters in a picture by comparing them with letters drawn by FRANZ.

use franz_frame::{Color, Frame, Lettering, PixelFormat};

use super::thing::Thing;
use crate::picture::Pixels;

/// The size of the grid in which letters are compared.
const ROWS: usize = 12;
const COLUMNS: usize = 36;
/// The height of the letters drawn for comparison.
const HEIGHT: f32 = 64.0;
/// Any pixel darker than this is ink.
const INK: u32 = 110;

/// The ink in each cell of a grid around the letters, and their width relative to their height.
struct Shape {
    cells: Vec<f64>,
    ratio: f64,
}

/// Returns the similarity between the ink within a thing and `text`, where 1 is identical; `None` if there is no ink.
pub(super) fn likeness(picture: &Pixels, thing: &Thing, text: &str) -> Option<f64> {
    let seen = Shape::of((thing.left, thing.top), (thing.right, thing.bottom), |x, y| {
        is_ink(picture.at(i64::from(x), i64::from(y)))
    })?;
    Some(seen.likeness(&drawn(text)?))
}

/// Reads a thing as a digit.
pub(super) fn digit(picture: &Pixels, thing: &Thing) -> Option<char> {
    let rated = ('0'..='9').filter_map(|digit| Some((likeness(picture, thing, &digit.to_string())?, digit)));
    rated
        .max_by(|(one, _), (other, _)| one.total_cmp(other))
        .map(|(_, digit)| digit)
}

fn is_ink([red, green, blue]: [u8; 3]) -> bool {
    (u32::from(red) + u32::from(green) + u32::from(blue)) / 3 < INK
}

/// Draws text the way FRANZ does.
fn drawn(text: &str) -> Option<Shape> {
    let mut lettering = Lettering::new();
    let (width, height) = lettering.measure(text, HEIGHT);
    let (width, height) = (width.ceil() as u32 + 4, height.ceil() as u32 + 4);
    let mut frame = Frame::black(width, height, PixelFormat::Gray8).ok()?;
    // If the font lacks a letter, the box that replaces it is compared.
    let _ = lettering.draw_text(&mut frame, text, (2.0, 2.0), HEIGHT, Color::WHITE);
    let light = |x: u32, y: u32| {
        frame
            .data()
            .get((y * width + x) as usize)
            .is_some_and(|light| *light > 127)
    };
    Shape::of((0, 0), (width - 1, height - 1), light)
}

impl Shape {
    /// Returns the shape of the ink between two corners.
    fn of((left, top): (u32, u32), (right, bottom): (u32, u32), is_ink: impl Fn(u32, u32) -> bool) -> Option<Shape> {
        let inked: Vec<(u32, u32)> = (top..=bottom)
            .flat_map(|y| (left..=right).map(move |x| (x, y)))
            .filter(|(x, y)| is_ink(*x, *y))
            .collect();
        let (first, last) = (
            inked.iter().map(|(x, _)| *x).min()?,
            inked.iter().map(|(x, _)| *x).max()?,
        );
        let (above, below) = (inked.first()?.1, inked.last()?.1);
        let (width, height) = (last - first + 1, below - above + 1);
        let mut cells = vec![0.0; ROWS * COLUMNS];
        let cell = f64::from(width * height) / (ROWS * COLUMNS) as f64;
        for (x, y) in inked {
            // A pixel can cover several cells, and a cell can contain several pixels.
            for (row, high) in shares(y - above, height, ROWS) {
                for (column, wide) in shares(x - first, width, COLUMNS) {
                    cells[row * COLUMNS + column] += high * wide / cell;
                }
            }
        }
        Some(Shape {
            cells,
            ratio: f64::from(width) / f64::from(height),
        })
    }

    fn likeness(&self, other: &Shape) -> f64 {
        let off: f64 = self
            .cells
            .iter()
            .zip(&other.cells)
            .map(|(one, other)| (one - other).abs())
            .sum();
        let wider = (self.ratio / other.ratio).ln().abs();
        1.0 - off / (ROWS * COLUMNS) as f64 - wider
    }
}

/// Returns the cells that a pixel of a row overlaps, with the pixel's share in each.
fn shares(pixel: u32, pixels: u32, cells: usize) -> impl Iterator<Item = (usize, f64)> {
    let scale = cells as f64 / f64::from(pixels);
    let (from, to) = (f64::from(pixel) * scale, f64::from(pixel + 1) * scale);
    let last = (to.ceil() as usize).min(cells);
    (from as usize..last).filter_map(move |cell| {
        let share = (to.min(cell as f64 + 1.0) - from.max(cell as f64)) / scale;
        (share > 0.0).then_some((cell, share))
    })
}
