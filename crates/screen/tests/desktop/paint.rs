//! mtpaint: a program that shows which rectangle the mouse has drawn.

use franz_action::{Action, Point};
use franz_frame::Area;
use franz_screen::Screen;
use franz_screen::desktop::{Desktop, DesktopOptions, Pace};

use crate::stage::{Stage, area, drawn, perform, until, within_patience};

/// Where the picture is on the screen.
const PICTURE: Area = Area {
    x: 100,
    y: 240,
    width: 500,
    height: 130,
};

/// Returns the smallest area around everything that is not black.
fn bright(screen: &mut Desktop) -> Option<Area> {
    let frame = screen.capture().unwrap();
    let (width, height) = (frame.width(), frame.height());
    let places = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    let bright = places.filter(|(x, y)| frame.color(*x, *y) != Some(franz_frame::Color::rgb(0, 0, 0)));
    bright
        .map(|(x, y)| area(x as i32, y as i32, 1, 1))
        .reduce(|all, one| all.union(&one))
}

#[test]
fn drags_select_exactly_what_they_were_meant_to() {
    let mut stage = Stage::new();
    stage.run("mtpaint", &[]);
    stage.client().focused("mtpaint");
    drawn(&mut stage.screen(Pace::FAST));
    for pace in [Pace::FAST, Pace::HUMAN] {
        let options = DesktopOptions {
            monitor: None,
            region: Some(PICTURE),
            cursor: false,
            pace,
        };
        let mut screen = Desktop::new(stage.display(), options).unwrap();
        until("the picture is black", || bright(&mut screen).is_none().then_some(()));
        for ((x, y), (to_x, to_y)) in [
            ((100, 100), (900, 900)),
            ((900, 200), (300, 800)),
            ((400, 700), (600, 300)),
            ((500, 500), (520, 540)),
        ] {
            let (from, to) = (Point::clamped(x, y), Point::clamped(to_x, to_y));
            perform(&mut screen, &Action::drag(from, to));
            let place = |point: Point| Area::whole(PICTURE.width, PICTURE.height).pixel(point);
            let corner = |(x, y): (i32, i32)| area(x, y, 1, 1);
            let expected = corner(place(from)).union(&corner(place(to)));
            let mut last = None;
            let selected = within_patience(|| {
                last = bright(&mut screen);
                last == Some(expected)
            });
            assert!(selected, "{last:?} is selected instead of {expected}, with {pace:?}");
            perform(&mut screen, &Action::Press("esc".parse().unwrap()));
            until("nothing is selected", || bright(&mut screen).is_none().then_some(()));
        }
    }
}
