//! Thousands of simulated models, and how often calibration judges them correctly.

use std::collections::BTreeMap;
use std::fmt;

use fastrand::Rng;
use franz_dialect::calibration::{Chart, Coordinates, Decision, Resize, Ruling};
use franz_dialect::{Axes, Space};

use super::model::{Habit, Model, Truth, coordinates};
use super::table;

/// Picture sizes: those that families prefer, those of screens, an upright one, and the one that FRANZ sends by
/// default.
const SIZES: [(u32, u32); 7] = [
    (1120, 672),
    (1280, 720),
    (1344, 896),
    (1568, 896),
    (1920, 1080),
    (896, 1344),
    (512, 288),
];
/// The noise in pixels. On small pictures, it is scaled down from a picture with a longer side of 1500 pixels.
const NOISES: [u32; 6] = [0, 3, 8, 15, 20, 25];
const MISSES: [u32; 3] = [0, 10, 20];
/// The median distance of a circular normal distribution with spread 1.
const MEDIAN: f64 = 1.1774;

/// What kind of model it is, its noise in pixels, and how many of 100 answers are misses.
type Kind = (String, u32, u32);

/// The results of calibration for each kind of model.
#[derive(Default)]
pub(crate) struct Trial {
    /// Models with a class, which calibration should find.
    pub(crate) classes: BTreeMap<Kind, Tally>,
    /// Models that calibration should refuse.
    pub(crate) refused: BTreeMap<Kind, Tally>,
    /// Models that answer in coarse steps. The ruling should be right or undecided.
    pub(crate) coarse: BTreeMap<Kind, Tally>,
    /// How often the interval contained the true median, and the number of intervals.
    pub(crate) intervals: (usize, usize),
    /// How often the named rule produced the true size, and the number of named rules.
    pub(crate) rules: (usize, usize),
}

/// The results for the models of one kind.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) models: usize,
    pub(crate) right: usize,
    pub(crate) wrong: usize,
    pub(crate) asked: usize,
    pub(crate) most_asked: usize,
}

impl Trial {
    /// Calibrates this many models of each kind, picture size and resize rule. Of the classes that do not depend on
    /// resizing, which are fewer, calibrates `fixed` times as many.
    pub(crate) fn run(each: usize, fixed: usize, seed: u64) -> Trial {
        let mut trial = Trial::default();
        let mut rng = Rng::with_seed(seed);
        for size in SIZES {
            let chart = Chart::new(size).unwrap();
            for truth in truths(size) {
                let each = if truth.of.is_some() { each } else { fixed * each };
                for (_, axes) in Axes::NAMES {
                    trial.honest(Coordinates { axes, ..truth }, &chart, each, &mut rng);
                }
            }
            trial.others(&chart, each, &mut rng);
        }
        trial
    }

    fn honest(&mut self, truth: Coordinates, chart: &Chart, each: usize, rng: &mut Rng) {
        for (noise, misses) in NOISES
            .into_iter()
            .flat_map(|noise| MISSES.map(|misses| (noise, misses)))
        {
            for _ in 0..each {
                let family = family(truth, chart, rng);
                let model = model(Truth::Class(truth), Habit::Honest, scaled(noise, chart), misses);
                let (ruling, asked) = model.calibrate(chart, family, rng);
                let name = format!("{} {}", truth.space.name(), truth.axes.name());
                let tally = self.classes.entry((name, noise, misses)).or_default();
                tally.count(&ruling, asked, |decision| is_right(decision, truth, chart, model.noise));
                if let Ruling::Decided(decision) = &ruling {
                    self.look_closer(decision, truth, chart, model.noise);
                }
            }
        }
    }

    /// Counts how often the interval contains the true median, and how often a named rule is the right one.
    fn look_closer(&mut self, decision: &Decision, truth: Coordinates, chart: &Chart, noise: f64) {
        let median = decision.precision.median;
        // Less noise than that is lost in rounding.
        if noise >= 3.0 && !matches!(truth.space, Space::Fractions | Space::Percent) {
            let held = (median.low..=median.high).contains(&(MEDIAN * noise));
            self.intervals.0 += usize::from(held);
            self.intervals.1 += 1;
        }
        if let (Some(rule), Some(of)) = (decision.resize, truth.of) {
            let (width, height) = rule.size(chart.size);
            self.rules.0 += usize::from((width, height) == (of[0] as u32, of[1] as u32));
            self.rules.1 += 1;
        }
    }

    /// Calibrates models that are useless, that use other coordinates, or that answer in steps.
    fn others(&mut self, chart: &Chart, each: usize, rng: &mut Rng) {
        let thousandths = coordinates(Space::Thousandths);
        let (width, height) = (f64::from(chart.size.0), f64::from(chart.size.1));
        let squeezed = |part: f64| Truth::Class(Coordinates::pixels([width * 0.8, height * 0.8 * part], Axes::Xy));
        let class = Truth::Class(thousandths);
        let refused = [
            ("the same place always", class, Habit::Constant),
            ("the middle always", class, Habit::Centre),
            ("anywhere", class, Habit::Random),
            ("the place asked before", class, Habit::Late),
            ("thousandths or fractions", class, Habit::Mixed),
            ("pixels of a square around", Truth::LetterboxedPixels, Habit::Honest),
            ("from the bottom", Truth::BottomUp, Habit::Honest),
            ("512ths", Truth::Parts512, Habit::Honest),
            ("without the edges", Truth::Cropped, Habit::Honest),
            ("pixels, squeezed by 12 %", squeezed(0.88), Habit::Honest),
            ("pixels, squeezed by half", squeezed(0.5), Habit::Honest),
        ];
        let coarse = [
            ("thousandths in tens", class, Habit::Quantised(10.0)),
            ("thousandths in fifties", class, Habit::Quantised(50.0)),
            ("thousandths in hundreds", class, Habit::Quantised(100.0)),
            (
                "percent in fives",
                Truth::Class(coordinates(Space::Percent)),
                Habit::Quantised(50.0),
            ),
        ];
        for (noise, misses) in NOISES
            .into_iter()
            .flat_map(|noise| MISSES.map(|misses| (noise, misses)))
        {
            for _ in 0..each {
                for (name, truth, habit) in refused {
                    let (ruling, asked) =
                        model(truth, habit, scaled(noise, chart), misses).calibrate(chart, Some(thousandths), rng);
                    let tally = self.refused.entry((name.to_owned(), noise, misses)).or_default();
                    tally.count(&ruling, asked, |_| false);
                }
                for (name, truth, habit) in coarse {
                    let Truth::Class(class) = truth else { unreachable!() };
                    let (ruling, asked) =
                        model(truth, habit, scaled(noise, chart), misses).calibrate(chart, Some(class), rng);
                    let tally = self.coarse.entry((name.to_owned(), noise, misses)).or_default();
                    tally.count(&ruling, asked, |decision| decision.coordinates.same_class(&class));
                }
            }
        }
    }

    /// Returns how many models there were.
    pub(crate) fn models(&self) -> usize {
        self.all().map(|tally| tally.models).sum()
    }

    /// Returns all tallies.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Tally> {
        self.classes
            .values()
            .chain(self.refused.values())
            .chain(self.coarse.values())
    }

    /// Returns the tallies of the models with a class, by noise and misses.
    pub(crate) fn by_noise(&self) -> BTreeMap<(u32, u32), Tally> {
        let mut pooled: BTreeMap<_, Tally> = BTreeMap::new();
        for ((_, noise, misses), tally) in &self.classes {
            pooled.entry((*noise, *misses)).or_default().add(tally);
        }
        pooled
    }

    /// Returns the tallies of the models to be refused, or of those that answer in steps, by kind.
    pub(crate) fn by_kind(tallies: &BTreeMap<Kind, Tally>) -> BTreeMap<&str, Tally> {
        let mut pooled: BTreeMap<_, Tally> = BTreeMap::new();
        for ((name, ..), tally) in tallies {
            pooled.entry(name.as_str()).or_default().add(tally);
        }
        pooled
    }
}

impl Tally {
    fn count(&mut self, ruling: &Ruling, asked: usize, is_right: impl Fn(&Decision) -> bool) {
        self.models += 1;
        self.asked += asked;
        self.most_asked = self.most_asked.max(asked);
        if let Ruling::Decided(decision) = ruling {
            if is_right(decision) {
                self.right += 1;
            } else {
                self.wrong += 1;
            }
        }
    }

    fn add(&mut self, other: &Tally) {
        self.models += other.models;
        self.right += other.right;
        self.wrong += other.wrong;
        self.asked += other.asked;
        self.most_asked = self.most_asked.max(other.most_asked);
    }

    /// Returns the percentage of models that were judged correctly.
    pub(crate) fn right(&self) -> f64 {
        100.0 * self.right as f64 / self.models as f64
    }

    /// Returns the percentage of models that were misjudged.
    pub(crate) fn wrong(&self) -> f64 {
        100.0 * self.wrong as f64 / self.models as f64
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (right, wrong) = (self.right(), self.wrong());
        write!(
            f,
            "{:6} models  right {right:6.2} %  wrong {wrong:5.2} %  undecided {:6.2} %  targets {:5.2}, at most {}",
            self.models,
            100.0 - right - wrong,
            self.asked as f64 / self.models as f64,
            self.most_asked
        )
    }
}

/// Returns all coordinates that a model might use. Qwen's sizes come from `transformers`, not from FRANZ.
fn truths(sent: (u32, u32)) -> Vec<Coordinates> {
    let rules = [
        Resize::None,
        Resize::LongEdge(500),
        Resize::LongEdge(1024),
        Resize::LongEdge(1568),
        Resize::ShortEdge(768),
        // Rules that FRANZ doesn't list.
        Resize::LongEdge(768),
        Resize::LongEdge(1280),
        Resize::ShortEdge(448),
    ];
    let mut sizes: Vec<(u32, u32)> = rules.iter().map(|rule| rule.size(sent)).collect();
    sizes.extend(
        table::rows()
            .iter()
            .filter(|row| row.sent == sent)
            .map(|row| row.resized),
    );
    // Tiles of 224 pixels.
    sizes.push((sent.0.div_ceil(224) * 224, sent.1.div_ceil(224) * 224));
    sizes.retain(|size| is_pixels(*size, sent));
    let pixels = sizes
        .into_iter()
        .map(|(width, height)| Coordinates::pixels([f64::from(width), f64::from(height)], Axes::Xy));
    let fixed = [
        Space::Thousandths,
        Space::Parts1024,
        Space::Fractions,
        Space::Percent,
        Space::Letterboxed,
    ];
    fixed.map(coordinates).into_iter().chain(pixels).collect()
}

/// Returns whether a size is within the bounds of the class: at most 6 % larger, with an aspect ratio at most 6 % off.
fn is_pixels(size: (u32, u32), sent: (u32, u32)) -> bool {
    let parts = [
        f64::from(size.0) / f64::from(sent.0),
        f64::from(size.1) / f64::from(sent.1),
    ];
    let ratio = parts[0] / parts[1];
    parts[0].max(parts[1]) <= 1.06 && (1.0 / 1.06..=1.06).contains(&ratio)
}

/// Returns the coordinates that the family claims: none, the true ones, or ones that might be wrong.
fn family(truth: Coordinates, chart: &Chart, rng: &mut Rng) -> Option<Coordinates> {
    let (width, height) = (f64::from(chart.size.0), f64::from(chart.size.1));
    match rng.u8(0..4) {
        0 => None,
        1 => Some(truth),
        2 => Some(coordinates(Space::Thousandths)),
        _ => Some(Coordinates::pixels([width, height], Axes::Xy)),
    }
}

fn scaled(noise: u32, chart: &Chart) -> f64 {
    match chart.size.0.max(chart.size.1) {
        longer @ ..1000 => f64::from(noise * longer) / 1500.0,
        _ => f64::from(noise),
    }
}

fn model(truth: Truth, habit: Habit, noise: f64, misses: u32) -> Model {
    Model {
        truth,
        habit,
        noise,
        misses: f64::from(misses) / 100.0,
    }
}

/// Returns whether the class is the true one and the far corner is read within 3 pixels plus three times the noise.
fn is_right(decision: &Decision, truth: Coordinates, chart: &Chart, noise: f64) -> bool {
    let corner = (f64::from(chart.size.0) - 1.0, f64::from(chart.size.1) - 1.0);
    let read = decision.coordinates.place(truth.answer(corner, chart.size), chart.size);
    let off = (read.0 - corner.0).hypot(read.1 - corner.1);
    decision.coordinates.same_class(&truth) && off <= 3.0 + 3.0 * noise
}
