//! How well a map explains answers, which are a mixture of hits around the targets and misses anywhere.

use super::map::Map;

/// The expected share of answers that hit.
const HITS: f64 = 0.7;
/// The spreads to try, in pixels of a picture whose longer side has [`SIDE`] pixels.
const SPREADS: [f64; 9] = [2.0, 3.0, 5.0, 8.0, 12.0, 18.0, 27.0, 40.0, 60.0];
/// The smallest spread to try, in pixels of any picture, because numbers are rounded, and some models count from pixel
/// edges, others from pixel centres.
const FINEST: f64 = 2.0;
/// The widest spread that is accepted: 1.8 % of the longer side.
const WIDEST: f64 = 27.0;
/// The length of the longer side that spreads refer to.
const SIDE: f64 = 1500.0;
/// An answer hits if it is within this many spreads of its target.
const REACH: f64 = 3.0;

/// A target's true place, and the pair of numbers in the answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    pub(super) target: [f64; 2],
    pub(super) answer: [f64; 2],
}

/// The properties of a picture that the score depends on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ground {
    pub(super) picture: (u32, u32),
    pub(super) size: [f64; 2],
}

/// How well one map explains the answers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Score {
    /// The score in nats.
    pub(super) value: f64,
    /// The spread with the best score, in pixels.
    pub(super) spread: f64,
}

impl Pair {
    /// Returns the squared distance between the target and the place that a map reads in the answer.
    pub(super) fn error2(&self, map: &Map) -> f64 {
        let place = map.place(self.answer);
        (place[0] - self.target[0]).powi(2) + (place[1] - self.target[1]).powi(2)
    }

    /// Returns whether the answer hits according to a map, with this spread.
    pub(super) fn hits(&self, map: &Map, spread: f64) -> bool {
        self.error2(map) <= (REACH * spread).powi(2)
    }
}

impl Ground {
    pub(super) fn of(picture: (u32, u32)) -> Ground {
        Ground {
            picture,
            size: [f64::from(picture.0), f64::from(picture.1)],
        }
    }

    /// Returns this picture's size relative to the size that spreads refer to.
    fn unit(&self) -> f64 {
        self.size[0].max(self.size[1]) / SIDE
    }

    /// Returns the spreads to try, in pixels of this picture.
    pub(super) fn spreads(&self) -> [f64; SPREADS.len()] {
        SPREADS.map(|spread| (spread * self.unit()).max(FINEST))
    }

    /// Returns the widest spread that is accepted, in pixels of this picture.
    pub(super) fn widest(&self) -> f64 {
        WIDEST * self.unit()
    }

    /// Returns the probability density of a miss, which can be anywhere in the picture.
    fn miss(&self) -> f64 {
        (1.0 - HITS) / (self.size[0] * self.size[1])
    }

    /// Returns the probability density of a hit with this error.
    fn hit(error2: f64, spread: f64) -> f64 {
        let variance = spread * spread;
        HITS * (-error2 / (2.0 * variance)).exp() / (std::f64::consts::TAU * variance)
    }

    /// Returns the probability that an answer with this error is a hit rather than a miss, in `0..=1`.
    pub(super) fn share(&self, error2: f64, spread: f64) -> f64 {
        let hit = Self::hit(error2, spread);
        hit / (hit + self.miss())
    }

    /// Returns the sum over all answers of ln(0.7 Gauss(e, s) + 0.3 / area).
    pub(super) fn value(&self, map: &Map, pairs: &[Pair], spread: f64) -> f64 {
        pairs
            .iter()
            .map(|pair| (Self::hit(pair.error2(map), spread) + self.miss()).ln())
            .sum()
    }

    /// Returns the best score of a map over all spreads.
    pub(super) fn score(&self, map: &Map, pairs: &[Pair]) -> Score {
        self.spreads()
            .map(|spread| Score {
                value: self.value(map, pairs, spread),
                spread,
            })
            .into_iter()
            .max_by(|a, b| a.value.total_cmp(&b.value))
            .expect("there are spreads")
    }
}
