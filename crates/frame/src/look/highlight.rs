//! Finds highlights: things that have another colour because the pointer is over them, but still show the same.

use super::difference::{alike, differs};
use super::{Difference, Thing, length};
use crate::area::Area;
use crate::frame::Frame;

/// A highlighted thing keeps at least this share of its edges, in quarters. Text that has moved keeps far fewer.
const KEPT: usize = 3;
/// How long the shorter side of a highlighted thing can be. Dialogs are larger.
const SIDE: (f64, u32) = (64.0, 32);
/// How many pixels of a thing's border are not compared: they show where the highlight begins, or an outline.
const BORDER: (f64, u32) = (3.0, 2);
/// A highlight may add this many edges per pixel of the thing's width, enough for a line below its text.
const LINE: usize = 2;

impl Difference {
    /// Ignores the highlight of the thing that the pointer is over at this pixel, or has just left. Keeps
    /// things as large as a dialog, and things with new contents.
    pub fn without_highlight_at(&mut self, seen: &Frame, now: &Frame, (x, y): (i32, i32)) {
        if !alike(seen, now) {
            return;
        }
        let grid = self.grid();
        let side = |thing: &Thing| i64::from(thing.pixels.width.min(thing.pixels.height));
        let is_highlight = |thing: &Thing| {
            thing.bounds.contains(x, y)
                && side(thing) <= length(SIDE, grid.height())
                && shows_the_same(thing, seen, now, thing.blocks.iter().map(|block| grid.area(*block)))
        };
        self.forgive_things(is_highlight);
    }
}

/// Returns whether these blocks of a thing have the same edges in both pictures, apart from those at its border.
fn shows_the_same(thing: &Thing, seen: &Frame, now: &Frame, blocks: impl Iterator<Item = Area>) -> bool {
    let Some(inside) = inside(thing.pixels, now.height()) else {
        return true;
    };
    let (mut edges, mut kept, mut added) = (0_usize, 0_usize, 0_usize);
    for (x, y) in blocks.filter_map(|block| block.intersection(&inside)).flat_map(pixels) {
        match (is_edge(seen, x, y), is_edge(now, x, y)) {
            (true, is_kept) => (edges, kept) = (edges + 1, kept + usize::from(is_kept)),
            (false, is_added) => added += usize::from(is_added),
        }
    }
    kept * 4 >= edges * KEPT && added <= edges / 2 + LINE * thing.pixels.width as usize
}

/// Returns an area without its border, or `None` if nothing is left.
fn inside(area: Area, height: u32) -> Option<Area> {
    let border = length(BORDER, height) as u32;
    let side = |side: u32| side.checked_sub(2 * border).filter(|side| *side > 0);
    Some(Area {
        x: area.x + border as i32,
        y: area.y + border as i32,
        width: side(area.width)?,
        height: side(area.height)?,
    })
}

fn pixels(area: Area) -> impl Iterator<Item = (usize, usize)> {
    let across = area.x as usize..(area.x as usize + area.width as usize);
    let down = area.y as usize..(area.y as usize + area.height as usize);
    down.flat_map(move |y| across.clone().map(move |x| (x, y)))
}

/// Returns whether a pixel differs from the pixel to its right or from the one below it.
fn is_edge(frame: &Frame, x: usize, y: usize) -> bool {
    let step = frame.format().bytes();
    let (width, height) = (frame.width() as usize, frame.height() as usize);
    let pixel = |x: usize, y: usize| frame.data().get((y * width + x) * step..).map(|data| &data[..step]);
    let other = |x: usize, y: usize| (x < width && y < height).then(|| pixel(x, y)).flatten();
    let Some(this) = pixel(x, y) else { return false };
    [other(x + 1, y), other(x, y + 1)]
        .into_iter()
        .flatten()
        .any(|other| differs(this, other))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pixel_format::PixelFormat;

    const SIZE: (usize, usize) = (600, 896);
    /// A place in the row that is highlighted, and the target of an action in the same row.
    const POINTER: (i32, i32) = (200, 420);
    const TARGET: (i32, i32) = (230, 420);

    /// Returns rows of text 40 pixels high that begin `down` pixels from the top, each different.
    fn rows(down: usize) -> Frame {
        let mut frame = Frame::new(
            SIZE.0 as u32,
            SIZE.1 as u32,
            PixelFormat::Rgb8,
            vec![255; SIZE.0 * SIZE.1 * 3],
        )
        .unwrap();
        for row in 0..20 {
            for x in (20..400).filter(|x| (x * (row + 3) / 7) % 5 < 2) {
                for y in down + row * 40 + 12..down + row * 40 + 28 {
                    paint(&mut frame, (x, y), [0; 3]);
                }
            }
        }
        frame
    }

    fn paint(frame: &mut Frame, (x, y): (usize, usize), colour: [u8; 3]) {
        let at = (y * SIZE.0 + x) * 3;
        if let Some(pixel) = frame.data_mut().get_mut(at..at + 3) {
            pixel.copy_from_slice(&colour);
        }
    }

    /// Recolours the row under the pointer: its background, and its text.
    fn highlighted(mut frame: Frame, background: [u8; 3], text: [u8; 3]) -> Frame {
        // The row is almost as high as a highlight may be.
        for (x, y) in (390..450).flat_map(|y| (10..500).map(move |x| (x, y))) {
            let is_text = frame.data()[(y * SIZE.0 + x) * 3] < 128;
            paint(&mut frame, (x, y), if is_text { text } else { background });
        }
        frame
    }

    fn holds(seen: &Frame, now: &Frame) -> bool {
        let mut difference = Difference::between(seen, now);
        assert!(difference.holds_pointer(TARGET, None), "nothing has changed");
        difference.without_highlight_at(seen, now, POINTER);
        difference.holds_pointer(TARGET, None)
    }

    #[test]
    fn a_highlighted_row_holds_no_click() {
        for (background, text) in [
            ([30, 90, 220], [255; 3]),
            ([0; 3], [255; 3]),
            ([200, 200, 255], [0; 3]),
            ([90; 3], [230; 3]),
        ] {
            let now = highlighted(rows(0), background, text);
            assert!(!holds(&rows(0), &now), "{background:?}");
            assert!(!holds(&now, &rows(0)), "{background:?}, and the pointer has left it");
        }
    }

    #[test]
    fn an_outline_or_a_line_below_the_text_is_a_highlight() {
        let mut now = rows(0);
        for x in 10..500 {
            for y in [401, 402, 437, 438] {
                paint(&mut now, (x, y), [0, 0, 255]);
            }
        }
        let mut difference = Difference::between(&rows(0), &now);
        difference.without_highlight_at(&rows(0), &now, POINTER);
        assert!(!difference.has_changed_within(Area::whole(600, 896)));
    }

    #[test]
    fn contents_that_moved_or_changed_are_no_highlight() {
        for down in [5, 17, 40, 80] {
            assert!(holds(&rows(0), &rows(down)), "{down}");
            let now = highlighted(rows(down), [30, 90, 220], [255; 3]);
            assert!(holds(&rows(0), &now), "{down}, and highlighted");
        }
        let mut label = rows(0);
        for (x, y) in (412..428).flat_map(|y| (150..300).map(move |x| (x, y))) {
            paint(&mut label, (x, y), if x * 3 % 11 < 4 { [0; 3] } else { [255; 3] });
        }
        assert!(holds(&rows(0), &label), "another label");
        let mut bare = rows(0);
        for (x, y) in (401..439).flat_map(|y| (10..500).map(move |x| (x, y))) {
            paint(&mut bare, (x, y), [200; 3]);
        }
        assert!(holds(&rows(0), &bare), "the text is gone");
    }

    #[test]
    fn a_dialog_and_a_dimmed_page_are_no_highlights() {
        let mut dialog = rows(0);
        for (x, y) in (380..480).flat_map(|y| (120..420).map(move |x| (x, y))) {
            paint(&mut dialog, (x, y), [200; 3]);
        }
        assert!(holds(&rows(0), &dialog));
        let mut dimmed = rows(0);
        dimmed.data_mut().iter_mut().for_each(|channel| *channel /= 2);
        assert!(holds(&rows(0), &dimmed));
    }

    #[test]
    fn a_highlight_away_from_the_pointer_counts() {
        let now = highlighted(rows(0), [0; 3], [255; 3]);
        let mut difference = Difference::between(&rows(0), &now);
        difference.without_highlight_at(&rows(0), &now, (200, 600));
        assert!(difference.holds_pointer(TARGET, None));
    }
}
