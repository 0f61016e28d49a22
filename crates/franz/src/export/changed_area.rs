//! Where one picture differs from another of the same size.

use franz_frame::{Area, Frame, PixelFormat};

/// Returns the smallest area around all pixels that differ; `None` if there is none. Both pictures are RGB.
pub(super) fn changed(before: &Frame, after: &Frame) -> Option<Area> {
    let (width, height) = (after.width(), after.height());
    if (before.width(), before.height(), before.format()) != (width, height, after.format()) {
        return Some(Area::whole(width, height));
    }
    let pixel = PixelFormat::Rgb8.bytes();
    let row = width as usize * pixel;
    let (mut left, mut right, mut top, mut bottom) = (usize::MAX, 0, None, 0);
    let rows = before.data().chunks_exact(row).zip(after.data().chunks_exact(row));
    for (y, (old, new)) in rows.enumerate().filter(|(_, (old, new))| old != new) {
        let differs = |x: &usize| old[x * pixel..][..pixel] != new[x * pixel..][..pixel];
        let columns = 0..width as usize;
        left = left.min(columns.clone().find(differs)?);
        right = right.max(columns.rev().find(differs)?);
        top = top.or(Some(y));
        bottom = y;
    }
    let top = top?;
    Some(Area {
        x: left as i32,
        y: top as i32,
        width: (right - left + 1) as u32,
        height: (bottom - top + 1) as u32,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_area_is_as_small_as_can_be() {
        let before = Frame::black(8, 6, PixelFormat::Rgb8).unwrap();
        assert_eq!(changed(&before, &before), None);
        let mut after = before.clone();
        for (x, y) in [(2, 1), (5, 3)] {
            after.data_mut()[(y * 8 + x) * 3 + 2] = 1;
        }
        let area = Area {
            x: 2,
            y: 1,
            width: 4,
            height: 3,
        };
        assert_eq!(changed(&before, &after), Some(area));
        let other = Frame::black(4, 4, PixelFormat::Rgb8).unwrap();
        assert_eq!(changed(&before, &other), Some(Area::whole(4, 4)));
    }
}
