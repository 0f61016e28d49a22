//! The mouse cursor, which captures do not include. It is drawn into the frame, and removed before the next capture.

use franz_frame::{Area, Frame};

/// A mouse cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CursorImage {
    /// The part of the desktop that it covers, with the hot spot already subtracted.
    pub area: Area,
    /// The rows from top to bottom, one value per pixel: alpha, red, green and blue from the highest byte to the
    /// lowest, with the colours multiplied by alpha.
    pub pixels: Vec<u32>,
}

/// The cursor in a frame, with the pixels that it covers.
#[derive(Default)]
pub(super) struct DrawnCursor {
    /// Its area in pixels of the frame, and the rows that it covers there.
    covered: Option<(Area, Vec<u8>)>,
    shown: Option<CursorImage>,
}

impl DrawnCursor {
    /// Removes the cursor from the frame, restoring the captured pixels.
    pub(super) fn lift(&mut self, frame: &mut Frame) {
        if let Some((area, rows)) = self.covered.take() {
            let length = area.width as usize * 4;
            for (row, kept) in rows_of(frame, area).zip(rows.chunks_exact(length)) {
                row.copy_from_slice(kept);
            }
        }
    }

    /// Draws the cursor again as in the last call of `draw`.
    pub(super) fn draw_again(&mut self, seen: Area, frame: &mut Frame) {
        let cursor = self.shown.take();
        self.draw(cursor, seen, frame);
    }

    /// Draws the cursor into a frame that shows `seen` of the desktop; returns whether the cursor has changed or moved
    /// since the last call.
    pub(super) fn draw(&mut self, cursor: Option<CursorImage>, seen: Area, frame: &mut Frame) -> bool {
        let visible = cursor.as_ref().and_then(|cursor| {
            let on_desktop = cursor.area.intersection(&seen)?;
            let inside = Area {
                x: on_desktop.x - seen.x,
                y: on_desktop.y - seen.y,
                ..on_desktop
            };
            Some((cursor, on_desktop, inside))
        });
        if let Some((cursor, on_desktop, inside)) = visible {
            let mut covered = Vec::with_capacity(inside.width as usize * inside.height as usize * 4);
            let first = on_desktop.y.abs_diff(cursor.area.y) as usize;
            let left = on_desktop.x.abs_diff(cursor.area.x) as usize;
            let rows = cursor.pixels.chunks_exact(cursor.area.width as usize).skip(first);
            for (row, pixels) in rows_of(frame, inside).zip(rows) {
                covered.extend_from_slice(row);
                for (under, &over) in row.chunks_exact_mut(4).zip(pixels.iter().skip(left)) {
                    blend(under, over);
                }
            }
            self.covered = Some((inside, covered));
        }
        let moved = self.shown != cursor;
        self.shown = cursor;
        moved
    }
}

/// Iterates over the rows of a part of a frame with four bytes per pixel.
fn rows_of(frame: &mut Frame, area: Area) -> impl Iterator<Item = &mut [u8]> {
    let stride = frame.width() as usize * 4;
    let (left, width) = (area.x as usize * 4, area.width as usize * 4);
    let rows = frame.data_mut().chunks_exact_mut(stride);
    rows.skip(area.y as usize)
        .take(area.height as usize)
        .map(move |row| &mut row[left..left + width])
}

/// Blends one pixel over another: blue, green, red and an unused byte.
fn blend(under: &mut [u8], over: u32) {
    let [blue, green, red, alpha] = over.to_le_bytes();
    let through = 255 - u32::from(alpha);
    for (channel, above) in under.iter_mut().zip([blue, green, red]) {
        let below = (u32::from(*channel) * through + 127) / 255;
        *channel = above.saturating_add(below as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use franz_frame::{Color, PixelFormat};

    fn cursor(x: i32, y: i32) -> CursorImage {
        let area = Area {
            x,
            y,
            width: 2,
            height: 2,
        };
        CursorImage {
            area,
            pixels: vec![0xffff_0000, 0x8000_8000, 0, 0xff00_00ff],
        }
    }

    #[test]
    fn a_cursor_is_blended_in_and_leaves_no_trace() {
        let mut frame = Frame::new(4, 3, PixelFormat::Bgrx8, vec![100; 48]).unwrap();
        let before = frame.clone();
        let seen = Area {
            x: 10,
            y: 10,
            width: 4,
            height: 3,
        };
        let mut drawn = DrawnCursor::default();
        assert!(drawn.draw(Some(cursor(11, 11)), seen, &mut frame));
        assert_eq!(frame.color(1, 1), Some(Color::rgb(255, 0, 0)));
        assert_eq!(frame.color(2, 1), Some(Color::rgb(50, 178, 50)));
        assert_eq!(frame.color(1, 2), Some(Color::rgb(100, 100, 100)));
        assert_eq!(frame.color(2, 2), Some(Color::rgb(0, 0, 255)));
        drawn.lift(&mut frame);
        assert_eq!(frame, before);
        assert!(!drawn.draw(Some(cursor(11, 11)), seen, &mut frame), "it is the same");
    }

    #[test]
    fn a_cursor_with_a_false_size_draws_only_existing_pixels() {
        let sides = [(i32::MIN, u32::MAX), (-1, 2), (0, u32::MAX), (3, 1), (0, 0)];
        for (x, width) in sides {
            for (y, height) in sides {
                let mut frame = Frame::black(4, 3, PixelFormat::Bgrx8).unwrap();
                let before = frame.clone();
                let mut drawn = DrawnCursor::default();
                let area = Area { x, y, width, height };
                let pixels = cursor(0, 0).pixels;
                drawn.draw(Some(CursorImage { area, pixels }), Area::whole(4, 3), &mut frame);
                drawn.lift(&mut frame);
                assert_eq!(frame, before, "{area}");
            }
        }
    }

    #[test]
    fn a_cursor_is_clipped_at_the_edges() {
        let seen = Area::whole(4, 3);
        for x in -3..6 {
            for y in -3..5 {
                let mut frame = Frame::black(4, 3, PixelFormat::Bgrx8).unwrap();
                let before = frame.clone();
                let mut drawn = DrawnCursor::default();
                drawn.draw(Some(cursor(x, y)), seen, &mut frame);
                if let Some(color) = (x >= 0 && y >= 0).then(|| frame.color(x as u32, y as u32)).flatten() {
                    assert_eq!(color, Color::rgb(255, 0, 0));
                }
                drawn.lift(&mut frame);
                assert_eq!(frame, before, "at {x},{y}");
            }
        }
    }
}
