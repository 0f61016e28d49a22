//! Calibration: works out from a few answers what a model's coordinates mean.
//!
//! Pure and deterministic. A [`Calibration`] says which [`Target`] to ask for, accepts the two numbers in the answer,
//! if any, and ends in a [`Ruling`]. The [`Chart`] describes the picture.
//!
//! **Classes.** Thousandths, 1024ths, fractions, percent, thousandths of a square around the picture, and pixels of a
//! fitted size, each with x or y first. Servers resize pictures without saying so, and no list of their rules can be
//! complete. The size is therefore free, within the bounds of what a server could have produced: at most 1.06 times the
//! size sent, with an aspect ratio within 6 % of the picture's.
//!
//! **Score.** Each class reads every answer as a place in the picture, at a distance e from its target. Its score is
//! the sum of ln(0.7 Gauss(e, s) + 0.3 / area): a hit with spread s along each axis, or a miss anywhere, so that no
//! single miss outweighs the rest. s is the best of nine values. Pixels pay 2 nats for their two fitted numbers, and
//! 1024ths pay 2 ln 1.024 per hit, because reading in smaller steps shrinks every error. Lengths are scaled to a
//! picture with a longer side of 1500 pixels.
//!
//! **Decision.** The best class is chosen when all of the following hold:
//! - At least five answers and 60 % of those asked for lie within 3 s of their targets, which does not happen by
//!   chance.
//! - The hits' own spread is at most 27 pixels of 1500 (1.8 %), because beyond that, 1000 and 1024 parts look alike.
//!   Answers in wide steps, such as hundreds, have a spread of at least step / sqrt(12).
//! - It leads the next class by 6.1 nats after five hits, and by 0.45 less for each further one. If one class is right,
//!   the chance that another ever leads it by L nats is below exp(-L), no matter how often you look. That is Ville's
//!   inequality, for a known spread. Five hits say little about the spread, and an underestimated spread inflates the
//!   leads, so the first looks are the strictest, as in a trial with interim analyses.
//! - None of the answers that miss would hit in another class. With seven hits or more, at most one of them would hit
//!   in each. A model that answers in two classes must not be read as if it used only one.
//! - No other pair of straight lines, one for each axis, is better by 9 nats, and no picture squeezed to another shape
//!   is better by 3.5.
//!
//! If only the last condition fails, the answers follow the targets in coordinates that are not listed here.
//!
//! **Targets.** The first three are in three quadrants. Each further one is the target on which the two best classes
//! differ most. Calibration ends with a decision, after [`MOST`] targets, or as soon as a decision has become
//! impossible because too few answers named a place or all named the same one. A result that is too close to call is
//! reported as such and never decided.
//!
//! **Pixels.** The family's own size is kept if it passes the tests for hits and spread and scores at most 4 nats less
//! than the fitted one. A server's rule is named if it is the only one whose size lies within 2.5 standard errors of
//! the fitted one. Fitted to hits at distances t from the edge, a side of length w has a standard error of w s /
//! sqrt(sum of t²), but at least 0.4 pixels, since servers round differently. Rules that produce the same size count as
//! one.
//!
//! **Precision.** If errors are normal along each axis, half of them are below 1.177 s and nine of ten below 2.146 s;
//! the sum of their squares divided by s² is chi-square with two degrees of freedom per hit, minus two for a fitted
//! size. These intervals are honest even for five answers, where the largest error says little about a 90 % quantile.

mod chart;
mod coordinates;
mod evidence;
mod fit;
mod map;
mod precision;
mod resize;
mod ruling;
mod score;

pub use chart::{Chart, ChartError, Colour, Figure, Look, Target};
pub use coordinates::Coordinates;
pub use precision::{Estimate, Precision};
pub use resize::Resize;
pub use ruling::{Decision, Doubt, Ruling, Undecided};

use evidence::Evidence;

/// The minimum number of targets to ask for.
pub const FEWEST: usize = 5;
/// The maximum number of targets to ask for. Together with three requests that check whether a model can see and how it
/// answers, this makes 14 requests.
pub const MOST: usize = 11;

/// A calibration in progress.
#[derive(Clone, Debug)]
pub struct Calibration {
    chart: Chart,
    family: Option<Coordinates>,
    asked: Vec<Asked>,
    next: Option<usize>,
    ruling: Ruling,
}

/// A target's number, and the model's answer.
#[derive(Clone, Copy, Debug)]
struct Asked {
    target: usize,
    answer: Option<[f64; 2]>,
}

impl Calibration {
    /// Begins a calibration. Prefers the coordinates in `family`, which are the family's own or those of an earlier
    /// calibration to check, if they still hold.
    pub fn new(chart: Chart, family: Option<Coordinates>) -> Calibration {
        Calibration {
            chart,
            family,
            asked: Vec::new(),
            next: Some(0),
            ruling: Ruling::Open,
        }
    }

    /// Returns the next target to ask for, or `None` once there is a ruling.
    pub fn next_target(&self) -> Option<&Target> {
        self.next.and_then(|next| self.chart.targets.get(next))
    }

    /// Accepts the answer about [`Self::next_target`]: two numbers, or none.
    pub fn answer(&mut self, answer: Option<(f64, f64)>) {
        let Some(target) = self.next.take() else { return };
        let answer = answer.filter(|pair| pair.0.is_finite() && pair.1.is_finite());
        self.asked.push(Asked {
            target,
            answer: answer.map(|pair| [pair.0, pair.1]),
        });
        let evidence = Evidence::of(self);
        let ruling = evidence.ruling();
        self.next = if ruling == Ruling::Open { evidence.next() } else { None };
        self.ruling = ruling;
    }

    /// Returns the ruling on the answers so far.
    pub fn ruling(&self) -> &Ruling {
        &self.ruling
    }

    /// Returns how many targets have been asked for.
    pub fn asked(&self) -> usize {
        self.asked.len()
    }
}
