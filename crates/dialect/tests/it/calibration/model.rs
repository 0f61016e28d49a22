//! A simulated model whose coordinates are known. It points as well as its noise, its misses and its habits let it.

use fastrand::Rng;
use franz_dialect::calibration::{Calibration, Chart, Coordinates, Ruling};
use franz_dialect::{Axes, Space};

/// A model, and how well it points.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Model {
    pub(crate) truth: Truth,
    pub(crate) habit: Habit,
    /// The standard deviation along each axis, in pixels of the picture as sent.
    pub(crate) noise: f64,
    /// The share of answers that are misses.
    pub(crate) misses: f64,
}

/// What a model's numbers mean: a class, or something that is not a class.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Truth {
    Class(Coordinates),
    /// Pixels of a square with the picture in its middle.
    LetterboxedPixels,
    /// Thousandths counted from the bottom.
    BottomUp,
    /// 512ths of each axis.
    Parts512,
    /// Thousandths of the middle of the picture, with a tenth cut off at each edge.
    Cropped,
}

/// How a model answers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Habit {
    /// With the place that it sees.
    Honest,
    /// Always with the same place.
    Constant,
    /// Always with the middle.
    Centre,
    /// Anywhere.
    Random,
    /// With the place of the previous target.
    Late,
    /// In steps of this many thousandths of the largest number.
    Quantised(f64),
    /// In fractions, half of the time.
    Mixed,
}

impl Model {
    /// Lets the model answer until there is a ruling. Returns the ruling and the number of targets asked for.
    pub(crate) fn calibrate(&self, chart: &Chart, family: Option<Coordinates>, rng: &mut Rng) -> (Ruling, usize) {
        let mut calibration = Calibration::new(chart.clone(), family);
        let mut before = (0.0, 0.0);
        while let Some(target) = calibration.next_target() {
            let middle = target.middle;
            let aim = if self.habit == Habit::Late { before } else { middle };
            before = middle;
            calibration.answer(self.answer(chart, aim, rng));
        }
        (calibration.ruling().clone(), calibration.asked())
    }

    fn answer(&self, chart: &Chart, aim: (f64, f64), rng: &mut Rng) -> Option<(f64, f64)> {
        let size = (f64::from(chart.size.0), f64::from(chart.size.1));
        let middle = (size.0 / 2.0, size.1 / 2.0);
        let anywhere = |rng: &mut Rng| (rng.f64() * (size.0 - 1.0), rng.f64() * (size.1 - 1.0));
        let place = match self.habit {
            Habit::Constant => return Some(self.written((size.0 * 0.31, size.1 * 0.43), chart.size, rng)),
            Habit::Centre => return Some(self.written(middle, chart.size, rng)),
            Habit::Random => anywhere(rng),
            _ if rng.f64() < self.misses => match rng.u8(0..4) {
                0 => return None,
                1 => chart.targets[rng.usize(..chart.targets.len())].middle,
                2 => middle,
                _ => anywhere(rng),
            },
            _ => aim,
        };
        let noisy = |place: f64, side: f64, rng: &mut Rng| (place + self.noise * gauss(rng)).clamp(0.0, side - 1.0);
        let place = (noisy(place.0, size.0, rng), noisy(place.1, size.1, rng));
        Some(self.written(place, chart.size, rng))
    }

    /// Returns the numbers as the model writes them.
    fn written(&self, place: (f64, f64), picture: (u32, u32), rng: &mut Rng) -> (f64, f64) {
        let size = (f64::from(picture.0), f64::from(picture.1));
        let (x, y) = coordinates(Space::Fractions).answer(place, picture);
        let (numbers, greatest) = match self.truth {
            Truth::Class(truth) => {
                let spoken = match self.habit {
                    Habit::Mixed if rng.bool() => Coordinates::new(Space::Fractions, truth.axes),
                    _ => truth,
                };
                (spoken.answer(place, picture), greatest(&spoken))
            }
            Truth::LetterboxedPixels => {
                let square = size.0.max(size.1);
                (
                    (place.0 + (square - size.0) / 2.0, place.1 + (square - size.1) / 2.0),
                    square,
                )
            }
            Truth::BottomUp => ((x * 1000.0, (1.0 - y) * 1000.0), 1000.0),
            Truth::Parts512 => ((x * 512.0, y * 512.0), 512.0),
            Truth::Cropped => (((x - 0.1) * 1250.0, (y - 0.1) * 1250.0), 1000.0),
        };
        let step = match self.habit {
            Habit::Quantised(thousandths) => greatest * thousandths / 1000.0,
            // Models write fractions with two decimals.
            _ if greatest < 2.0 => 0.01,
            _ => 1.0,
        };
        ((numbers.0 / step).round() * step, (numbers.1 / step).round() * step)
    }
}

pub(crate) fn coordinates(space: Space) -> Coordinates {
    Coordinates::new(space, Axes::Xy)
}

/// Returns the largest number in these coordinates.
fn greatest(coordinates: &Coordinates) -> f64 {
    match coordinates.space {
        Space::Thousandths | Space::Letterboxed | Space::Unknown => 1000.0,
        Space::Parts1024 => 1024.0,
        Space::Fractions => 1.0,
        Space::Percent => 100.0,
        Space::Pixels => coordinates.of.map_or(1000.0, |of| of[0].max(of[1])),
    }
}

/// Returns a number from the normal distribution, by the Box-Muller method.
fn gauss(rng: &mut Rng) -> f64 {
    (-2.0 * (1.0 - rng.f64()).ln()).sqrt() * (std::f64::consts::TAU * rng.f64()).cos()
}
