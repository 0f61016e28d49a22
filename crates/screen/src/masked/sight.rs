//! Determines what masks withhold, given what is on the screen.

use std::collections::BTreeSet;

use franz_frame::Area;

use super::cover::{Cover, MaskedPart};
use super::mask::{Mask, MaskTarget, pixels};
use crate::elements::DesktopLayer;
use crate::stacking::Stacking;
use crate::window::Window;
use crate::window::WindowId;

/// How far a mask extends beyond its window, in pixels, to cover shadows and movement.
const AROUND: u32 = 8;

/// The text on a screen whose windows are unknown.
const UNKNOWN: &str = "masked: the windows of this screen are unknown";

/// The parts and windows that are withheld.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Sight {
    pub(super) cover: Cover,
    pub(super) windows: BTreeSet<WindowId>,
    /// Whether keys would reach a masked window.
    pub(super) is_in_front: bool,
    /// Whether masks name windows but no windows are known.
    pub(super) is_blind: bool,
}

impl Sight {
    /// Returns what these masks withhold. `stacking` is `None` where windows are unknown.
    pub(super) fn of(masks: &[Mask], whole: Area, stacking: Option<&Stacking>) -> Sight {
        let mut sight = Sight::default();
        for mask in masks {
            if let MaskTarget::Area(area) = mask.target {
                sight.mask(whole, pixels(area, whole), mask.label(), None);
            }
        }
        match stacking {
            Some(stacking) => {
                let Sight {
                    cover,
                    windows,
                    is_in_front,
                    ..
                } = &mut sight;
                let is_under = |window: &&Window| window.place.is_some_and(|place| cover.swallows(place));
                for window in stacking.windows.iter().filter(is_under) {
                    windows.insert(window.id);
                    *is_in_front |= window.is_active;
                }
                for mask in masks.iter().filter(|mask| mask.is_for_windows()) {
                    sight.mask_windows(whole, mask, stacking);
                }
            }
            None if masks.iter().any(Mask::is_for_windows) => {
                sight.mask(whole, whole, UNKNOWN.to_owned(), None);
                (sight.is_in_front, sight.is_blind) = (true, true);
            }
            None => {}
        }
        sight
    }

    /// Returns everything that is withheld at either of two moments.
    pub(super) fn and(mut self, other: &Sight) -> Sight {
        self.windows.extend(&other.windows);
        Sight {
            cover: self.cover.and(&other.cover),
            windows: self.windows,
            is_in_front: self.is_in_front || other.is_in_front,
            is_blind: self.is_blind || other.is_blind,
        }
    }

    /// Returns whether a window is masked, directly or as the dialog of a masked window.
    pub(super) fn withholds(&self, window: WindowId) -> bool {
        self.is_blind || self.windows.contains(&window)
    }

    fn mask(&mut self, whole: Area, area: Area, name: String, window: Option<WindowId>) {
        self.cover.add(whole, MaskedPart { area, name, window });
    }

    fn mask_windows(&mut self, whole: Area, mask: &Mask, stacking: &Stacking) {
        let Stacking { windows, layers } = stacking;
        let masked = masked_windows(mask, windows);
        let layers = layers.as_deref().unwrap_or_default();
        let is_own = |layer: &&DesktopLayer| layer.window.is_some_and(|id| masked.contains(&id));
        let own: Vec<&DesktopLayer> = layers.iter().filter(is_own).collect();
        for window in windows.iter().filter(|window| masked.contains(&window.id)) {
            self.is_in_front |= window.is_active;
            match window.place {
                Some(place) => self.mask(whole, around(place), mask.label(), Some(window.id)),
                // The window has the keyboard focus, so it must be on the screen somewhere.
                None if window.is_active => self.mask(whole, whole, mask.label(), None),
                None => {}
            }
        }
        for layer in layers {
            let belongs = match layer.window {
                Some(id) => masked.contains(&id),
                None => mask.is_of(layer.names.iter()) || own.iter().any(|own| is_of_one_program(own, layer)),
            };
            if belongs {
                // An open menu has the keyboard focus.
                self.is_in_front |= layer.window.is_none();
                self.mask(whole, around(layer.path), mask.label(), layer.window);
            }
        }
        self.windows.extend(masked);
    }
}

/// Returns the windows with a matching title or class, and their dialogs.
fn masked_windows(mask: &Mask, windows: &[Window]) -> BTreeSet<WindowId> {
    let fits = windows
        .iter()
        .filter(|window| mask.is_of([&window.title, &window.class].into_iter()));
    let mut masked: BTreeSet<WindowId> = fits.map(|window| window.id).collect();
    loop {
        let known = masked.len();
        let of_masked = |window: &&Window| window.dialog_of.is_some_and(|id| masked.contains(&id));
        let dialogs: Vec<WindowId> = windows.iter().filter(of_masked).map(|window| window.id).collect();
        masked.extend(dialogs);
        if masked.len() == known {
            return masked;
        }
    }
}

/// Returns whether both layers belong to the same program.
fn is_of_one_program(one: &DesktopLayer, other: &DesktopLayer) -> bool {
    let is_same = |one: Option<u32>, other: Option<u32>| one.is_some() && one == other;
    is_same(one.maker, other.maker) || is_same(one.process, other.process)
}

fn around(area: Area) -> Area {
    let side = |size: u32| size.saturating_add(2 * AROUND);
    Area {
        x: area.x.saturating_sub_unsigned(AROUND),
        y: area.y.saturating_sub_unsigned(AROUND),
        width: side(area.width),
        height: side(area.height),
    }
}

#[cfg(test)]
mod tests {
    use super::super::glob::Glob;
    use super::*;

    const WHOLE: Area = Area {
        x: 0,
        y: 0,
        width: 1001,
        height: 1001,
    };

    fn area(x: i32, y: i32, width: u32, height: u32) -> Area {
        Area { x, y, width, height }
    }

    fn window(id: u64, title: &str, class: &str, place: Option<Area>) -> Window {
        Window {
            id: WindowId(id),
            title: title.to_owned(),
            class: class.to_owned(),
            place,
            is_active: false,
            dialog_of: None,
        }
    }

    fn layer(window: Option<u64>, area: Area, maker: u32, names: &[&str]) -> DesktopLayer {
        DesktopLayer {
            area,
            path: area,
            process: None,
            window: window.map(WindowId),
            maker: Some(maker),
            names: names.iter().map(|&name| name.to_owned()).collect(),
        }
    }

    fn of(pattern: &str) -> [Mask; 1] {
        [Mask {
            target: MaskTarget::Window(Glob::new(pattern)),
            name: None,
        }]
    }

    fn areas(sight: &Sight) -> Vec<String> {
        sight.cover.parts.iter().map(|part| part.area.to_string()).collect()
    }

    fn desktop() -> Stacking {
        Stacking {
            windows: vec![
                window(1, "db - KeePassXC", "keepassxc", Some(area(100, 100, 200, 100))),
                window(2, "Mail", "thunderbird", Some(area(0, 0, 50, 50))),
                window(3, "Old", "keepassxc", None),
            ],
            layers: Some(vec![
                layer(None, area(120, 150, 60, 80), 7, &[]),
                layer(Some(1), area(95, 80, 210, 125), 7, &[]),
                layer(Some(2), area(0, 0, 50, 50), 8, &[]),
                layer(None, area(900, 900, 10, 10), 8, &["KeePass-splash", "x"]),
                layer(None, area(500, 500, 10, 10), 9, &["panel"]),
            ]),
        }
    }

    #[test]
    fn a_window_is_masked_with_its_frame_its_menus_and_what_lies_around() {
        for (pattern, expected, withheld) in [
            (
                "KeePass*",
                &[
                    "216x116 at 92,92",
                    "76x96 at 112,142",
                    "226x141 at 87,72",
                    "26x26 at 892,892",
                ][..],
                &[1, 3][..],
            ),
            (
                "*- keepassXC",
                &["216x116 at 92,92", "76x96 at 112,142", "226x141 at 87,72"],
                &[1],
            ),
            ("Mail", &["58x58 at 0,0", "58x58 at 0,0", "26x26 at 892,892"], &[2]),
            ("nothing", &[], &[]),
        ] {
            let sight = Sight::of(&of(pattern), WHOLE, Some(&desktop()));
            assert_eq!(areas(&sight), expected, "{pattern}");
            let is = |id: &u64| sight.withholds(WindowId(*id));
            assert_eq!((1..=3).filter(is).collect::<Vec<u64>>(), withheld, "{pattern}");
        }
    }

    #[test]
    fn dialogs_belong_to_their_window() {
        let mut stacking = desktop();
        stacking.windows[1].dialog_of = Some(WindowId(3));
        let mut own = window(4, "Unlock", "other", Some(area(600, 600, 10, 10)));
        own.dialog_of = Some(WindowId(2));
        own.is_active = true;
        stacking.windows.push(own);
        let sight = Sight::of(&of("Old"), WHOLE, Some(&stacking));
        assert!((2..=4).all(|id| sight.withholds(WindowId(id))));
        assert!(sight.is_in_front && sight.cover.hides((605, 605)));
    }

    #[test]
    fn keys_are_withheld_from_what_is_masked_in_front() {
        let front = |stacking: &Stacking| Sight::of(&of("KeePass*"), WHOLE, Some(stacking)).is_in_front;
        let mut stacking = desktop();
        assert!(front(&stacking), "a menu is open");
        stacking.layers = None;
        assert!(!front(&stacking));
        stacking.windows[0].is_active = true;
        assert!(front(&stacking));
        stacking.windows[0].is_active = false;
        stacking.windows[1].is_active = true;
        assert!(!front(&stacking));
    }

    #[test]
    fn all_is_masked_where_the_place_cannot_be_told() {
        let sight = Sight::of(&of("KeePass*"), WHOLE, None);
        assert_eq!(areas(&sight), [WHOLE.to_string()]);
        assert!(sight.is_in_front && sight.withholds(WindowId(99)));
        let mut stacking = desktop();
        stacking.layers = None;
        stacking.windows.remove(0);
        assert_eq!(areas(&Sight::of(&of("KeePass*"), WHOLE, Some(&stacking))), [""; 0]);
        stacking.windows[1].is_active = true;
        assert_eq!(
            areas(&Sight::of(&of("KeePass*"), WHOLE, Some(&stacking))),
            [WHOLE.to_string()]
        );
    }

    #[test]
    fn a_masked_area_masks_the_windows_that_lie_wholly_in_it() {
        let mask = Mask {
            target: MaskTarget::Area([0, 0, 100, 100]),
            name: Some("notes".to_owned()),
        };
        let mut stacking = desktop();
        stacking.windows[1].is_active = true;
        let masks = [mask];
        let sight = Sight::of(&masks, WHOLE, Some(&stacking));
        assert_eq!(areas(&sight), ["101x101 at 0,0"]);
        assert_eq!(sight.cover.parts[0].name, "masked: notes");
        assert!(sight.is_in_front && sight.withholds(WindowId(2)) && !sight.withholds(WindowId(1)));
        assert_eq!(areas(&Sight::of(&masks, WHOLE, None)), ["101x101 at 0,0"]);
        assert!(!Sight::of(&masks, WHOLE, None).withholds(WindowId(2)));
    }

    #[test]
    fn what_was_masked_before_and_after_a_picture_is_masked_in_it() {
        let before = Sight::of(&of("KeePass*"), WHOLE, Some(&desktop()));
        let mut moved = desktop();
        moved.windows[0].place = Some(area(400, 100, 200, 100));
        moved.windows[0].is_active = true;
        moved.layers = None;
        let after = Sight::of(&of("KeePass*"), WHOLE, Some(&moved));
        let both = before.and(&after);
        assert!(both.cover.hides((350, 150)) && both.cover.hides((150, 160)) && both.cover.hides((899, 899)));
    }
}
