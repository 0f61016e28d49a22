//! `franz export --gif`.

use std::fs;
use std::fs::File;

use franz_frame::{Frame, Scaler, png};
use gif::{ColorOutput, DecodeOptions};

use super::{drawn, exported};
use crate::harness::Workplace;

/// Returns each page as a viewer shows it, in RGB, and how long it is shown.
fn pages(place: &Workplace, name: &str) -> (usize, Vec<(Vec<u8>, u16)>) {
    let mut options = DecodeOptions::new();
    options.set_color_output(ColorOutput::RGBA);
    let mut decoder = options.read_info(File::open(place.path(name)).unwrap()).unwrap();
    let (width, height) = (usize::from(decoder.width()), usize::from(decoder.height()));
    let mut page = vec![0; width * height * 3];
    let mut pages = Vec::new();
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        let (left, top) = (usize::from(frame.left), usize::from(frame.top));
        for (y, row) in frame.buffer.chunks(usize::from(frame.width) * 4).enumerate() {
            for (x, pixel) in row.chunks(4).enumerate().filter(|(_, pixel)| pixel[3] == 255) {
                let at = ((top + y) * width + left + x) * 3;
                page[at..at + 3].copy_from_slice(&pixel[..3]);
            }
        }
        pages.push((page.clone(), frame.delay));
    }
    (width, pages)
}

/// Returns the average difference between two pictures, from 0 to 255.
fn distance(one: &[u8], other: &[u8]) -> f64 {
    let sum: u64 = one.iter().zip(other).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
    sum as f64 / one.len() as f64
}

#[test]
fn each_page_shows_the_picture_of_its_turn() {
    let place = drawn();
    let said = exported(&place, &["--gif", "run.gif", "--width", "320"]);
    assert_eq!(said.stderr, "");
    let (width, pages) = pages(&place, "run.gif");
    assert_eq!((width, pages.len()), (320, 3));
    assert_eq!(
        pages.iter().map(|(_, delay)| *delay).collect::<Vec<_>>(),
        [100, 100, 300]
    );
    let picture = |turn: u64| {
        let png = fs::read(place.file(&format!("turn_{turn:04}.png"))).unwrap();
        let frame: Frame = png::decode(&png).unwrap();
        Scaler::new()
            .scale(&frame, 320, frame.height() * 320 / frame.width())
            .data()
            .to_vec()
    };
    for (turn, (page, _)) in (1..).zip(&pages) {
        let apart = distance(&picture(turn), page);
        assert!(apart < 2.0, "the picture of turn {turn} is {apart} away");
        let other = distance(&picture(turn % 3 + 1), page);
        assert!(other > 3.0 * apart, "turn {turn}: {apart}, another one: {other}");
        let caption = &page[picture(turn).len()..];
        assert!(caption.iter().any(|&bright| bright > 200), "turn {turn} has a caption");
    }
}

#[test]
fn a_missing_picture_is_grey_and_told() {
    let place = drawn();
    fs::write(place.file("turn_0002.png"), "no picture").unwrap();
    let said = exported(&place, &["--gif", "run.gif", "--turns", "2..3"]);
    assert!(
        said.stderr.contains("turn 2: the picture is damaged"),
        "{}",
        said.stderr
    );
    let (_, pages) = pages(&place, "run.gif");
    assert_eq!(pages.len(), 2);
    let grey = pages[0].0.chunks(3).filter(|pixel| **pixel == [96, 96, 96]).count();
    assert!(grey * 10 > pages[0].0.len() / 3 * 8, "{grey} pixels are grey");
}
