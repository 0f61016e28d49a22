//! Rows that have moved: what lay at the height of a point lies at another height now.

use super::difference::{alike, differs};
use super::{BAND, STILL_THERE, length};
use crate::area::Area;
use crate::frame::Frame;

/// Whether what lay at the height of this pixel is found at another height, and not where it was. `within` is the window under
/// the pixel, where that is known.
pub fn has_shifted(seen: &Frame, now: &Frame, (_, y): (i32, i32), within: Option<Area>) -> bool {
    if !alike(seen, now) {
        return true;
    }
    let whole = Area::whole(now.width(), now.height());
    let reach = length(BAND, now.height()) as i32;
    let window = within.unwrap_or(whole);
    let band = Area {
        y: y - reach,
        height: 2 * reach.unsigned_abs() + 1,
        ..window
    };
    let Some(band) = band.intersection(&whole) else {
        return false;
    };
    // Between the outermost changes: what stands beside the rows, such as a scroll bar, has not moved with them.
    let (first, last) =
        mismatches(seen, now, band, 0).fold((u32::MAX, 0), |(first, last), x| (first.min(x), last.max(x)));
    if first > last {
        return false;
    }
    let band = Area {
        x: band.x + first.cast_signed(),
        width: last - first + 1,
        ..band
    };
    let here = mismatches(seen, now, band, 0).count();
    let most = here / STILL_THERE;
    let last = now.height() as i32 - (band.y + band.height as i32);
    (-band.y..=last)
        .filter(|by| *by != 0)
        .any(|by| mismatches(seen, now, band, by).take(most + 1).count() <= most)
}

/// Iterates over the columns of the pixels of a band that differ from those so far below.
fn mismatches<'a>(seen: &'a Frame, now: &'a Frame, band: Area, by: i32) -> impl Iterator<Item = u32> + 'a {
    let step = now.format().bytes();
    let stride = now.width() as usize * step;
    let (from, length) = (band.x as usize * step, band.width as usize * step);
    let row = move |frame: &'a Frame, y: i32| {
        frame
            .data()
            .get(y as usize * stride + from..)
            .and_then(|row| row.get(..length))
    };
    (band.y..band.y + band.height as i32)
        .filter_map(move |y| Some((row(seen, y)?, row(now, y + by)?)))
        .flat_map(move |(seen, now)| (0..).zip(seen.chunks_exact(step).zip(now.chunks_exact(step))))
        .filter(|(_, (seen, now))| differs(seen, now))
        .map(|(x, _)| x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::PixelFormat;

    /// Rows of 40 pixels, each with a pattern of its own, beginning this far down.
    fn rows(down: usize) -> Frame {
        let (width, height) = (600, 896);
        let mut data = vec![255; width * height * 3];
        for row in 0..20 {
            for x in (20..400).filter(|x| (x * (row + 3) / 7) % 5 < 2) {
                for y in down + row * 40 + 12..down + row * 40 + 28 {
                    let at = (y * width + x) * 3;
                    data.get_mut(at..at + 3).into_iter().for_each(|pixel| pixel.fill(0));
                }
            }
        }
        Frame::new(width as u32, height as u32, PixelFormat::Rgb8, data).unwrap()
    }

    /// The same with a number that counts, in every row.
    fn counting(count: usize) -> Frame {
        let mut frame = rows(0);
        let width = frame.width() as usize;
        for row in 0..20 {
            for (x, y) in (0..16).map(|at| (450 + (at * count) % 24, row * 40 + 12 + at)) {
                let at = (y * width + x) * 3;
                frame.data_mut()[at..at + 9].fill(0);
            }
        }
        frame
    }

    #[test]
    fn rows_that_moved_are_found_and_numbers_that_count_are_none() {
        for down in [17, 33, 40, 80] {
            assert!(has_shifted(&rows(0), &rows(down), (550, 420), None), "{down}");
            assert!(has_shifted(&rows(down), &rows(0), (550, 420), None), "{down}");
        }
        assert!(!has_shifted(&rows(0), &rows(0), (550, 420), None));
        for count in 2..9 {
            assert!(
                !has_shifted(&counting(1), &counting(count), (550, 420), None),
                "{count}"
            );
        }
    }
}
