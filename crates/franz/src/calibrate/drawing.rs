//! Draws `calibration.png`, which shows the targets, where the answers point, and all errors around a common centre.

use anyhow::Result;
use franz_dialect::calibration::{Decision, Ruling};
use franz_frame::draw::{Bar, Disc, Line, Polygon, Ring, fill};
use franz_frame::png::{self, Comment};
use franz_frame::{Color, Frame, Lettering, PixelFormat};

use super::picture;
use super::session::{Pointing, Shot};

/// The comment that identifies a picture as drawn by FRANZ.
pub(super) const COMMENT: Comment<'static> = Comment {
    keyword: "Software",
    text: "franz calibrate",
};

const PAPER: Color = Color::rgb(250, 250, 248);
const INK: Color = Color::rgb(40, 42, 48);
const FAINT: Color = Color::rgb(150, 154, 162);
const HIT: Color = Color::rgb(0, 118, 108);
const MISS: Color = Color::rgb(204, 62, 28);

/// The opacity of the paper over the picture that the model saw.
const VEIL: f32 = 0.62;
/// The radius of the plot of all errors, as a fraction of the shorter side.
const PLOT: f32 = 0.26;
/// The radius of the plot's outermost ring, as a multiple of the error that nine out of ten answers do not exceed.
const REACH: f64 = 1.5;
/// An answer is a miss if its error exceeds this multiple of the error that nine out of ten answers do not exceed.
const MISSES: f64 = 2.0;
/// All lengths are given for a picture whose shorter side has this many pixels.
const SIDE: f32 = 896.0;

/// Draws the positions at which a model pointed, with a title, and returns a PNG.
pub(crate) fn png(pointing: &Pointing, title: &str) -> Result<Vec<u8>> {
    let mut sheet = Sheet::around(&picture::frame_of(&pointing.chart)?)?;
    let decision = match &pointing.ruling {
        Ruling::Decided(decision) => Some(decision),
        Ruling::Open | Ruling::Undecided(_) => None,
    };
    let plot = decision.map(|decision| Plot::of(decision, &sheet));
    if let Some(plot) = &plot {
        sheet.rings(plot);
    }
    for (number, shot) in pointing.shots.iter().enumerate() {
        sheet.shot(number + 1, shot, pointing, plot.as_ref());
    }
    sheet.foot(title, plot.as_ref());
    Ok(png::encode_with(&sheet.frame, Some(COMMENT))?)
}

/// The plot of all errors around a common centre.
struct Plot<'a> {
    decision: &'a Decision,
    middle: (f32, f32),
    radius: f32,
    /// How many pixels of the plot correspond to one pixel of the picture. Errors at the targets are enlarged by the
    /// same factor.
    scale: f32,
}

impl Plot<'_> {
    fn of<'a>(decision: &'a Decision, sheet: &Sheet) -> Plot<'a> {
        let (width, height) = sheet.seen;
        let radius = width.min(height) * PLOT;
        let reach = (decision.precision.ninety.value * REACH).max(1.0) as f32;
        Plot {
            decision,
            middle: sheet.at((width * 0.46, height * 0.47)),
            radius,
            scale: radius / reach,
        }
    }

    /// Returns how far an answer is off to the right and down, in pixels of the picture.
    fn error(&self, shot: &Shot, size: (u32, u32)) -> Option<(f32, f32)> {
        let place = self.decision.coordinates.place(shot.answer?, size);
        let (x, y) = shot.target.middle;
        Some(((place.0 - x) as f32, (place.1 - y) as f32))
    }

    fn is_hit(&self, (right, down): (f32, f32)) -> bool {
        f64::from(right.hypot(down)) <= (self.decision.precision.ninety.value * MISSES).max(6.0)
    }
}

/// The sheet to draw on.
struct Sheet {
    frame: Frame,
    lettering: Lettering,
    /// The size of the picture that the model saw.
    seen: (f32, f32),
    /// The width of the border around the picture, and the height of the strip below it.
    border: f32,
    foot: f32,
    unit: f32,
}

impl Sheet {
    /// Draws the picture that a model saw, faded, on a sheet of paper.
    fn around(seen: &Frame) -> Result<Sheet> {
        let (width, height) = (seen.width(), seen.height());
        let unit = width.min(height) as f32 / SIDE;
        let border = (56.0 * unit).round().max(24.0);
        let foot = (96.0 * unit).round().max(44.0);
        let frame = bordered(seen, border as u32, foot as u32)?;
        let mut sheet = Sheet {
            frame,
            lettering: Lettering::new(),
            seen: (width as f32, height as f32),
            border,
            foot,
            unit,
        };
        let (from, to) = (sheet.at((0.0, 0.0)), sheet.at(sheet.seen));
        fill(&mut sheet.frame, &Bar::new(from, to), PAPER.opacity(VEIL));
        let corners = [from, (to.0, from.1), to, (from.0, to.1), from];
        for side in corners.windows(2) {
            fill(
                &mut sheet.frame,
                &Line::new(side[0], side[1], 1.2 * unit),
                FAINT.opacity(0.6),
            );
        }
        Ok(sheet)
    }

    /// Returns the position on the sheet for a position in the picture.
    fn at(&self, (x, y): (f32, f32)) -> (f32, f32) {
        (x + self.border, y + self.border)
    }

    /// Draws the rings that contain half and nine tenths of all errors.
    fn rings(&mut self, plot: &Plot<'_>) {
        let precision = plot.decision.precision;
        let thin = (1.5 * self.unit).max(1.0);
        fill(
            &mut self.frame,
            &Disc::new(plot.middle, plot.radius),
            PAPER.opacity(0.8),
        );
        let (x, y) = plot.middle;
        let cross = [
            ((x - plot.radius, y), (x + plot.radius, y)),
            ((x, y - plot.radius), (x, y + plot.radius)),
        ];
        for (from, to) in cross {
            fill(&mut self.frame, &Line::new(from, to, thin), FAINT.opacity(0.5));
        }
        for (value, words) in [
            (precision.median.value, "half"),
            (precision.ninety.value, "nine of ten"),
        ] {
            let radius = value as f32 * plot.scale;
            fill(&mut self.frame, &Ring::new(plot.middle, radius, thin * 1.4), FAINT);
            let label = format!("{words}: {value:.0} px");
            self.label(&label, (x, y - radius - 14.0 * self.unit), 24.0, INK);
        }
    }

    /// Draws a target and its error, and repeats the error in the plot.
    fn shot(&mut self, number: usize, shot: &Shot, pointing: &Pointing, plot: Option<&Plot<'_>>) {
        let (x, y) = self.at((shot.target.middle.0 as f32, shot.target.middle.1 as f32));
        let around = shot.target.half.0.max(shot.target.half.1) as f32 + 7.0 * self.unit;
        let error = plot.and_then(|plot| plot.error(shot, pointing.chart.size));
        let is_hit = plot.zip(error).is_some_and(|(plot, error)| plot.is_hit(error));
        let color = match (plot, is_hit) {
            (None, _) => INK,
            (_, true) => HIT,
            (_, false) => MISS,
        };
        fill(&mut self.frame, &Ring::new((x, y), around, 2.2 * self.unit), color);
        let name = if shot.answer.is_some() {
            number.to_string()
        } else {
            format!("{number}: no place")
        };
        let label = (x - around, y - around - 8.0 * self.unit);
        self.label(&name, label, 30.0, color);
        let (Some(plot), Some((right, down))) = (plot, error) else {
            return;
        };
        if is_hit {
            let dot = (plot.middle.0 + right * plot.scale, plot.middle.1 + down * plot.scale);
            fill(&mut self.frame, &Disc::new(dot, 6.0 * self.unit), HIT);
            self.label(&number.to_string(), (dot.0 + 16.0 * self.unit, dot.1), 24.0, HIT);
            let long = self.lengthened(plot);
            self.arrow((x, y), (x + right * long, y + down * long), HIT);
        } else {
            self.arrow((x, y), (x + right, y + down), MISS);
        }
    }

    /// Returns the factor by which errors are enlarged at the targets.
    fn lengthened(&self, plot: &Plot<'_>) -> f32 {
        let median = plot.decision.precision.median.value.max(0.5) as f32;
        let long = (40.0 * self.unit / median).floor();
        long.clamp(1.0, 20.0)
    }

    fn arrow(&mut self, from: (f32, f32), to: (f32, f32), color: Color) {
        let (along, down) = (to.0 - from.0, to.1 - from.1);
        let length = along.hypot(down);
        let head = (12.0 * self.unit).min(length);
        if length < 1.0 {
            fill(&mut self.frame, &Disc::new(from, 3.0 * self.unit), color);
            return;
        }
        let (x, y) = (along / length, down / length);
        let neck = (to.0 - x * head, to.1 - y * head);
        let half = head * 0.5;
        fill(&mut self.frame, &Line::new(from, neck, 3.0 * self.unit), color);
        let corners = [
            to,
            (neck.0 - y * half, neck.1 + x * half),
            (neck.0 + y * half, neck.1 - x * half),
        ];
        fill(&mut self.frame, &Polygon::new(corners), color);
    }

    /// Writes the title and a legend below the picture.
    fn foot(&mut self, title: &str, plot: Option<&Plot<'_>>) {
        let how = plot.map_or("The meaning of the numbers is undecided.".to_owned(), |plot| {
            let long = self.lengthened(plot);
            let drawn = if long > 1.0 {
                format!(", {long:.0} times as long")
            } else {
                String::new()
            };
            format!(
                "Arrows: from each target to the answer{drawn}. Red: a miss, at its true length. Middle: all errors."
            )
        });
        let (top, size) = (self.seen.1 + self.border * 1.7, self.foot * 0.38);
        self.fitted(title, (self.border, top), size, INK);
        self.fitted(&how, (self.border, top + size * 1.25), size * 0.86, INK);
    }

    /// Writes a line below the picture, in smaller letters if it is too long.
    fn fitted(&mut self, text: &str, at: (f32, f32), size: f32, color: Color) {
        let (width, _) = self.lettering.measure(text, size);
        let size = size * (self.seen.0 / width.max(1.0)).min(1.0);
        // A character without a glyph appears as a box.
        let _ = self.lettering.draw_text(&mut self.frame, text, at, size, color);
    }

    /// Writes short text centred at this position.
    fn label(&mut self, text: &str, (x, y): (f32, f32), size: f32, color: Color) {
        let size = (size * self.unit).max(11.0);
        let (width, height) = self.lettering.measure(text, size);
        let at = (x - width / 2.0, y - height / 2.0);
        let ground = Bar::new((at.0 - 2.0, y - height * 0.4), (at.0 + width + 2.0, y + height * 0.4));
        fill(&mut self.frame, &ground.rounded(height * 0.2), PAPER.opacity(0.75));
        let _ = self.lettering.draw_text(&mut self.frame, text, at, size, color);
    }
}

/// Returns a frame with paper around it and a taller strip of paper below it.
fn bordered(frame: &Frame, border: u32, foot: u32) -> Result<Frame> {
    let pixel = [PAPER.red, PAPER.green, PAPER.blue];
    let paper = |pixels: u32| pixel.iter().copied().cycle().take(pixels as usize * pixel.len());
    let (width, height) = (frame.width() + 2 * border, frame.height() + 2 * border + foot);
    let mut data: Vec<u8> = paper(width * border).collect();
    for row in frame.data().chunks(frame.width() as usize * pixel.len()) {
        data.extend(paper(border));
        data.extend_from_slice(row);
        data.extend(paper(border));
    }
    data.extend(paper(width * (border + foot)));
    Ok(Frame::new(width, height, PixelFormat::Rgb8, data)?)
}

#[cfg(test)]
mod tests {
    use franz_dialect::calibration::{Calibration, Chart, Coordinates};
    use franz_dialect::{Axes, Space};

    use super::*;

    /// A model that misses its second target and gives no coordinates for the third.
    fn pointing(size: (u32, u32), right: bool) -> Pointing {
        let truth = Coordinates::new(Space::Thousandths, Axes::Xy);
        let mut calibration = Calibration::new(Chart::new(size).unwrap(), None);
        let mut shots = Vec::new();
        while let Some(target) = calibration.next_target().copied() {
            let off = if shots.len() % 2 == 0 { 3.0 } else { -2.0 };
            let hit = truth.answer((target.middle.0 + off, target.middle.1 - off), size);
            let answer = match shots.len() {
                1 => Some((500.0, 480.0)),
                2 => None,
                _ => right.then_some(hit),
            };
            calibration.answer(answer);
            shots.push(Shot { target, answer });
        }
        Pointing {
            chart: Chart::new(size).unwrap(),
            ruling: calibration.ruling().clone(),
            shots,
        }
    }

    fn has(frame: &Frame, color: Color) -> bool {
        (0..frame.height()).any(|y| (0..frame.width()).any(|x| frame.color(x, y) == Some(color)))
    }

    #[test]
    fn hits_and_misses_are_drawn_in_their_colours() {
        for size in [(1344, 896), (512, 288), (896, 1344)] {
            let drawn = png(&pointing(size, true), "a model").unwrap();
            let (frame, comment) = png::decode_with(&drawn, COMMENT.keyword).unwrap();
            assert_eq!(comment.as_deref(), Some(COMMENT.text));
            assert!(has(&frame, HIT) && has(&frame, MISS), "{size:?}");
            let undecided = png(&pointing(size, false), "a model").unwrap();
            let frame = png::decode(&undecided).unwrap();
            assert!(!has(&frame, HIT) && !has(&frame, MISS), "{size:?}");
        }
    }
}
