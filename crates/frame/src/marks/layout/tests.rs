//! Nothing written is cut off, and nothing covers anything else where there is room.

use super::*;
use crate::marks::tests::actions as parsed;
use crate::marks::tests::{ALL, CLASSIC, PLACES, SIZES, any_action, any_point, black, marked, scene};
use franz_action::{Action, Point};
use proptest::prelude::*;

/// Returns the areas of everything written: numbers, coordinates and the badge.
fn written(size: (u32, u32), scene: &MarkData<'_>) -> Vec<Area> {
    let layout = Layout::of(&black(size), &mut Lettering::new(), ALL, scene);
    let numbers = layout.numbered.iter().filter_map(Numbered::area);
    let cursors = [&layout.current, &layout.previous].into_iter().flatten();
    let badge = layout.badge.iter().map(|badge| badge.area);
    numbers.chain(cursors.map(Cursor::area)).chain(badge).collect()
}

#[test]
fn each_of_a_few_actions_gets_a_number() {
    for size in SIZES {
        for action in ["left_click", "right_click", "middle_click"] {
            let actions: Vec<String> = PLACES.iter().map(|(x, y)| format!("{action}({x}, {y})")).collect();
            let actions = parsed(&actions.iter().map(String::as_str).collect::<Vec<_>>());
            let scene = MarkData {
                time: "",
                ..scene(&actions)
            };
            assert_eq!(written(size, &scene).len(), 9, "{action} at {size:?}");
        }
    }
}

#[test]
fn two_numbers_of_one_place_stand_beside_each_other_and_the_badge() {
    for size in SIZES {
        for (x, y) in PLACES {
            let same = vec![Action::left_click(Point::clamped(x, y)); 2];
            assert_eq!(written(size, &scene(&same)).len(), 3, "{x}, {y} at {size:?}");
        }
    }
}

#[test]
fn numbers_that_find_no_room_are_left_out() {
    let many = vec![Action::left_click(Point::clamped(500, 500)); 200];
    let one = &many[..1];
    for size in [(512, 288), (1536, 864)] {
        let numbers = written(size, &scene(&many)).len() - 1;
        assert!((2..30).contains(&numbers), "{numbers} at {size:?}");
        let lit = |frame: &Frame| frame.data().chunks_exact(3).filter(|pixel| *pixel != [0, 0, 0]).count();
        let (crowd, single) = (marked(size, CLASSIC, &scene(&many)), marked(size, CLASSIC, &scene(one)));
        assert!(lit(&crowd) < lit(&single) * 25);
    }
}

fn any_size() -> impl Strategy<Value = (u32, u32)> {
    prop_oneof![
        Just((512, 288)),
        Just((1536, 864)),
        Just((64, 36)),
        Just((36, 64)),
        (1u32..=200, 1u32..=200),
    ]
}

proptest! {
    #[test]
    fn everything_written_is_on_the_picture(
        actions in prop::collection::vec(any_action(), 0..30),
        pointer in prop::option::of(any_point()),
        previous in prop::option::of(any_point()),
        size in any_size(),
        time in "[ -~]{0,30}",
        coordinates in ["\\([0-9.]{1,8},[0-9.]{1,8}\\)", "\\([0-9.]{1,8},[0-9.]{1,8}\\)"],
    ) {
        let coordinates = [&*coordinates[0], &coordinates[1]];
        let scene = MarkData { pointer, previous, coordinates, time: &time, ..scene(&actions) };
        let frame = black(size);
        for area in written(size, &scene) {
            prop_assert!(area.is_within(&frame), "{:?} at {:?}", area, size);
        }
    }

    #[test]
    fn nothing_written_covers_another_on_a_picture_with_room(
        actions in prop::collection::vec(any_action(), 0..8),
        pointer in prop::option::of(any_point()),
        previous in prop::option::of(any_point()),
        size in prop::sample::select(SIZES.to_vec()),
    ) {
        let scene = MarkData { pointer, previous, ..scene(&actions) };
        let areas = written(size, &scene);
        for (index, area) in areas.iter().enumerate() {
            for other in &areas[index + 1..] {
                prop_assert!(!area.overlaps(other), "{:?} and {:?} at {:?}", area, other, size);
            }
        }
    }
}
