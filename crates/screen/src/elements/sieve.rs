//! Keeps the elements that can be seen and clicked, up to the number that a model reads.

use std::collections::BTreeSet;

use franz_action::aimed_at::MOST_ELEMENTS;
use franz_action::text::shortened;
use franz_frame::Area;

use super::layer::{of_window, topmost};
use super::role::Role;
use super::{AccessibleElement, DesktopLayer, Elements};

/// The maximum number of elements that the model gets.
const MOST: usize = MOST_ELEMENTS as usize;

/// Elements whose tops differ by less than this are read as one row.
const ROW: i32 = 8;

/// The smallest side of an element that can be clicked.
const SMALLEST: u32 = 3;

/// The longest name, in characters.
const LONGEST_NAME: usize = 60;

/// An element as its program reports it.
#[derive(Clone, Debug)]
pub(crate) struct ReportedElement {
    pub(crate) role: Role,
    pub(crate) element: AccessibleElement,
    /// The process that reports it, if known.
    pub(crate) process: Option<u32>,
    /// The area of its window.
    pub(crate) window: Area,
}

impl ReportedElement {
    /// Returns the layer on which the element can be seen and clicked, by its index from the top.
    fn layer(&self, layers: &[DesktopLayer], seen: Area) -> Option<usize> {
        let place = self.element.place;
        let (width, height) = (i32::try_from(place.width).ok()?, i32::try_from(place.height).ok()?);
        let middle = (place.x + width / 2, place.y + height / 2);
        if place.width < SMALLEST || place.height < SMALLEST || !seen.contains(middle.0, middle.1) {
            return None;
        }
        let top = topmost(layers, middle)?;
        let own = of_window(layers, self.process, self.window);
        let is_own = own == Some(top);
        let layer = &layers[top];
        let same = self.process.is_none() || layer.process.is_none() || layer.process == self.process;
        let popped_up = layer.window.is_none() && same && (own.is_none() || self.role.pops_up());
        (is_own || popped_up).then_some(top)
    }
}

/// Returns text with single spaces between words, cut to the length that the model gets.
pub(crate) fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    shortened(&words.join(" "), LONGEST_NAME)
}

/// Returns the visible elements in reading order: the topmost layer first, then row by row.
pub(crate) fn sifted(told: Vec<ReportedElement>, layers: &[DesktopLayer], seen: Area) -> Elements {
    let telling: BTreeSet<Option<u32>> = told.iter().map(|told| told.process).collect();
    let is_silent = |layer: &&DesktopLayer| layer.process.is_none() || !telling.contains(&layer.process);
    let silent = layers
        .iter()
        .filter(is_silent)
        .filter_map(|layer| layer.window)
        .collect();
    let placed = told
        .into_iter()
        .filter_map(|told| Some((told.layer(layers, seen)?, told)));
    let mut visible: Vec<(usize, ReportedElement)> = placed.collect();
    visible.sort_by_key(|(layer, told)| (*layer, told.element.place.y / ROW, told.element.place.x));
    visible.dedup_by(|(_, one), (_, other)| {
        one.element.place == other.element.place && one.element.name == other.element.name
    });
    let all = visible.len();
    let mut kept: Vec<bool> = vec![false; all];
    // A long list must not crowd out the buttons next to it.
    for many in [false, true] {
        let mut room = MOST.saturating_sub(kept.iter().filter(|kept| **kept).count());
        for (kept, (_, told)) in kept.iter_mut().zip(&visible) {
            if room > 0 && told.role.is_one_of_many() == many {
                *kept = true;
                room -= 1;
            }
        }
    }
    let list: Vec<AccessibleElement> = visible
        .into_iter()
        .zip(kept)
        .filter_map(|((_, told), kept)| kept.then_some(told.element))
        .collect();
    Elements {
        left_out: all - list.len(),
        list,
        is_complete: true,
        silent,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::window::WindowId;

    fn area(x: i32, y: i32, width: u32, height: u32) -> Area {
        Area { x, y, width, height }
    }

    fn layer(area: Area, process: u32, window: Option<u64>) -> DesktopLayer {
        DesktopLayer {
            area,
            path: area,
            process: Some(process),
            window: window.map(WindowId),
            maker: None,
            names: Vec::new(),
        }
    }

    fn told(role: u32, name: &str, place: Area, process: u32, window: Area) -> ReportedElement {
        ReportedElement {
            role: Role(role),
            element: AccessibleElement {
                role: Role(role).word().unwrap(),
                name: name.to_owned(),
                place,
                is_enabled: true,
                is_checked: false,
            },
            process: Some(process),
            window,
        }
    }

    fn names(elements: &Elements) -> Vec<&str> {
        elements.list.iter().map(|element| element.name.as_str()).collect()
    }

    const SEEN: Area = Area {
        x: 0,
        y: 0,
        width: 1000,
        height: 700,
    };

    #[test]
    fn a_name_is_one_line_of_bounded_length() {
        assert_eq!(one_line(" Save \n as\t… "), "Save as …");
        let long = one_line(&"ü ".repeat(1_000_000));
        assert_eq!(long.chars().count(), LONGEST_NAME + 1);
        assert!(long.starts_with("ü ü") && long.ends_with('…'));
    }

    #[test]
    fn what_is_covered_is_not_told() {
        let (back, front) = (area(0, 0, 600, 600), area(300, 0, 600, 600));
        let menu = area(310, 40, 100, 200);
        let layers = [layer(menu, 2, None), layer(front, 2, Some(2)), layer(back, 1, Some(1))];
        let all = vec![
            told(43, "seen", area(10, 10, 50, 20), 1, back),
            told(43, "behind the other window", area(320, 300, 50, 20), 1, back),
            told(43, "half behind", area(270, 400, 50, 20), 1, back),
            told(43, "beside the menu", area(500, 300, 50, 20), 2, front),
            told(43, "under the menu", area(320, 60, 50, 20), 2, front),
            told(35, "in the menu", area(320, 80, 50, 20), 2, front),
            told(35, "of another program", area(320, 100, 50, 20), 1, back),
            told(43, "outside", area(995, 690, 50, 50), 2, front),
            told(43, "a speck", area(500, 400, 1, 20), 2, front),
        ];
        let elements = sifted(all, &layers, SEEN);
        assert_eq!(
            names(&elements),
            ["in the menu", "beside the menu", "seen", "half behind"]
        );
        assert_eq!((elements.left_out, &elements.silent[..]), (0, &[][..]));
        let silent = sifted(Vec::new(), &layers, SEEN).silent;
        assert_eq!(silent, [WindowId(2), WindowId(1)]);
    }

    #[test]
    fn rows_are_read_from_the_left_and_buttons_come_before_cells_when_there_are_many() {
        let whole = area(0, 0, 1000, 700);
        let layers = [layer(whole, 1, Some(1))];
        let cells = (0..80).map(|row| told(56, "cell", area(10, 8 * row, 50, 8), 1, whole));
        let buttons = [("right", 700), ("left", 600)];
        let buttons =
            buttons.map(|(name, x)| told(43, name, area(x, if x == 600 { 643 } else { 641 }, 50, 20), 1, whole));
        let elements = sifted(cells.chain(buttons).collect(), &layers, SEEN);
        assert_eq!((elements.list.len(), elements.left_out), (MOST, 22));
        assert_eq!(names(&elements)[58..], ["left", "right"]);
    }

    #[test]
    fn a_window_is_recognised_by_its_place() {
        let layers = [
            layer(area(0, 0, 100, 100), 1, Some(1)),
            layer(area(0, 0, 300, 300), 1, Some(2)),
        ];
        for (process, place, found) in [
            (Some(1), area(1, 20, 298, 278), Some(1)),
            (Some(1), area(0, 0, 100, 90), Some(0)),
            (Some(2), area(0, 0, 100, 100), None),
            (None, area(0, 0, 100, 100), Some(0)),
            (Some(1), area(500, 500, 100, 100), None),
        ] {
            assert_eq!(of_window(&layers, process, place), found, "{process:?} {place}");
        }
    }
}
