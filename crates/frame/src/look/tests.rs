//! Tests pairs of screens: the one that the model saw, and the one just before the action.

use std::time::Instant;

use super::*;
use crate::frame::Frame;
use crate::pixel_format::PixelFormat;
use crate::png::decode;
use crate::scale::Scaler;

const WIDTH: u32 = 1568;
const TALL: u32 = 896;
const MIDDLE: (i32, i32) = (784, 448);

/// The side of a crop of a real screen; the target is in its centre.
const CROP: u32 = 108;

fn blank() -> Frame {
    Frame::new(WIDTH, TALL, PixelFormat::Rgb8, vec![240; (WIDTH * TALL * 3) as usize]).unwrap()
}

fn fill(frame: &mut Frame, area: Area, shade: u8) {
    let row = vec![shade; area.width as usize * 3];
    let rows = row.repeat(area.height as usize);
    frame.update(area, &rows, row.len());
}

fn area(x: i32, y: i32, width: u32, height: u32) -> Area {
    Area { x, y, width, height }
}

/// Returns the two crops in a picture of `tests/look`, each in the centre of a screen.
#[expect(clippy::disallowed_methods, reason = "a picture of the tests belongs to no run")]
fn pair(name: &str) -> [Frame; 2] {
    let path = format!("{}/tests/look/{name}.png", env!("CARGO_MANIFEST_DIR"));
    let both = decode(&std::fs::read(path).unwrap()).unwrap();
    let stride = both.width() as usize * 3;
    [0, both.width() - CROP].map(|left| {
        let mut screen = blank();
        let corner = (MIDDLE.0 - (CROP / 2) as i32, MIDDLE.1 - (CROP / 2) as i32);
        screen.update(
            area(corner.0, corner.1, CROP, CROP),
            &both.data()[left as usize * 3..],
            stride,
        );
        screen
    })
}

/// Returns whether a click in the centre is held back when the model's picture has this height.
fn held(pair: &[Frame; 2], height: u32) -> bool {
    let width = WIDTH * height / TALL;
    let scale = |frame: &Frame| Scaler::new().scale(frame, width, height);
    let [seen, now] = [scale(&pair[0]), scale(&pair[1])];
    let at = (
        MIDDLE.0 * height as i32 / TALL as i32,
        MIDDLE.1 * height as i32 / TALL as i32,
    );
    Difference::between(&seen, &now).holds_pointer(at, None)
}

#[test]
fn what_has_moved_is_held_and_what_only_looks_alive_is_not() {
    for (name, holds) in [
        ("hold_checkbox", true),
        ("hold_dialog", true),
        ("hold_digits_list", true),
        ("hold_dimmed", true),
        // The crop shows no difference, because the names of the rows are to its left.
        ("hold_equal_buttons", false),
        ("hold_icons_equal_grey", true),
        ("hold_label_swapped", true),
        ("hold_menu", true),
        ("hold_row_shift_dark", true),
        ("hold_row_shift_gtk", true),
        ("hold_scrolled_17", true),
        ("hold_terminal_line", true),
        ("same_badge", false),
        ("same_block_cursor_near", false),
        ("same_caret_48", false),
        ("same_caret_gtk", false),
        ("same_clock_near", false),
        ("same_focus_ring", false),
        ("same_hover", false),
        ("same_panel_clock", false),
        ("same_selection_pale", false),
        ("same_spinner_near", false),
    ] {
        let pair = pair(name);
        for height in [896, 864, 717, 511] {
            assert_eq!(held(&pair, height), holds, "{name} in a picture {height} high");
        }
    }
}

#[test]
fn equal_buttons_are_held_by_the_rows_beside_them() {
    let mut seen = blank();
    let mut now = blank();
    // Names of varying length to the left of identical buttons in the middle; one row was inserted.
    for row in 0..20 {
        let y = 100 + row * 32;
        fill(&mut seen, area(200, y, 60 + (row as u32 * 37) % 150, 14), 30);
        fill(&mut now, area(200, y, 60 + ((row as u32 + 1) * 37) % 150, 14), 30);
        for frame in [&mut seen, &mut now] {
            fill(frame, area(760, y - 4, 48, 22), 120);
        }
    }
    let difference = Difference::between(&seen, &now);
    let button = (784, 100 + 10 * 32 + 7);
    assert!(!difference.changed_under(button));
    assert!(difference.changed_beside(button, None));
    assert!(
        difference.changed_beside(button, Some(area(150, 50, 900, 800))),
        "in the same window"
    );
    assert!(
        !difference.changed_beside(button, Some(area(700, 50, 300, 800))),
        "in another window"
    );
    assert!(!difference.holds_pointer((784, 880), None), "below the list");
}

#[test]
fn a_caret_anywhere_changes_nothing() {
    let seen = blank();
    for (width, height) in [(1, 16), (2, 24), (2, 56), (4, 56)] {
        let mut now = seen.clone();
        fill(&mut now, area(784, 430, width, height), 0);
        let difference = Difference::between(&seen, &now);
        assert!(!difference.holds_pointer(MIDDLE, None), "{width}x{height}");
        assert_eq!(difference.largest(), None, "{width}x{height}");
    }
    let mut now = seen.clone();
    fill(&mut now, area(784, 440, 5, 16), 0);
    let difference = Difference::between(&seen, &now);
    assert!(
        difference.holds_pointer(MIDDLE, None),
        "a block cursor under the target"
    );
    assert!(difference.changed_near(MIDDLE));
}

#[test]
fn a_small_change_of_colour_is_none() {
    let seen = blank();
    let mut now = blank();
    fill(&mut now, area(0, 0, WIDTH, TALL), 240 - 32);
    assert!(!Difference::between(&seen, &now).holds_pointer(MIDDLE, None));
    fill(&mut now, area(0, 0, WIDTH, TALL), 240 - 33);
    assert!(Difference::between(&seen, &now).holds_pointer(MIDDLE, None));
}

#[test]
fn menus_and_dialogs_hold_keys_and_smaller_things_do_not() {
    for (what, new, holds) in [
        ("a tooltip", area(700, 300, 160, 24), false),
        ("a title bar that loses the focus", area(100, 100, 1200, 32), false),
        ("a clock", area(1400, 4, 80, 16), false),
        ("a menu", area(300, 60, 220, 260), true),
        ("a list that drops down", area(300, 60, 240, 66), true),
        ("a message box", area(600, 400, 300, 110), true),
    ] {
        let mut now = blank();
        fill(&mut now, new, 60);
        assert_eq!(Difference::between(&blank(), &now).holds_keys(), holds, "{what}");
    }
}

#[test]
fn the_effect_is_judged_where_the_act_was() {
    let mut now = blank();
    let clock = area(1400, 4, 80, 16);
    fill(&mut now, clock, 0);
    let difference = Difference::between(&blank(), &now);
    assert_eq!(difference.largest(), Some(clock));
    assert!(!difference.changed_near(MIDDLE));
    assert!(difference.changed_near((1440, 10)));
}

#[test]
fn what_had_changed_before_is_no_effect() {
    let seen = blank();
    let mut counted = blank();
    fill(&mut counted, area(1000, 300, 40, 16), 0);
    let before = Difference::between(&seen, &counted);
    // The counter has one more digit, and a caret has appeared.
    let mut now = blank();
    fill(&mut now, area(1000, 300, 52, 16), 90);
    fill(&mut now, area(300, 300, 2, 20), 0);
    let mut difference = Difference::between(&seen, &now);
    difference.without_changes_of(&before);
    assert_eq!(difference.largest(), None);
    fill(&mut now, area(300, 300, 60, 20), 0);
    let mut difference = Difference::between(&seen, &now);
    difference.without_changes_of(&before);
    assert_eq!(difference.largest(), Some(area(300, 300, 60, 20)));
    let mut smaller = Difference::between(&seen, &now);
    let other = Frame::black(64, 36, PixelFormat::Rgb8).unwrap();
    smaller.without_changes_of(&Difference::between(&other, &other));
    assert!(smaller.largest().is_some());
}

#[test]
fn what_the_reply_did_itself_is_forgiven() {
    let mut now = blank();
    fill(&mut now, area(770, 440, 28, 16), 0);
    let mut difference = Difference::between(&blank(), &now);
    assert!(difference.holds_pointer((790, 450), None));
    difference.forgive(neighbourhood(MIDDLE, TALL));
    assert!(!difference.holds_pointer((790, 450), None));

    let stroke = ((100, 100), (900, 700));
    let mut now = blank();
    for at in way(stroke.0, stroke.1, 4) {
        fill(&mut now, area(at.0 - 3, at.1 - 3, 6, 6), 0);
    }
    let mut difference = Difference::between(&blank(), &now);
    assert!(difference.holds_pointer((500, 400), None));
    for at in way(stroke.0, stroke.1, TALL) {
        difference.forgive(neighbourhood(at, TALL));
    }
    assert!(!difference.has_changed_within(Area::whole(WIDTH, TALL)));
}

#[test]
fn the_outline_of_a_clicked_button_is_forgiven() {
    let outline = |frame: &mut Frame, of: Area| {
        fill(frame, of, 40);
        fill(frame, area(of.x + 1, of.y + 1, of.width - 2, of.height - 2), 240);
    };
    let mut now = blank();
    // The clicked button, and the button diagonally above it that was under the pointer before.
    outline(&mut now, area(684, 420, 190, 60));
    outline(&mut now, area(884, 350, 190, 60));
    let mut difference = Difference::between(&blank(), &now);
    let next = (1000, 450);
    assert!(difference.holds_pointer(next, None));
    difference.without_outlines_around(&[MIDDLE]);
    assert!(!difference.holds_pointer(next, None));

    // Two clicked buttons, and one that nobody clicked.
    let mut now = blank();
    for x in [84, 684, 1284] {
        outline(&mut now, area(x, 420, 190, 60));
    }
    let mut difference = Difference::between(&blank(), &now);
    difference.without_outlines_around(&[(180, 450), MIDDLE]);
    let [left] = difference.things() else {
        panic!("{:?}", difference.things())
    };
    assert!(left.bounds.contains(1380, 450));

    // A dialog opened by the click is not an outline.
    let mut now = blank();
    fill(&mut now, area(584, 350, 400, 200), 40);
    let mut difference = Difference::between(&blank(), &now);
    difference.without_outlines_around(&[MIDDLE]);
    assert!(difference.holds_pointer(next, None));
}

#[test]
fn things_are_found_once_for_any_number_of_points() {
    let mut now = blank();
    fill(&mut now, area(100, 800, 400, 80), 0);
    let mut difference = Difference::between(&blank(), &now);
    let found = difference.things().as_ptr();
    assert!((0..500).all(|x| difference.changed_beside((x, 840), None)));
    assert_eq!(difference.things().as_ptr(), found, "these are the same things");
    difference.forgive(area(100, 800, 400, 80));
    assert!(difference.things().is_empty() && !difference.changed_beside((0, 840), None));
}

#[test]
fn text_that_was_typed_is_forgiven_as_a_whole() {
    let mut now = blank();
    fill(&mut now, area(790, 440, 500, 16), 0);
    fill(&mut now, area(100, 800, 100, 50), 0);
    let mut difference = Difference::between(&blank(), &now);
    difference.without_thing_at(MIDDLE);
    assert!(!difference.holds_pointer((1200, 448), None));
    assert!(difference.holds_pointer((150, 820), None), "something else");
}

#[test]
fn pictures_of_other_sizes_differ_everywhere() {
    let other = Frame::black(64, 36, PixelFormat::Rgb8).unwrap();
    let difference = Difference::between(&other, &blank());
    assert!(difference.holds_pointer((0, 0), None) && difference.holds_keys());
}

/// Watches a screen on which one area changes every `pause` for `time`. Returns, for each look, whether the screen had
/// stopped changing.
fn watch(motion: &mut Motion, began: Instant, moving: Area, pause: u64, time: u64) -> Vec<bool> {
    let mut screen = blank();
    motion.begin(&screen, began);
    let looks = (1..=time / 20).map(|index| {
        let now = began + Duration::from_millis(index * 20);
        fill(&mut screen, moving, ((index * 20 / pause) % 2 * 200) as u8);
        !motion.look(&screen, now)
    });
    looks.collect()
}

#[test]
fn a_video_is_waited_for_once() {
    let mut motion = Motion::default();
    let began = Instant::now();
    let video = area(400, 300, 320, 200);
    let rests = watch(&mut motion, began, video, 40, 2000);
    assert!(rests[..50].contains(&false), "it is waited for at first");
    assert!(rests[70..].iter().all(|rest| *rest), "restless after 1.2 s");
    motion.end(began + Duration::from_secs(2));
    let grid = Grid::of(WIDTH, TALL);
    assert!(motion.restless().contains((grid.index(500), grid.index(400))));
    assert!(!motion.restless().contains((grid.index(1200), grid.index(400))));

    // From now on, the movement is known and stays known for as long as it lasts.
    let again = began + Duration::from_secs(10);
    assert!(watch(&mut motion, again, video, 40, 300).iter().all(|rest| *rest));
    motion.end(again + Duration::from_millis(300));
    assert!(!motion.restless().is_empty());
    watch(
        &mut motion,
        again + Duration::from_secs(10),
        area(0, 0, 40, 40),
        40,
        300,
    );
    motion.end(again + Duration::from_millis(10_300));
    assert!(motion.restless().is_empty(), "it has stopped");
}

#[test]
fn carets_and_clocks_are_never_restless() {
    for pause in [300, 500, 1000] {
        let mut motion = Motion::default();
        let began = Instant::now();
        watch(&mut motion, began, area(784, 430, 2, 20), pause, 4000);
        motion.end(began + Duration::from_secs(4));
        assert!(motion.restless().is_empty(), "every {pause} ms");
    }
}

#[test]
fn a_restless_place_and_its_rim_hold_nothing() {
    let mut motion = Motion::default();
    let began = Instant::now();
    let spinner = area(760, 430, 48, 48);
    watch(&mut motion, began, spinner, 40, 2000);
    motion.end(began + Duration::from_secs(2));
    let mut now = blank();
    fill(&mut now, spinner, 0);
    let mut difference = Difference::between(&blank(), &now);
    assert!(difference.holds_pointer(MIDDLE, None));
    difference.without(motion.restless());
    assert!(!difference.holds_pointer(MIDDLE, None));
}

#[test]
fn what_keeps_moving_is_left_out_of_a_copy_of_another_shape() {
    let mut motion = Motion::default();
    let began = Instant::now();
    watch(&mut motion, began, area(1200, 430, 48, 48), 40, 2000);
    motion.end(began + Duration::from_secs(2));
    // The model's picture is half as wide, and as high.
    let plain = Frame::new(784, TALL, PixelFormat::Rgb8, vec![240; (784 * TALL * 3) as usize]).unwrap();
    for (x, is_left_out) in [(600, true), (100, false), (300, false)] {
        let mut now = plain.clone();
        fill(&mut now, area(x, 430, 24, 48), 0);
        let mut difference = Difference::between(&plain, &now);
        difference.without(motion.restless());
        assert_eq!(difference.largest().is_none(), is_left_out, "{x}");
    }
}
