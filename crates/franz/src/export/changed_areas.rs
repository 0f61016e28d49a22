//! Finds where one picture differs from another of the same size.

use franz_frame::{Area, Frame, PixelFormat};

/// The minimum number of unchanged rows or columns between two areas. A narrower gap is not worth a separate part.
const GAP: usize = 24;

/// Returns the smallest area around all pixels that differ; `None` if no pixel differs. Both pictures are RGB.
pub(super) fn changed(before: &Frame, after: &Frame) -> Option<Area> {
    let whole = Area::whole(after.width(), after.height());
    match Difference::of(before, after) {
        Some(difference) => difference.around(whole),
        None => Some(whole),
    }
}

/// Returns separate areas that together contain all differing pixels, each as small as possible.
pub(super) fn changed_areas(before: &Frame, after: &Frame) -> Vec<Area> {
    let whole = Area::whole(after.width(), after.height());
    let Some(difference) = Difference::of(before, after) else {
        return vec![whole];
    };
    let mut areas = Vec::new();
    difference.split(whole, &mut areas);
    areas
}

/// Two pictures of the same size and format.
struct Difference<'a> {
    before: &'a Frame,
    after: &'a Frame,
}

impl Difference<'_> {
    fn of<'a>(before: &'a Frame, after: &'a Frame) -> Option<Difference<'a>> {
        let shape = |frame: &Frame| (frame.width(), frame.height(), frame.format());
        (shape(before) == shape(after)).then_some(Difference { before, after })
    }

    /// Returns the smallest area around the differing pixels within an area.
    fn around(&self, area: Area) -> Option<Area> {
        let rows = self.rows(area);
        let columns = self.columns(area);
        let [top, bottom] = ends(&rows)?;
        let [left, right] = ends(&columns)?;
        Some(Area {
            x: area.x + left as i32,
            y: area.y + top as i32,
            width: (right - left) as u32,
            height: (bottom - top) as u32,
        })
    }

    /// Splits an area at unchanged rows and then at unchanged columns, until there are none left to split at.
    fn split(&self, area: Area, areas: &mut Vec<Area>) {
        let Some(area) = self.around(area) else { return };
        let rows = runs(&self.rows(area));
        let columns = runs(&self.columns(area));
        if rows.len() > 1 {
            for [top, bottom] in rows {
                let part = Area {
                    y: area.y + top as i32,
                    height: (bottom - top) as u32,
                    ..area
                };
                self.split(part, areas);
            }
        } else if columns.len() > 1 {
            for [left, right] in columns {
                let part = Area {
                    x: area.x + left as i32,
                    width: (right - left) as u32,
                    ..area
                };
                self.split(part, areas);
            }
        } else {
            areas.push(area);
        }
    }

    /// Returns, for each row of an area, whether it has changed.
    fn rows(&self, area: Area) -> Vec<bool> {
        let rows = self.pixels(area);
        rows.map(|(old, new)| old != new).collect()
    }

    /// Returns, for each column of an area, whether it has changed.
    fn columns(&self, area: Area) -> Vec<bool> {
        let mut changed = vec![false; area.width as usize];
        for (old, new) in self.pixels(area).filter(|(old, new)| old != new) {
            let bytes = PixelFormat::Rgb8.bytes();
            let pixels = old.chunks_exact(bytes).zip(new.chunks_exact(bytes));
            for (changed, (old, new)) in changed.iter_mut().zip(pixels) {
                *changed |= old != new;
            }
        }
        changed
    }

    /// Returns the rows of an area in both pictures.
    fn pixels(&self, area: Area) -> impl Iterator<Item = (&[u8], &[u8])> {
        let bytes = PixelFormat::Rgb8.bytes();
        let row = self.after.width() as usize * bytes;
        let (left, width) = (area.x as usize * bytes, area.width as usize * bytes);
        let rows = self
            .before
            .data()
            .chunks_exact(row)
            .zip(self.after.data().chunks_exact(row));
        let rows = rows.skip(area.y as usize).take(area.height as usize);
        rows.map(move |(old, new)| (&old[left..left + width], &new[left..left + width]))
    }
}

/// Returns where the changes begin and where they end.
fn ends(changed: &[bool]) -> Option<[usize; 2]> {
    let first = changed.iter().position(|&changed| changed)?;
    let last = changed.iter().rposition(|&changed| changed)?;
    Some([first, last + 1])
}

/// Returns where groups of nearby changes begin and end.
fn runs(changed: &[bool]) -> Vec<[usize; 2]> {
    let mut runs: Vec<[usize; 2]> = Vec::new();
    for (at, _) in changed.iter().enumerate().filter(|(_, changed)| **changed) {
        match runs.last_mut() {
            Some([_, end]) if at - *end < GAP => *end = at + 1,
            _ => runs.push([at, at + 1]),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(pixels: &[(usize, usize)]) -> Frame {
        let mut frame = Frame::black(100, 80, PixelFormat::Rgb8).unwrap();
        for (x, y) in pixels {
            frame.data_mut()[(y * 100 + x) * 3 + 2] = 1;
        }
        frame
    }

    fn area(x: i32, y: i32, width: u32, height: u32) -> Area {
        Area { x, y, width, height }
    }

    #[test]
    fn areas_are_as_small_as_can_be() {
        let before = with(&[]);
        let near = with(&[(2, 1), (5, 3)]);
        let far = with(&[(2, 1), (5, 3), (90, 2), (3, 70)]);
        for (after, all, each) in [
            (&before, None, vec![]),
            (&near, Some(area(2, 1, 4, 3)), vec![area(2, 1, 4, 3)]),
            (
                &far,
                Some(area(2, 1, 89, 70)),
                vec![area(2, 1, 4, 3), area(90, 2, 1, 1), area(3, 70, 1, 1)],
            ),
        ] {
            assert_eq!(changed(&before, after), all);
            assert_eq!(changed_areas(&before, after), each);
        }
        let other = Frame::black(4, 4, PixelFormat::Rgb8).unwrap();
        assert_eq!(changed(&before, &other), Some(Area::whole(4, 4)));
        assert_eq!(changed_areas(&before, &other), [Area::whole(4, 4)]);
    }
}
