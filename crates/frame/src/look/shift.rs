//! Finds rows that have moved, or that now show something else: content that was at a point's height and is now at a
//! different height, or gone.
//!
//! [`has_shifted`] and [`was_replaced`] judge changes that are large already. [`Difference::has_moved_row`] finds those
//! that are small, such as two rows that have changed places.

use std::collections::HashMap;

use super::difference::{alike, differs};
use super::{APART, BAND, Difference, Grid, MANY, STILL_THERE, length};
use crate::area::Area;
use crate::frame::Frame;

/// Returns whether the content at this pixel's height has moved to a different height. `within` is the window under the
/// pixel, if known.
pub fn has_shifted(seen: &Frame, now: &Frame, (_, y): (i32, i32), within: Option<Area>) -> bool {
    if !alike(seen, now) {
        return true;
    }
    let Some(band) = band(Grid::of(now.width(), now.height()), y, within) else {
        return false;
    };
    let groups = groups(mismatches(seen, now, band, 0), band, now.height());
    is_elsewhere(&groups, band, now.height(), |group, by| group.is_at(seen, now, by))
}

impl Difference {
    /// Returns whether anything changed at this pixel's height. `within` is the window under the pixel, if known.
    pub fn has_changed_row(&self, (_, y): (i32, i32), within: Option<Area>) -> bool {
        band(self.grid(), y, within).is_some_and(|band| self.has_changed_within(band))
    }

    /// Returns whether the changed content at this pixel's height is now at a height that showed something else before.
    /// `within` is the window under the pixel, if known.
    ///
    /// A number that counts is not found at another height, unless that place shows the same number all along.
    pub fn has_moved_row(&self, seen: &Frame, now: &Frame, (_, y): (i32, i32), within: Option<Area>) -> bool {
        let Some(band) = band(Grid::of(now.width(), now.height()), y, within).filter(|_| alike(seen, now)) else {
            return false;
        };
        let many = length(MANY, now.height()) as usize;
        let mut groups = groups(self.columns(band), band, now.height());
        groups.retain(|group| group.changes >= many && !is_plain(seen, group.area));
        is_elsewhere(&groups, band, now.height(), |group, by| {
            group.is_at(seen, now, by) && group.is_new_at(seen, now, by)
        })
    }
}

/// A part of a band in which pixels changed, with the number of these pixels.
struct Group {
    area: Area,
    changes: usize,
}

impl Group {
    /// Returns whether this part is `by` rows below in the other picture.
    fn is_at(&self, seen: &Frame, now: &Frame, by: i32) -> bool {
        let most = self.changes / STILL_THERE;
        mismatches(seen, now, self.area, by).take(most + 1).count() <= most
    }

    /// Returns whether the place `by` rows below showed something else before.
    fn is_new_at(&self, seen: &Frame, now: &Frame, by: i32) -> bool {
        let place = Area {
            y: self.area.y + by,
            ..self.area
        };
        mismatches(seen, now, place, 0)
            .nth(self.changes / STILL_THERE)
            .is_some()
    }
}

/// Returns whether a test finds most of the groups the same number of rows away. Two thirds are enough, because content
/// next to the rows, such as a scroll bar, did not move with them.
fn is_elsewhere(groups: &[Group], band: Area, height: u32, is_there: impl Fn(&Group, i32) -> bool) -> bool {
    let all: usize = groups.iter().map(|group| group.changes).sum();
    let found_at = |by: i32| {
        let found = groups.iter().filter(|group| is_there(group, by));
        let (count, changes) = found.fold((0, 0), |(count, changes), group| (count + 1, changes + group.changes));
        count * 3 >= groups.len() * 2 || changes * 3 >= all * 2
    };
    let lowest = height as i32 - (band.y + band.height as i32);
    all > 0 && (-band.y..=lowest).filter(|by| *by != 0).any(found_at)
}

/// Returns whether most of the content at this pixel's height is different now. `within` is the window under the pixel,
/// if known.
pub fn was_replaced(seen: &Frame, now: &Frame, (_, y): (i32, i32), within: Option<Area>) -> bool {
    if !alike(seen, now) {
        return true;
    }
    let Some(band) = band(Grid::of(now.width(), now.height()), y, within) else {
        return false;
    };
    let mut colours = HashMap::new();
    for (pixel, _) in pixels(seen, now, band, 0) {
        *colours.entry(pixel).or_insert(0_usize) += 1;
    }
    let Some((background, _)) = colours.into_iter().max_by_key(|(_, count)| *count) else {
        return false;
    };
    let mut content = 0_usize;
    let mut changed = 0_usize;
    for (seen, now) in pixels(seen, now, band, 0) {
        content += usize::from(differs(seen, background) || differs(now, background));
        changed += usize::from(differs(seen, now));
    }
    changed * 2 > content
}

/// Returns the row of a pixel at this height, as far as it is in the picture.
fn band(grid: Grid, y: i32, within: Option<Area>) -> Option<Area> {
    let whole = Area::whole(grid.width(), grid.height());
    let reach = length(BAND, grid.height()) as i32;
    let band = Area {
        y: y - reach,
        height: 2 * reach.unsigned_abs() + 1,
        ..within.unwrap_or(whole)
    };
    band.intersection(&whole)
}

/// Groups changed pixels of a band, each given by its column, from left to right.
fn groups(pixels: impl Iterator<Item = usize>, band: Area, height: u32) -> Vec<Group> {
    let mut changes = vec![0; band.width as usize];
    pixels.for_each(|x| changes[x] += 1);
    let apart = length(APART, height) as usize;
    let columns: Vec<usize> = (0..changes.len()).filter(|x| changes[*x] > 0).collect();
    let group = |columns: &[usize]| Group {
        area: Area {
            x: band.x + columns[0] as i32,
            width: (columns[columns.len() - 1] - columns[0]) as u32 + 1,
            ..band
        },
        changes: columns.iter().map(|x| changes[*x]).sum(),
    };
    columns.chunk_by(|one, next| next - one <= apart).map(group).collect()
}

/// Returns whether all pixels of an area look the same.
fn is_plain(frame: &Frame, area: Area) -> bool {
    let mut pixels = pixels(frame, frame, area, 0).map(|(pixel, _)| pixel);
    let first = pixels.next();
    first.is_none_or(|first| pixels.all(|pixel| !differs(first, pixel)))
}

/// Iterates over the columns of those pixels in a band that differ from the pixels `by` rows below.
fn mismatches<'a>(seen: &'a Frame, now: &'a Frame, band: Area, by: i32) -> impl Iterator<Item = usize> + 'a {
    (0..band.width as usize)
        .cycle()
        .zip(pixels(seen, now, band, by))
        .filter(|(_, (seen, now))| differs(seen, now))
        .map(|(x, _)| x)
}

/// Iterates over the pixels in a band, row by row, each with the pixel `by` rows below in the other picture.
fn pixels<'a>(seen: &'a Frame, now: &'a Frame, band: Area, by: i32) -> impl Iterator<Item = (&'a [u8], &'a [u8])> {
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
        .flat_map(move |(seen, now)| seen.chunks_exact(step).zip(now.chunks_exact(step)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pixel_format::PixelFormat;

    /// Returns a picture of rows 40 pixels high, each with its own pattern, that start `down` pixels from the top.
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

    /// Returns rows like those of [`rows`], with a count in each.
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

    /// A scroll bar gets shorter as rows are added; here its end is at the point's height.
    #[test]
    fn rows_that_moved_are_found_beside_the_end_of_a_scroll_bar() {
        let mut now = rows(40);
        let width = now.width() as usize;
        for (x, y) in (414..430).flat_map(|y| (580..592).map(move |x| (x, y))) {
            let at = (y * width + x) * 3;
            now.data_mut()[at..at + 3].fill(100);
        }
        assert!(has_shifted(&rows(0), &now, (550, 420), None));
    }

    #[test]
    fn a_row_that_shows_something_else_is_found_and_numbers_that_count_are_none() {
        let at = (550, 420);
        // After this many pixels, other rows are where the first ones were.
        assert!(was_replaced(&rows(0), &rows(120), at, None));
        assert!(was_replaced(
            &rows(0),
            &Frame::new(600, 896, PixelFormat::Rgb8, vec![255; 600 * 896 * 3]).unwrap(),
            at,
            None
        ));
        assert!(!was_replaced(&rows(0), &rows(0), at, None));
        for count in 2..9 {
            assert!(!was_replaced(&counting(1), &counting(count), at, None), "{count}");
        }
        let elsewhere = Area {
            x: 500,
            y: 0,
            width: 100,
            height: 896,
        };
        assert!(
            !was_replaced(&rows(0), &rows(120), at, Some(elsewhere)),
            "another window"
        );
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

    fn moved(seen: &Frame, now: &Frame) -> bool {
        Difference::between(seen, now).has_moved_row(seen, now, (550, 420), None)
    }

    /// Copies 40 rows of pixels from one picture to a place in another one.
    fn put(to: &mut Frame, at: usize, from: &Frame, row: usize) {
        let stride = from.width() as usize * 3;
        let rows = from.data()[row * stride..][..40 * stride].to_vec();
        to.data_mut()[at * stride..][..40 * stride].copy_from_slice(&rows);
    }

    #[test]
    fn two_rows_that_changed_places_are_found() {
        let seen = rows(0);
        for other in [360, 440, 200] {
            let mut now = seen.clone();
            put(&mut now, 400, &seen, other);
            put(&mut now, other, &seen, 400);
            assert!(moved(&seen, &now), "{other}");
        }
    }

    #[test]
    fn what_appears_or_counts_or_changes_elsewhere_is_no_moved_row() {
        let seen = rows(0);
        assert!(!moved(&seen, &seen));
        for count in 2..9 {
            assert!(!moved(&counting(1), &counting(count)), "{count}");
        }
        let mut elsewhere = seen.clone();
        put(&mut elsewhere, 200, &seen, 240);
        put(&mut elsewhere, 240, &seen, 200);
        assert!(!moved(&seen, &elsewhere));
        let mut covered = seen.clone();
        let stride = covered.width() as usize * 3;
        covered.data_mut()[400 * stride..440 * stride].fill(90);
        assert!(!moved(&seen, &covered));
    }
}
