//! The pictures that a model is asked about: one with a number to read, and one with targets to point at.

use anyhow::Result;
use franz_chat::{Bytes, Picture};
use franz_dialect::calibration::{Chart, Colour, Figure, Look, Target};
use franz_frame::draw::{Bar, Disc, Polygon, fill};
use franz_frame::{Color, Frame, Lettering, PixelFormat, png};
use franz_record::digest::sha256_hex;

const PAPER: Color = Color::rgb(246, 246, 242);
const INK: Color = Color::rgb(28, 28, 30);
const FACE: Color = Color::rgb(221, 224, 230);
const EDGE: Color = Color::rgb(120, 126, 138);

/// The height of the number's line, as a fraction of the picture's shorter side.
const NUMBER: f32 = 0.4;
/// The height of a button's label, as a fraction of the button's height.
const LABEL: f32 = 0.8;

/// Draws a number in the middle of a picture of this size.
pub(super) fn of_number(number: &str, size: (u32, u32)) -> Result<Picture> {
    let mut frame = paper(size)?;
    let height = size.0.min(size.1) as f32 * NUMBER;
    written(&mut frame, number, (size.0 as f32 / 2.0, size.1 as f32 / 2.0), height);
    sealed(&frame)
}

/// Draws the targets of a chart.
pub(super) fn of_chart(chart: &Chart) -> Result<Picture> {
    sealed(&frame_of(chart)?)
}

/// Returns the frame with the targets of a chart.
pub(super) fn frame_of(chart: &Chart) -> Result<Frame> {
    let mut frame = paper(chart.size)?;
    for target in &chart.targets {
        draw(&mut frame, target);
    }
    Ok(frame)
}

fn paper((width, height): (u32, u32)) -> Result<Frame> {
    let mut frame = Frame::black(width, height, PixelFormat::Rgb8)?;
    let whole = Bar::new((-1.0, -1.0), (width as f32 + 1.0, height as f32 + 1.0));
    fill(&mut frame, &whole, PAPER);
    Ok(frame)
}

fn sealed(frame: &Frame) -> Result<Picture> {
    let png = Bytes::from(png::encode(frame)?);
    Ok(Picture {
        sha256: sha256_hex(&png),
        png,
    })
}

fn draw(frame: &mut Frame, target: &Target) {
    let (x, y) = (target.middle.0 as f32, target.middle.1 as f32);
    let (half_width, half_height) = (target.half.0 as f32, target.half.1 as f32);
    match target.look {
        Look::Figure(figure, colour) => {
            let at = |right: f32, down: f32| (x + right * half_width, y + down * half_height);
            let paint = color(colour);
            match figure {
                Figure::Circle => fill(frame, &Disc::new((x, y), half_width), paint),
                Figure::Square => fill(frame, &Bar::new(at(-1.0, -1.0), at(1.0, 1.0)), paint),
                Figure::Triangle => fill(
                    frame,
                    &Polygon::new([at(0.0, -1.0), at(1.0, 1.0), at(-1.0, 1.0)]),
                    paint,
                ),
                Figure::Diamond => fill(
                    frame,
                    &Polygon::new([at(0.0, -1.0), at(1.0, 0.0), at(0.0, 1.0), at(-1.0, 0.0)]),
                    paint,
                ),
            }
        }
        Look::Button(label) => {
            let (left, top) = (x - half_width, y - half_height);
            let (right, bottom) = (x + half_width, y + half_height);
            let round = half_height / 3.0;
            fill(frame, &Bar::new((left, top), (right, bottom)).rounded(round), EDGE);
            let inner = Bar::new((left + 1.5, top + 1.5), (right - 1.5, bottom - 1.5));
            fill(frame, &inner.rounded(round), FACE);
            written(frame, label, (x, y), half_height * 2.0 * LABEL);
        }
    }
}

/// Writes text centred at this position.
fn written(frame: &mut Frame, text: &str, (x, y): (f32, f32), height: f32) {
    let mut lettering = Lettering::new();
    let (width, lines) = lettering.measure(text, height);
    let _ = lettering.draw_text(frame, text, (x - width / 2.0, y - lines / 2.0), height, INK);
}

fn color(colour: Colour) -> Color {
    let [red, green, blue] = colour.rgb();
    Color::rgb(red, green, blue)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_stands_in_its_middle() {
        for size in [(1344, 896), (512, 288), (896, 1344)] {
            let chart = Chart::new(size).unwrap();
            let frame = frame_of(&chart).unwrap();
            for target in &chart.targets {
                let Look::Figure(_, colour) = target.look else { continue };
                let (x, y) = (target.middle.0 as u32, target.middle.1 as u32);
                assert_eq!(frame.color(x, y), Some(color(colour)), "{}", target.look);
            }
            assert_eq!(frame.color(size.0 / 2, size.1 / 2), Some(PAPER));
        }
    }

    #[test]
    fn a_number_is_written_in_the_middle() {
        let picture = of_number("4731", (1344, 896)).unwrap();
        let frame = png::decode(&picture.png).unwrap();
        let dark = |x: u32, y: u32| frame.color(x, y).is_some_and(|color| color.luminance() < 100);
        let columns: Vec<u32> = (0..1344).filter(|x| (0..896).any(|y| dark(*x, y))).collect();
        let middle = u32::midpoint(columns[0], columns[columns.len() - 1]);
        assert!(middle.abs_diff(672) < 12, "{middle}");
    }
}
