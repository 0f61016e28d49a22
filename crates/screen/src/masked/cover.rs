//! The masked parts of a screen, in its pixels.

use franz_frame::Area;

use crate::window::WindowId;

/// A masked part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MaskedPart {
    pub(super) area: Area,
    /// The text painted on it.
    pub(super) name: String,
    /// The window that it masks, if it masks one.
    pub(super) window: Option<WindowId>,
}

/// All masked parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Cover {
    pub(super) parts: Vec<MaskedPart>,
}

impl Cover {
    /// Adds a part, clipped to the screen.
    pub(super) fn add(&mut self, whole: Area, part: MaskedPart) {
        let visible = part.area.intersection(&whole);
        self.parts.extend(visible.map(|area| MaskedPart { area, ..part }));
    }

    /// Returns the union of both. A window that has moved is masked along its whole path.
    pub(super) fn and(mut self, other: &Cover) -> Cover {
        for part in &other.parts {
            if self.parts.contains(part) {
                continue;
            }
            let same = |known: &&mut MaskedPart| part.window.is_some() && known.window == part.window;
            match self.parts.iter_mut().find(same) {
                Some(known) => known.area = known.area.union(&part.area),
                None => self.parts.push(part.clone()),
            }
        }
        self
    }

    /// Returns whether a pixel is masked.
    pub(super) fn hides(&self, (x, y): (i32, i32)) -> bool {
        self.parts.iter().any(|part| part.area.contains(x, y))
    }

    /// Returns whether any pixel of an area is masked.
    pub(super) fn touches(&self, area: Area) -> bool {
        self.parts.iter().any(|part| part.area.intersection(&area).is_some())
    }

    /// Returns whether a single part masks all of an area.
    pub(super) fn swallows(&self, area: Area) -> bool {
        self.parts
            .iter()
            .any(|part| part.area.intersection(&area) == Some(area))
    }

    /// Returns whether a straight line crosses a masked part.
    pub(super) fn crosses(&self, from: (i32, i32), to: (i32, i32)) -> bool {
        self.parts.iter().any(|part| crosses(part.area, from, to))
    }
}

/// Clips a line to the area plus half a pixel around it, since lines are walked in whole pixels; returns whether any of
/// it is left.
fn crosses(area: Area, from: (i32, i32), to: (i32, i32)) -> bool {
    let (mut first, mut last) = (0.0_f64, 1.0_f64);
    for (start, end, low, size) in [(from.0, to.0, area.x, area.width), (from.1, to.1, area.y, area.height)] {
        let (start, way) = (f64::from(start), f64::from(end) - f64::from(start));
        let (low, high) = (f64::from(low) - 0.5, f64::from(low) + f64::from(size) - 0.5);
        if way == 0.0 {
            if start < low || start > high {
                return false;
            }
            continue;
        }
        let (one, other) = ((low - start) / way, (high - start) / way);
        first = first.max(one.min(other));
        last = last.min(one.max(other));
    }
    first <= last
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn area(x: i32, y: i32, width: u32, height: u32) -> Area {
        Area { x, y, width, height }
    }

    fn part(area: Area, window: Option<u64>) -> MaskedPart {
        MaskedPart {
            area,
            name: "a".to_owned(),
            window: window.map(WindowId),
        }
    }

    fn cover(parts: &[MaskedPart]) -> Cover {
        let mut cover = Cover::default();
        for part in parts {
            cover.add(Area::whole(100, 100), part.clone());
        }
        cover
    }

    #[test]
    fn a_window_that_moves_is_masked_on_its_way() {
        let before = cover(&[part(area(0, 0, 10, 10), Some(1)), part(area(50, 50, 5, 5), None)]);
        let after = cover(&[
            part(area(40, 20, 10, 10), Some(1)),
            part(area(50, 50, 5, 5), None),
            part(area(90, 90, 50, 50), Some(2)),
        ]);
        let both = before.and(&after);
        let areas: Vec<Area> = both.parts.iter().map(|part| part.area).collect();
        assert_eq!(areas, [area(0, 0, 50, 30), area(50, 50, 5, 5), area(90, 90, 10, 10)]);
        assert!(both.hides((25, 15)) && !both.hides((60, 60)));
        assert!(both.touches(area(55, 0, 1, 1)) == both.hides((55, 0)));
        assert!(both.swallows(area(51, 51, 4, 4)) && !both.swallows(area(51, 51, 5, 4)));
        assert!(both.touches(area(54, 54, 20, 20)));
    }

    #[test]
    fn what_lies_outside_is_no_part() {
        assert_eq!(cover(&[part(area(100, 0, 5, 5), None)]), Cover::default());
        assert_eq!(
            cover(&[part(area(-5, -5, 10, 10), None)]).parts[0].area,
            area(0, 0, 5, 5)
        );
    }

    proptest! {
        #[test]
        fn a_way_through_a_part_crosses_it(
            (x, y, width, height) in (0..80i32, 0..80i32, 1..20u32, 1..20u32),
            from in (0..100i32, 0..100i32),
            to in (0..100i32, 0..100i32),
        ) {
            let cover = cover(&[part(area(x, y, width, height), None)]);
            // Walk like the hands: in equal steps, rounded to pixels.
            let pixel = |share: f64, from: i32, to: i32| {
                (f64::from(from) + f64::from(to - from) * share).round() as i32
            };
            let way = (0..=200).map(|step| f64::from(step) / 200.0);
            let touched = way
                .map(|share| (pixel(share, from.0, to.0), pixel(share, from.1, to.1)))
                .any(|at| cover.hides(at));
            if touched {
                prop_assert!(cover.crosses(from, to));
            }
            let around = cover.touches(area(
                from.0.min(to.0) - 1,
                from.1.min(to.1) - 1,
                from.0.abs_diff(to.0) + 3,
                from.1.abs_diff(to.1) + 3,
            ));
            if !around {
                prop_assert!(!cover.crosses(from, to));
            }
            prop_assert_eq!(cover.crosses(from, to), cover.crosses(to, from));
        }
    }
}
