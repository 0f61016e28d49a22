//! Checks that no text is cut off, and that no text covers anything else if there is room.

use super::super::elements::around;
use super::*;
use crate::marks::tests::actions as parsed;
use crate::marks::tests::{ALL, CLASSIC, PLACES, SIZES, any_action, any_point, black, marked, scene};
use franz_action::{Action, Point};
use proptest::prelude::*;

/// Returns the areas that contain text: numbers, coordinates and the badge.
fn written(size: (u32, u32), scene: &MarkData<'_>) -> Vec<MarkArea> {
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

#[test]
fn each_element_with_room_beside_it_has_its_number() {
    for size in SIZES {
        let frame = black(size);
        let elements = PLACES.map(|(x, y)| {
            let (left, top) = (x.clamp(20, 900), y.clamp(60, 900));
            (Point::clamped(left, top), Point::clamped(left + 60, top + 30))
        });
        let scene = MarkData {
            elements: &elements,
            ..scene(&[])
        };
        let marks = Marks {
            elements: true,
            ..Marks::default()
        };
        assert_eq!(
            Layout::of(&frame, &mut Lettering::new(), marks, &scene).elements.len(),
            9
        );
        let off = Layout::of(&frame, &mut Lettering::new(), Marks::default(), &scene);
        assert!(off.elements.is_empty());
        assert!(marked(size, marks, &scene) != frame, "nothing is drawn at {size:?}");
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
    fn numbers_of_elements_cover_no_element_no_target_and_no_other_number(
        corners in prop::collection::vec((any_point(), any_point()), 0..30),
        actions in prop::collection::vec(any_action(), 0..4),
        pointer in prop::option::of(any_point()),
        size in any_size(),
    ) {
        let ordered = |(one, other): &(Point, Point)| {
            let first = Point { x: one.x.min(other.x), y: one.y.min(other.y) };
            (first, Point { x: one.x.max(other.x), y: one.y.max(other.y) })
        };
        let elements: Vec<_> = corners.iter().map(ordered).collect();
        let scene = MarkData { pointer, elements: &elements, ..scene(&actions) };
        let frame = black(size);
        let marks = Marks { elements: true, ..Marks::default() };
        let layout = Layout::of(&frame, &mut Lettering::new(), marks, &scene);
        let mut taken: Vec<MarkArea> = elements.iter().map(|corners| around(&frame, *corners)).collect();
        taken.extend(neighbourhood::of_targets(&frame, &scene));
        for number in &layout.elements {
            prop_assert!(number.area.is_within(&frame), "{:?} at {:?}", number.area, size);
            for other in &taken {
                prop_assert!(!number.area.overlaps(other), "{:?} and {:?} at {:?}", number.area, other, size);
            }
            taken.push(number.area);
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
