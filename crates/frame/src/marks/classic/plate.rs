//! The number of an action on a plate.

use super::step::{Figure, Step};
use crate::color::Color;
use crate::draw::{Disc, Line, Polygon, Ring, fill};
use crate::frame::Frame;
use crate::marks::area::Area;
use crate::marks::measure::growth;
use crate::marks::palette::RED;
use crate::text::Lettering;

/// Lengths in pixels at 512 x 288. Numbers of three digits need a larger plate, and longer ones smaller digits.
const RADIUS: [f32; 3] = [6.5, 6.5, 8.0];
const DIGITS: [f32; 3] = [12.0, 9.5, 8.0];
const RIM: f32 = 0.8;
const RING: f32 = 2.0;

/// How much longer the half diagonal of a diamond is than the radius of a disc for the same digits.
const DIAMOND: f32 = 1.4;

/// Numbers must be legible, whatever lies beneath.
const OPACITY: f32 = 0.85;

/// A number and its position.
pub(super) struct Plate {
    number: String,
    figure: Figure,
    radius: f32,
    /// Pixels per pixel at 512 x 288.
    scale: f32,
    center: (f32, f32),
}

impl Plate {
    /// Returns the first position for the number of `step` that is on the picture and not `taken`, or `None` if there
    /// is none.
    pub(super) fn of(frame: &Frame, step: &Step, number: usize, taken: &[Area]) -> Option<Plate> {
        let scale = growth(frame);
        let number = number.to_string();
        let mut plate = Plate {
            figure: step.figure(),
            radius: scale * of_digits(RADIUS, &number),
            number,
            scale,
            center: (0.0, 0.0),
        };
        let free = |center: &(f32, f32)| {
            let area = Area::around(*center, plate.reach());
            area.is_within(frame) && !taken.iter().any(|other| area.overlaps(other))
        };
        plate.center = step.plates(frame, plate.reach()).into_iter().find(free)?;
        Some(plate)
    }

    pub(super) fn center(&self) -> (f32, f32) {
        self.center
    }

    /// Returns the area that contains everything drawn.
    pub(super) fn area(&self) -> Area {
        Area::around(self.center, self.reach())
    }

    /// Returns the distance from the middle to the furthest pixel, vertically or horizontally.
    fn reach(&self) -> f32 {
        let rim = RIM * self.scale / 2.0;
        match self.figure {
            Figure::Disc => self.radius + rim,
            Figure::Diamond => self.radius * DIAMOND + rim,
            Figure::Ring => self.radius + RING * self.scale / 2.0 + rim,
        }
    }

    pub(super) fn draw(&self, frame: &mut Frame, lettering: &mut Lettering) {
        // A white rim separates the plate from a red background.
        let (rim, white) = (RIM * self.scale, Color::WHITE.opacity(OPACITY));
        let (center, radius) = (self.center, self.radius);
        match self.figure {
            Figure::Disc => {
                fill(frame, &Disc::new(center, radius), RED.opacity(OPACITY));
                fill(frame, &Ring::new(center, radius, rim), white);
            }
            Figure::Diamond => {
                let reach = radius * DIAMOND;
                let [top, right, bottom, left] = [(0.0, -reach), (reach, 0.0), (0.0, reach), (-reach, 0.0)]
                    .map(|(x, y)| (center.0 + x, center.1 + y));
                fill(frame, &Polygon::new([top, right, bottom, left]), RED.opacity(OPACITY));
                for (from, to) in [(top, right), (right, bottom), (bottom, left), (left, top)] {
                    fill(frame, &Line::new(from, to, rim), white);
                }
            }
            Figure::Ring => {
                let width = RING * self.scale;
                fill(frame, &Disc::new(center, radius), Color::BLACK.opacity(OPACITY));
                fill(frame, &Ring::new(center, radius, width), RED.opacity(OPACITY));
                fill(frame, &Ring::new(center, radius + width / 2.0, rim), white);
            }
        }
        self.draw_digits(frame, lettering);
    }

    fn draw_digits(&self, frame: &mut Frame, lettering: &mut Lettering) {
        let usual = of_digits(DIGITS, &self.number) * self.scale;
        let (width, _) = lettering.measure(&self.number, usual);
        let size = usual * (2.0 * self.radius / width).min(1.0);
        let (width, height) = lettering.measure(&self.number, size);
        // Digits stand slightly above the middle of their line.
        let at = (self.center.0 - width / 2.0 + 0.5, self.center.1 - height * 0.52);
        // Digits are never missing.
        let _ = lettering.draw_text(frame, &self.number, at, size, Color::WHITE);
    }
}

/// Returns the length for a number of one, two, or more digits.
fn of_digits(lengths: [f32; 3], number: &str) -> f32 {
    let [one, two, more] = lengths;
    match number.len() {
        1 => one,
        2 => two,
        _ => more,
    }
}
