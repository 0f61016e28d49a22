//! Tests where marks draw and which parts of the picture they leave visible.

use super::*;
use crate::color::Color;
use crate::draw::{Line, fill};
use crate::pixel_format::PixelFormat;
use crate::scale::Scaler;
use proptest::prelude::*;

pub(super) const SIZES: [(u32, u32); 2] = [(512, 288), (1536, 864)];

pub(super) const CLASSIC: Marks = Marks {
    crosshair: false,
    classic: true,
    cursor: false,
    timestamp: false,
    elements: false,
};

pub(super) const ALL: Marks = Marks {
    crosshair: true,
    classic: true,
    cursor: true,
    timestamp: true,
    elements: false,
};

pub(super) fn actions(texts: &[&str]) -> Vec<Action> {
    let parse = |text: &&str| text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
    texts.iter().map(parse).collect()
}

pub(super) fn scene(actions: &[Action]) -> MarkData<'_> {
    MarkData {
        actions,
        pointer: None,
        previous: None,
        coordinates: ["(500,500)", "(1000,0)"],
        time: "12:34:56",
        elements: &[],
    }
}

pub(super) fn black((width, height): (u32, u32)) -> Frame {
    Frame::black(width, height, PixelFormat::Rgb8).unwrap()
}

pub(super) fn marked(size: (u32, u32), marks: Marks, scene: &MarkData<'_>) -> Frame {
    let mut frame = black(size);
    Marker::new().draw(&mut frame, &marks, scene);
    frame
}

fn reddish(color: Option<Color>) -> bool {
    color.is_some_and(|color| color.red > 100 && color.green < 60 && color.blue < 60)
}

#[test]
fn without_styles_nothing_is_drawn() {
    let actions = actions(&["left_click(500, 500)", "drag(1, 1, 900, 900)"]);
    assert!(marked((64, 36), Marks::default(), &scene(&actions)) == black((64, 36)));
}

#[test]
fn the_crosshair_shows_the_last_action_only() {
    let marks = Marks {
        crosshair: true,
        ..Marks::default()
    };
    let one = actions(&["right_click(250, 500)"]);
    let two = actions(&["left_click(750, 250)", "right_click(250, 500)"]);
    for size in SIZES {
        let frame = marked(size, marks, &scene(&one));
        assert!(frame == marked(size, marks, &scene(&two)));
        let colors: Vec<Color> = frame
            .data()
            .chunks_exact(3)
            .map(|p| Color::rgb(p[0], p[1], p[2]))
            .collect();
        let seen = |wanted: Color| colors.contains(&wanted);
        assert!(palette::RIGHT_CLICK.into_iter().all(seen), "{size:?}");
        assert!(!palette::CLICK.into_iter().any(seen), "{size:?}");
    }
}

#[test]
fn each_classic_mark_has_its_own_figure() {
    let cases = [
        ("left_click(500, 500)", (0.0, 0.0), false),
        ("left_click(500, 500)", (16.0, 0.0), true),
        ("left_click(500, 500)", (19.0, 0.0), false),
        ("right_click(500, 500)", (16.0, 0.0), false),
        ("right_click(500, 500)", (23.0, 0.0), true),
        ("middle_click(500, 500)", (16.0, 0.0), true),
        ("middle_click(500, 500)", (19.0, 0.0), true),
        // The arrow runs from one neighbourhood to the other.
        ("drag(500, 500, 700, 500)", (0.0, 0.0), false),
        ("drag(500, 500, 700, 500)", (30.0, 0.0), true),
        ("drag(500, 500, 700, 500)", (88.0, 0.0), true),
        ("drag(500, 500, 700, 500)", (102.0, 0.0), false),
        // If there is no room between the neighbourhoods, the arrow runs next to them.
        ("drag(500, 500, 520, 500)", (5.0, 0.0), false),
        ("drag(500, 500, 520, 500)", (5.0, -15.5), true),
    ];
    for (text, (dx, dy), red) in cases {
        let actions = actions(&[text]);
        let frame = marked((512, 288), CLASSIC, &scene(&actions));
        let (x, y) = measure::place(&frame, Point::clamped(500, 500));
        let color = frame.color((x + dx).round() as u32, (y + dy).round() as u32);
        assert_eq!(reddish(color), red, "{text} at {dx}, {dy}: {color:?}");
    }
}

#[test]
fn typed_text_is_underlined_where_it_stands() {
    let (click, words) = ("left_click(200, 200)", "type(\"some words\")");
    let cases = [
        (&[click, words][..], true),
        (&[words], false),
        (&["right_click(200, 200)", words], false),
        (&[click, "press(\"tab\")", words], false),
    ];
    for (texts, drawn) in cases {
        let typed = actions(texts);
        let scene = MarkData {
            // The pointer is not a text cursor.
            pointer: Some(Point::clamped(200, 200)),
            ..scene(&typed)
        };
        let frame = marked((512, 288), CLASSIC, &scene);
        let line = (60..66).any(|y| reddish(frame.color(130, y)));
        assert_eq!(line, drawn, "{texts:?}");
    }
}

#[test]
fn strokes_stay_visible_beneath_their_marks() {
    let star: Vec<Action> = (0..30)
        .map(|index| {
            let angle = f64::from(index) * 0.2094;
            let reach = |radius: f64, part: f64| (500.0 + radius * part) as i64;
            Action::drag(
                Point::clamped(reach(200.0, angle.cos()), reach(200.0, angle.sin())),
                Point::clamped(reach(450.0, angle.cos()), reach(450.0, angle.sin())),
            )
        })
        .collect();
    let mut canvas = Frame::black(1920, 1080, PixelFormat::Gray8).unwrap();
    for action in &star {
        if let Action::Drag(path) = action {
            let place = |point: Point| (point.x.to_subpixel(1920), point.y.to_subpixel(1080));
            let line = Line::new(place(path.from()), place(path.to()), 9.0);
            fill(&mut canvas, &line, Color::WHITE);
        }
    }
    for (width, height) in SIZES {
        let plain = Scaler::new().scale(&canvas, width, height);
        let mut frame = plain.clone();
        Marker::new().draw(&mut frame, &CLASSIC, &scene(&star));
        // A stroke beneath a thin red line is pink: its green component distinguishes it from the marks.
        let light = |frame: &Frame| {
            frame
                .data()
                .chunks_exact(3)
                .map(|pixel| pixel[1] > 90)
                .collect::<Vec<_>>()
        };
        let (before, after) = (light(&plain), light(&frame));
        let strokes = before.iter().filter(|&&light| light).count();
        let kept = before
            .iter()
            .zip(&after)
            .filter(|&(&before, &after)| before && after)
            .count();
        assert!(kept * 100 > strokes * 85, "{kept} of {strokes} at {width}x{height}");
    }
}

#[test]
fn the_badge_is_at_the_bottom_in_the_middle() {
    let marks = Marks {
        timestamp: true,
        ..Marks::default()
    };
    for (width, height) in SIZES {
        let frame = marked((width, height), marks, &scene(&[]));
        let lit = |&(_, pixel): &(usize, &[u8])| pixel != [0, 0, 0];
        let pixels = frame.data().chunks_exact(3).enumerate().filter(lit);
        let (columns, rows): (Vec<usize>, Vec<usize>) = pixels
            .map(|(index, _)| (index % width as usize, index / width as usize))
            .unzip();
        let (left, right) = (columns.iter().min().unwrap(), columns.iter().max().unwrap());
        assert!(
            (left + right).abs_diff(width as usize) <= 3,
            "{left}..{right} of {width}"
        );
        assert!(rows.iter().all(|&row| row >= height as usize * 9 / 10));
    }
}

pub(super) fn any_point() -> impl Strategy<Value = Point> {
    (0i64..=1000, 0i64..=1000).prop_map(|(x, y)| Point::clamped(x, y))
}

pub(super) fn any_action() -> impl Strategy<Value = Action> {
    prop_oneof![
        any_point().prop_map(Action::left_click),
        any_point().prop_map(Action::right_click),
        any_point().prop_map(Action::middle_click),
        prop::collection::vec(any_point(), 2..5)
            .prop_map(|points| Action::Drag(franz_action::Path::along(points).unwrap())),
        any_point().prop_map(Action::Move),
        "[ -~\\n\\t]{0,20}".prop_map(Action::typing),
        Just(Action::Observe),
    ]
}

/// The corners, the middles of the edges, and the centre.
pub(super) const PLACES: [(i64, i64); 9] = [
    (0, 0),
    (500, 0),
    (1000, 0),
    (0, 500),
    (500, 500),
    (1000, 500),
    (0, 1000),
    (500, 1000),
    (1000, 1000),
];

/// Counts the pixels that marks change on a background of a single colour.
fn changed((width, height): (u32, u32), ground: Color, marks: Marks, action: Action) -> usize {
    let pixel = [ground.red, ground.green, ground.blue];
    let row = pixel.repeat(width as usize);
    let mut frame = Frame::new(width, height, PixelFormat::Rgb8, row.repeat(height as usize)).unwrap();
    Marker::new().draw(&mut frame, &marks, &scene(&[action]));
    let differs = |other: &&[u8]| other.iter().zip(&pixel).any(|(a, b)| a.abs_diff(*b) > 60);
    let rows = frame.data().chunks_exact(row.len()).filter(|other| *other != row);
    rows.map(|row| row.chunks_exact(3).filter(differs).count()).sum()
}

#[test]
fn crosshair_and_number_are_seen_at_every_edge_on_any_ground() {
    let crosshair = Marks {
        crosshair: true,
        ..Marks::default()
    };
    let gray = Color::rgb(128, 128, 128);
    let [red, green, blue] = [(255, 0, 0), (0, 255, 0), (0, 0, 255)].map(|(r, g, b)| Color::rgb(r, g, b));
    let yellow = Color::rgb(255, 255, 0);
    // For each size, the minimum number of pixels for a crosshair and for a number.
    let sizes = [((64, 36), 8, 8), ((512, 288), 30, 40), ((1536, 864), 150, 150)];
    for (size, of_crosshair, of_number) in sizes {
        for (x, y) in PLACES {
            let at = Point::clamped(x, y);
            let toward = Point::clamped(500, if y == 500 { 400 } else { 500 });
            for action in [
                Action::left_click(at),
                Action::right_click(at),
                Action::drag(at, toward),
            ] {
                for ground in [Color::BLACK, Color::WHITE, gray, red, green, blue, yellow, palette::RED] {
                    let seen = changed(size, ground, crosshair, action.clone());
                    assert!(seen >= of_crosshair, "{seen} of {action:?} on {ground:?} at {size:?}");
                    let seen = changed(size, ground, CLASSIC, action.clone());
                    assert!(seen >= of_number, "{seen} of {action:?} on {ground:?} at {size:?}");
                }
            }
        }
    }
}

/// A short arrow's head lies next to the end of the drag and opens towards the start.
#[test]
fn the_head_of_a_short_drag_is_at_its_end() {
    for size in SIZES {
        let frame = black(size);
        for (dx, dy) in [
            (8.0, 0.0),
            (-8.0, 0.0),
            (0.0, 5.0),
            (0.0, -5.0),
            (4.0, 3.0),
            (-1.0, 2.0),
        ] {
            let (x, y) = (size.0 as f32 / 2.0, size.1 as f32 / 2.0);
            let to = (x + dx, y + dy);
            let stroke = stroke::Stroke::between(&frame, [(x, y), to], neighbourhood::reach(&frame), 8.0).unwrap();
            let away = |from: (f32, f32), at: (f32, f32)| (at.0 - from.0).hypot(at.1 - from.1);
            assert!(
                away(to, stroke.tip) < away((x, y), stroke.tip),
                "{dx}, {dy} at {size:?}"
            );
            let run = (stroke.tip.0 - stroke.from.0, stroke.tip.1 - stroke.from.1);
            assert!(run.0 * dx + run.1 * dy > 0.0, "{dx}, {dy} at {size:?}");
        }
    }
}

/// Returns all pixels that are at most this far from a target on both axes.
fn near_targets(frame: &Frame, scene: &MarkData<'_>) -> Vec<(u32, u32)> {
    let half = 14.0 * frame.height() as f32 / 896.0;
    let half = half.max(10.0) as i64;
    let targets = scene.actions.iter().flat_map(Action::places).copied();
    let targets = targets.chain(scene.pointer).chain(scene.previous);
    let pixels = targets.flat_map(|at| {
        let (x, y) = (
            i64::from(at.x.to_pixel(frame.width())),
            i64::from(at.y.to_pixel(frame.height())),
        );
        (-half..half).flat_map(move |dy| (-half..half).map(move |dx| (x + dx, y + dy)))
    });
    let on = |(x, y): (i64, i64)| Some((u32::try_from(x).ok()?, u32::try_from(y).ok()?));
    pixels
        .filter_map(on)
        .filter(|(x, y)| *x < frame.width() && *y < frame.height())
        .collect()
}

/// Returns a frame in which no pixel has the colour of a mark.
fn noise((width, height): (u32, u32)) -> Frame {
    let pixels = (0..width * height).flat_map(|at| [at * 7 % 50 + 100, at * 11 % 50 + 120, at * 13 % 50 + 140]);
    let data = pixels.map(|value| value as u8).collect();
    Frame::new(width, height, PixelFormat::Rgb8, data).unwrap()
}

proptest! {
    #[test]
    fn marks_leave_the_neighbourhood_of_every_target_as_it_is(
        actions in prop::collection::vec(any_action(), 0..12),
        pointer in prop::option::of(any_point()),
        previous in prop::option::of(any_point()),
        // A picture that is only a few pixels wide has no room next to a target.
        size in prop_oneof![Just((512, 288)), Just((1568, 896)), Just((1920, 1080)), (64u32..=300, 64u32..=300)],
    ) {
        let scene = MarkData { pointer, previous, ..scene(&actions) };
        let plain = noise(size);
        let mut frame = plain.clone();
        Marker::new().draw(&mut frame, &ALL, &scene);
        for (x, y) in near_targets(&frame, &scene) {
            prop_assert_eq!(frame.color(x, y), plain.color(x, y), "{}, {} at {:?}", x, y, size);
        }
    }

    #[test]
    fn nothing_panics_on_any_scene_and_size(
        actions in prop::collection::vec(any_action(), 0..10),
        pointer in prop::option::of(any_point()),
        previous in prop::option::of(any_point()),
        size in (1u32..=64, 1u32..=64),
        time in "[ -~]{0,30}",
        coordinates in ["\\([0-9.]{1,8},[0-9.]{1,8}\\)", "[ -~]{0,20}"],
    ) {
        let coordinates = [&*coordinates[0], &coordinates[1]];
        let scene = MarkData { pointer, previous, coordinates, time: &time, ..scene(&actions) };
        marked(size, ALL, &scene);
    }
}
