//! Fits the free parameters of a map: the size that pixels refer to, or a straight line for each axis.

use super::coordinates::Coordinates;
use super::map::Map;
use super::score::{Ground, Pair, Score};
use crate::geometry::{Axes, Space};

/// The factor by which the aspect ratio may differ from the picture's, because servers round to whole tiles.
pub(super) const RATIO: f64 = 1.06;
/// The factor by which a side may grow. Servers round up to whole tiles but don't enlarge pictures otherwise.
const LARGEST: f64 = 1.06;
/// The smallest fraction of its length to which a side may shrink.
const SMALLEST: f64 = 0.125;
/// The ratio of a thousandth to a 1024th.
const PARTS: f64 = 1.024;
/// How many times to refine the fit for each spread. After four rounds, the weights have settled.
const STEPS: usize = 4;

/// A map with its score.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fit {
    pub(super) coordinates: Coordinates,
    pub(super) map: Map,
    pub(super) score: Score,
}

impl Fit {
    /// Returns how many parameters were fitted.
    pub(super) fn fitted(&self) -> usize {
        if self.coordinates.space == Space::Pixels { 2 } else { 0 }
    }
}

/// Scores coordinates without free parameters.
pub(super) fn fixed(coordinates: Coordinates, pairs: &[Pair], ground: Ground) -> Fit {
    let map = coordinates.map(ground.picture);
    let mut score = ground.score(&map, pairs);
    if coordinates.space == Space::Parts1024 {
        let hits = pairs.iter().filter(|pair| pair.hits(&map, score.spread)).count();
        score.value -= 2.0 * PARTS.ln() * hits as f64;
    }
    Fit {
        coordinates,
        map,
        score,
    }
}

/// Fits the size that pixels refer to, for one axis order. `ratio` is the factor by which the aspect ratio may differ
/// from the picture's.
pub(super) fn pixels(axes: Axes, ratio: f64, pairs: &[Pair], ground: Ground) -> Fit {
    let at = |sides: [f64; 2]| Coordinates::pixels([sides[0] * ground.size[0], sides[1] * ground.size[1]], axes);
    let mut coordinates = at([1.0; 2]);
    let start = |coordinates: &Coordinates| ground.value(&coordinates.map(ground.picture), pairs, ground.widest());
    for pair in pairs {
        let one = at(sides(axes, ratio, std::iter::once((pair, 1.0))));
        if start(&one) > start(&coordinates) {
            coordinates = one;
        }
    }
    let mut best: Option<Fit> = None;
    for spread in ground.spreads().into_iter().rev() {
        for _ in 0..STEPS {
            let map = coordinates.map(ground.picture);
            let weighed = pairs.iter().map(|pair| (pair, ground.share(pair.error2(&map), spread)));
            coordinates = at(sides(axes, ratio, weighed));
        }
        let map = coordinates.map(ground.picture);
        let value = ground.value(&map, pairs, spread);
        if best.is_none_or(|best| value > best.score.value) {
            best = Some(Fit {
                coordinates,
                map,
                score: Score { value, spread },
            });
        }
    }
    best.expect("there are spreads")
}

/// Returns the sides, as fractions of the picture's, that best explain the weighted answers among those that a server
/// could have produced.
fn sides<'a>(axes: Axes, most: f64, weighed: impl Iterator<Item = (&'a Pair, f64)>) -> [f64; 2] {
    let mut products = [f64::MIN_POSITIVE; 2];
    let mut squares = [f64::MIN_POSITIVE; 2];
    for (pair, weight) in weighed {
        let answer = axes.ordered(pair.answer);
        for axis in [0, 1] {
            let target = pair.target[axis] + 0.5;
            products[axis] += weight * (answer[axis] + 0.5) * target;
            squares[axis] += weight * target * target;
        }
    }
    let free = [products[0] / squares[0], products[1] / squares[1]];
    let bounded = |part: f64| part.clamp(SMALLEST, LARGEST);
    let ratio = free[0] / free[1];
    if ratio.is_finite() && (1.0 / most..=most).contains(&ratio) {
        return free.map(bounded);
    }
    // On the boundary x = edge * y, only one side is free. Fit it by least squares too, in pixels of the picture as
    // sent.
    let edge = if ratio > most { most } else { 1.0 / most };
    let y = bounded((products[0] / edge + products[1]) / (squares[0] + squares[1]));
    [bounded(y * edge), y]
}

/// Fits a straight line for each axis. This has more freedom than any coordinate space needs, and so reveals whether
/// something else would fit better.
pub(super) fn lines(axes: Axes, pairs: &[Pair], ground: Ground) -> Option<Score> {
    let mut best: Option<(Map, Score)> = None;
    let mut keep = |map: Map| {
        let score = ground.score(&map, pairs);
        if best.is_none_or(|(_, known)| score.value > known.value) {
            best = Some((map, score));
        }
    };
    for (index, one) in pairs.iter().enumerate() {
        for other in &pairs[index + 1..] {
            if let Some(map) = line(axes, [(one, 1.0), (other, 1.0)].into_iter()) {
                keep(map);
            }
        }
    }
    let (mut map, mut score) = best?;
    for spread in ground.spreads().into_iter().rev() {
        for _ in 0..STEPS {
            let weighed = pairs.iter().map(|pair| (pair, ground.share(pair.error2(&map), spread)));
            map = line(axes, weighed).unwrap_or(map);
        }
        let value = ground.value(&map, pairs, spread);
        if value > score.value {
            score = Score { value, spread };
        }
    }
    Some(score)
}

/// Returns the straight lines through the weighted answers, or `None` if all answers are at one place.
fn line<'a>(axes: Axes, weighed: impl Iterator<Item = (&'a Pair, f64)>) -> Option<Map> {
    let mut sums = [[0.0; 2]; 4];
    let mut total = 0.0;
    for (pair, weight) in weighed {
        let answer = axes.ordered(pair.answer);
        total += weight;
        for axis in [0, 1] {
            let (from, to) = (answer[axis], pair.target[axis]);
            for (sum, term) in sums.iter_mut().zip([from, to, from * to, from * from]) {
                sum[axis] += weight * term;
            }
        }
    }
    let mut map = Map {
        axes,
        scale: [0.0; 2],
        offset: [0.0; 2],
    };
    for axis in [0, 1] {
        let [from, to, product, square] = sums.map(|sum| sum[axis] / total);
        let scale = (product - from * to) / (square - from * from);
        map.scale[axis] = scale;
        map.offset[axis] = to - scale * from;
    }
    map.scale
        .iter()
        .all(|scale| scale.is_finite() && *scale != 0.0)
        .then_some(map)
}
