//! Recognises which strokes of the drawing are already on the canvas.
//!
//! The agent draws coloured marks (discs, arrows, trails) over the picture. A mark hides the drawing under it, so the
//! eye assumes for the moment that a stroke under a mark is drawn. A turn later, the mark is gone, and the eye sees
//! whether the stroke is really there.

use franz_action::Point;

use crate::cat::Part;
use crate::picture::Pixels;
use crate::stroke::Stroke;

/// The strokes that are drawn: one list per part, one flag per stroke.
pub type Progress = Vec<Vec<bool>>;

/// The lowest grey level that belongs to a line. Even a line 6 pixels wide on a 1920-pixel canvas keeps 80 % of its
/// white at 512 pixels.
const LIGHT: u8 = 90;
/// Channels that differ by this much make a pixel coloured and therefore part of a mark, because the drawing is white
/// on black.
const COLOURFUL: u8 = 60;
/// The part of a line to examine. The ends touch the line's neighbours, so only the middle shows whether it has been
/// drawn.
const MIDDLE: std::ops::RangeInclusive<f32> = 0.15..=0.85;
/// The share of the middle that must be covered. Lines with larger gaps are drawn again.
const COVERED: f32 = 0.75;
/// Where to look for text: to the right of its click, beyond the spot drawn by the click, in normalised units.
const WORD_WIDTH: std::ops::RangeInclusive<i64> = 16..=56;
/// How far text can extend above and below its click, in normalised units.
const WORD_HEIGHT: std::ops::RangeInclusive<i64> = -36..=36;
/// The share of the columns that text must fill.
const WORD_FILL: f32 = 0.4;

/// The highest value of a channel that counts as black. Dark desktops are lighter.
const BLACK: u8 = 8;

/// Returns whether the picture is a canvas to draw on, that is, mostly black. Any other picture shows a person's
/// screen.
pub(crate) fn is_canvas(picture: &Pixels) -> bool {
    let mut black = 0;
    for row in 0..36 {
        for column in 0..64 {
            let at = Point::clamped(column * 1000 / 63, row * 1000 / 35);
            let (x, y) = pixel(picture, at);
            let color = picture.at(x.round() as i64, y.round() as i64);
            black += u32::from(color.iter().all(|channel| *channel <= BLACK));
        }
    }
    black > 36 * 64 / 2
}

/// Looks for every stroke of every part.
pub fn look(picture: &Pixels, parts: &[Part]) -> Progress {
    let part = |part: &Part| part.strokes.iter().map(|&stroke| is_drawn(picture, stroke)).collect();
    parts.iter().map(part).collect()
}

/// Returns whether a stroke is on the canvas or hidden by a mark.
fn is_drawn(picture: &Pixels, stroke: Stroke) -> bool {
    match stroke {
        Stroke::Line(from, to) => line_cover(picture, from, to) >= COVERED,
        Stroke::Dot(at) => {
            let (x, y) = pixel(picture, at);
            is_covered(picture, x, y)
        }
        Stroke::Word(at, _) => word_fill(picture, at) >= WORD_FILL,
    }
}

/// Returns the share of a line's middle that is not black.
fn line_cover(picture: &Pixels, from: Point, to: Point) -> f32 {
    let (from, to) = (pixel(picture, from), pixel(picture, to));
    let steps = (to.0 - from.0).hypot(to.1 - from.1).ceil().max(8.0) as u32;
    let (mut seen, mut covered) = (0, 0);
    for step in 0..=steps {
        let t = step as f32 / steps as f32;
        if MIDDLE.contains(&t) {
            seen += 1;
            let (x, y) = (from.0 + (to.0 - from.0) * t, from.1 + (to.1 - from.1) * t);
            covered += u32::from(is_covered(picture, x, y));
        }
    }
    covered as f32 / seen as f32
}

/// Returns the share of the columns to the right of a click that contain something white.
fn word_fill(picture: &Pixels, at: Point) -> f32 {
    let at = (i64::from(at.x.whole()), i64::from(at.y.whole()));
    let corner = |dx: i64, dy: i64| pixel(picture, Point::clamped(at.0 + dx, at.1 + dy));
    let (left, top) = corner(*WORD_WIDTH.start(), *WORD_HEIGHT.start());
    let (right, bottom) = corner(*WORD_WIDTH.end(), *WORD_HEIGHT.end());
    let (columns, rows) = (left as i64..=right as i64, top as i64..=bottom as i64);
    let width = columns.clone().count();
    let filled = columns.filter(|&x| rows.clone().any(|y| ink(picture.at(x, y)) == Ink::Light));
    filled.count() as f32 / width as f32
}

/// Returns whether a position is drawn on or covered by a mark. Includes a pixel or two around the position, because
/// scaling moves lines slightly.
fn is_covered(picture: &Pixels, x: f32, y: f32) -> bool {
    let reach = i64::from(picture.width / 640).max(1);
    let (x, y) = (x.round() as i64, y.round() as i64);
    let around = |dy| (-reach..=reach).map(move |dx| (x + dx, y + dy));
    (-reach..=reach)
        .flat_map(around)
        .any(|(x, y)| ink(picture.at(x, y)) != Ink::Dark)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ink {
    Dark,
    Light,
    Mark,
}

fn ink(colour: [u8; 3]) -> Ink {
    let most = colour.into_iter().fold(0, u8::max);
    let least = colour.into_iter().fold(255, u8::min);
    if most - least >= COLOURFUL {
        Ink::Mark
    } else if most >= LIGHT {
        Ink::Light
    } else {
        Ink::Dark
    }
}

fn pixel(picture: &Pixels, at: Point) -> (f32, f32) {
    (at.x.to_subpixel(picture.width), at.y.to_subpixel(picture.height))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cat;
    use crate::sandbox::Sandbox;

    const SIZES: [(u32, u32); 3] = [(512, 288), (1536, 864), (1920, 1080)];

    fn strokes() -> Vec<Stroke> {
        cat::parts().into_iter().flat_map(|part| part.strokes).collect()
    }

    /// The thinnest and the thickest lines expected, in pixels at a width of 1920.
    const THICKNESSES: [f32; 2] = [6.0, 9.0];

    fn drawing(strokes: &[Stroke]) -> Sandbox {
        draw_on(Sandbox::default(), strokes)
    }

    fn draw_on(mut sandbox: Sandbox, strokes: &[Stroke]) -> Sandbox {
        for action in strokes.iter().flat_map(|stroke| stroke.calls()) {
            sandbox.perform(&action);
        }
        sandbox
    }

    #[test]
    fn every_stroke_is_seen_when_all_are_drawn() {
        for thickness in THICKNESSES {
            let sandbox = draw_on(Sandbox::with_lines(thickness), &strokes());
            for (width, height) in SIZES {
                let picture = sandbox.picture(width, height);
                assert!(is_canvas(&picture));
                for stroke in strokes() {
                    assert!(is_drawn(&picture, stroke), "{stroke:?} at {width}x{height}");
                }
            }
        }
    }

    #[test]
    fn every_stroke_alone_is_seen() {
        for stroke in strokes() {
            let picture = drawing(&[stroke]).picture(512, 288);
            assert!(is_drawn(&picture, stroke), "{stroke:?}");
        }
    }

    #[test]
    fn a_single_missing_stroke_is_detected() {
        for (thickness, (width, height)) in [(6.0, (512, 288)), (9.0, (512, 288)), (9.0, (1536, 864))] {
            for missing in strokes() {
                let others: Vec<Stroke> = strokes().into_iter().filter(|&stroke| stroke != missing).collect();
                let picture = draw_on(Sandbox::with_lines(thickness), &others).picture(width, height);
                assert!(!is_drawn(&picture, missing), "{missing:?} at {width}x{height}");
            }
        }
    }

    #[test]
    fn marks_hide_lines_without_undrawing_them() {
        let line = Stroke::Line(Point::clamped(100, 100), Point::clamped(300, 400));
        let mut sandbox = drawing(&[line]);
        for red in [[255, 0, 0], [230, 30, 40], [120, 10, 10]] {
            sandbox.mark(Point::clamped(100, 100), Point::clamped(300, 400), red);
            assert!(is_drawn(&sandbox.picture(512, 288), line), "{red:?}");
        }
    }

    #[test]
    fn a_desktop_is_no_canvas() {
        let mut sandbox = Sandbox::default();
        assert!(is_canvas(&sandbox.picture(512, 288)));
        for gray in [240, 0x24, 0x12] {
            sandbox.fill([gray; 3]);
            assert!(!is_canvas(&sandbox.picture(512, 288)), "{gray}");
        }
    }

    #[test]
    fn tiny_pictures_are_handled() {
        for (width, height) in [(1, 1), (2, 1), (1, 7), (16, 9)] {
            let picture = Sandbox::default().picture(width, height);
            assert!(look(&picture, &cat::parts()).iter().flatten().all(|drawn| !drawn));
        }
    }
}
