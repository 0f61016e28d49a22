//! Pictures match what is on the screen. Under Wine that is known, because the X server keeps its picture in a file.

use std::fs;

use franz_frame::{Area, Frame};
use franz_screen::desktop::DesktopOptions;
use franz_screen::{Change, Desktop, Pace, Screen};

use crate::editor::Editor;
use crate::recorder::Recorder;
use crate::stage::{Stage, alone, display, eventually};

/// The variable that names the file, which is in the `xwd` format.
const PICTURE: &str = "X_SERVER_PICTURE";

/// Returns the X server's picture: the width, the height, and the blue, green and red of each pixel.
fn shown() -> (u32, u32, Vec<[u8; 3]>) {
    let path = std::env::var(PICTURE).unwrap_or_else(|_| panic!("{PICTURE} is not set; run cargo xtask windows"));
    let file = fs::read(format!("Z:{path}")).unwrap();
    let number = |place: usize| u32::from_be_bytes(file[place * 4..place * 4 + 4].try_into().unwrap());
    let (width, height, line, colors) = (number(4), number(5), number(12), number(19));
    assert_eq!((number(2), number(11)), (2, 32), "whole pixels of 32 bits");
    let start = number(0) + colors * 12;
    let rows = file[start as usize..].chunks_exact(line as usize).take(height as usize);
    let pixels = rows.flat_map(|row| {
        row.chunks_exact(4)
            .take(width as usize)
            .map(|pixel| [pixel[0], pixel[1], pixel[2]])
    });
    (width, height, pixels.collect())
}

fn pixels(frame: &Frame) -> Vec<[u8; 3]> {
    frame
        .data()
        .chunks_exact(4)
        .map(|pixel| [pixel[0], pixel[1], pixel[2]])
        .collect()
}

#[test]
fn a_capture_matches_the_x_server_pixel_for_pixel() {
    let mut stage = Stage::new();
    let editor = Editor::with("Pixels, Pixel: ÄÖÜ\n".repeat(30).as_str(), &mut stage);
    // Selected text has colours. It also hides the caret, which blinks.
    editor.select(5, 200);
    let mut different = 0;
    eventually("the same picture", || {
        let (width, height, expected) = shown();
        let frame = stage.desktop.capture().unwrap();
        assert_eq!((frame.width(), frame.height()), (width, height));
        let seen = pixels(frame);
        let same = seen == expected;
        different += usize::from(!same);
        let mut colors = seen;
        colors.sort_unstable();
        colors.dedup();
        same && colors.len() > 4
    });
    println!("{different} pictures were taken while something moved");
}

#[test]
fn a_part_of_it_is_cut_out_exactly() {
    let _alone = alone();
    let _recorder = Recorder::at(200, 150, 600, 400);
    let region = Area {
        x: 123,
        y: 77,
        width: 301,
        height: 203,
    };
    let options = DesktopOptions {
        monitor: Some("1".to_owned()),
        region: Some(region),
        cursor: true,
        pace: Pace::FAST,
    };
    let mut desktop = Desktop::new(display(), options).unwrap();
    eventually("the same part", || {
        let (width, _, all) = shown();
        let rows = all.chunks_exact(width as usize).skip(77).take(203);
        let expected: Vec<_> = rows.flat_map(|row| row[123..424].to_vec()).collect();
        pixels(desktop.capture().unwrap()) == expected
    });
}

#[test]
fn a_capture_reports_what_changed() {
    let mut stage = Stage::new();
    let editor = Editor::with("before\n", &mut stage);
    editor.select(0, 3);
    eventually("a still screen", || {
        stage.desktop.capture().unwrap();
        stage.desktop.change() == Change::Nothing
    });
    editor.select(2, 5);
    let mut change = Change::Nothing;
    eventually("a change", || {
        stage.desktop.capture().unwrap();
        change = stage.desktop.change();
        change != Change::Nothing
    });
    let Change::Within(first, last) = change else {
        panic!("{change:?}")
    };
    let (width, height) = stage.desktop.size();
    let whole = Area::whole(width, height);
    let (left, top) = editor.edit.on_desktop(0, 0);
    let (right, bottom) = editor.edit.on_desktop(120, 40);
    for point in [first, last] {
        let (x, y) = whole.pixel(point);
        assert!(
            (left - 2..right).contains(&x) && (top - 2..bottom).contains(&y),
            "{x},{y}"
        );
    }
}

#[test]
fn the_monitor_is_the_whole_screen() {
    let _alone = alone();
    let monitors = display().monitors().unwrap();
    let (width, height, _) = shown();
    let areas: Vec<_> = monitors.iter().map(|monitor| monitor.area).collect();
    assert_eq!(areas, [Area::whole(width, height)]);
    assert!(monitors[0].name.starts_with("DISPLAY"), "{}", monitors[0].name);
}
