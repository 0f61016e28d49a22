//! How well each class explains the answers so far, and what this means for the decision.

use super::coordinates::{Coordinates, FIXED};
use super::fit::{self, Fit};
use super::map::Map;
use super::precision::Precision;
use super::resize::Resize;
use super::ruling::{Decision, Doubt, Ruling, Undecided};
use super::score::{Ground, Pair, Score};
use super::{Calibration, FEWEST, MOST};
use crate::geometry::Axes;

/// The penalty for pixels with a fitted size, in nats. Two fitted numbers explain about that much by chance.
const SIZE_COSTS: f64 = 2.0;
/// The lead that the best class needs after [`FEWEST`] hits, in nats.
const LEAD: f64 = 6.1;
/// The reduction of that lead for each further hit, in nats.
const LEAD_FALLS: f64 = 0.45;
/// How far the family's own size may trail the fitted size and still be kept, in nats.
const FAMILY: f64 = 4.0;
/// The margin by which freely fitted straight lines may beat the best class, in nats. They have four parameters.
const FREE: f64 = 9.0;
/// The margin by which pixels of a squeezed picture may beat the best class, in nats.
const SQUEEZED: f64 = 3.5;
/// The share of answers that must hit.
const HITS: f64 = 0.6;
/// A rule is possible if its size is within this many standard errors of the fitted one.
const ERRORS: f64 = 2.5;
/// The smallest standard error, in pixels, because every server rounds sides in its own way.
const ROUNDING: f64 = 0.4;
/// Answers count as the same if they differ by at most this fraction of the larger one.
const SAME: f64 = 0.02;
/// With this many hits or more, one miss can be a hit in another class by chance.
const MANY: usize = 7;
/// Numbers that differ by less than this fraction of the larger one count as equal.
const EXACT: f64 = 1e-6;
/// How many targets to ask for in their listed order before the answers determine the next one.
const IN_ORDER: usize = 3;

/// The answers so far, and how well each class explains them, with the best class first.
pub(super) struct Evidence<'a> {
    calibration: &'a Calibration,
    ground: Ground,
    pairs: Vec<Pair>,
    fits: Vec<Fit>,
}

impl<'a> Evidence<'a> {
    pub(super) fn of(calibration: &'a Calibration) -> Evidence<'a> {
        let targets = &calibration.chart.targets;
        let pair = |asked: &super::Asked| {
            let (x, y) = targets[asked.target].middle;
            asked.answer.map(|answer| Pair { target: [x, y], answer })
        };
        let ground = Ground::of(calibration.chart.size);
        let pairs: Vec<Pair> = calibration.asked.iter().filter_map(pair).collect();
        let mut fits = Vec::new();
        for (_, axes) in Axes::NAMES {
            fits.extend(FIXED.map(|space| fit::fixed(Coordinates::new(space, axes), &pairs, ground)));
            let mut pixels = fit::pixels(axes, fit::RATIO, &pairs, ground);
            pixels.score.value -= SIZE_COSTS;
            fits.push(pixels);
        }
        fits.sort_by(|a, b| b.score.value.total_cmp(&a.score.value));
        Evidence {
            calibration,
            ground,
            pairs,
            fits,
        }
    }

    /// Returns the ruling on the answers.
    pub(super) fn ruling(&self) -> Ruling {
        let asked = self.calibration.asked();
        if asked < FEWEST {
            return Ruling::Open;
        }
        match self.decision() {
            Ok(decision) => Ruling::Decided(decision),
            Err(why) if asked == MOST || self.is_hopeless(&why) => Ruling::Undecided(Undecided {
                why,
                family_fits: self.family().is_some(),
            }),
            Err(_) => Ruling::Open,
        }
    }

    /// Returns the next target: the first ones in their listed order, then the one on which the two best classes differ
    /// most.
    pub(super) fn next(&self) -> Option<usize> {
        let targets = &self.calibration.chart.targets;
        let is_open = |index: &usize| self.calibration.asked.iter().all(|asked| asked.target != *index);
        let mut open = (0..targets.len()).filter(is_open);
        if self.calibration.asked() < IN_ORDER {
            return open.next();
        }
        let apart = |index: usize| {
            let place = [targets[index].middle.0, targets[index].middle.1];
            let read = self.fits[1].map.place(self.fits[0].map.answer(place));
            (read[0] - place[0]).powi(2) + (read[1] - place[1]).powi(2)
        };
        open.max_by(|a, b| apart(*a).total_cmp(&apart(*b)).then(b.cmp(a)))
    }

    /// Returns whether no further answer can lead to a decision.
    fn is_hopeless(&self, why: &Doubt) -> bool {
        let left = MOST - self.calibration.asked();
        matches!(why, Doubt::Constant(..)) || self.pairs.len() + left < needed(MOST)
    }

    fn decision(&self) -> Result<Decision, Doubt> {
        let (asked, given) = (self.calibration.asked(), self.pairs.len());
        if given < needed(asked) {
            return Err(Doubt::Silent { given, asked });
        }
        self.check_constant()?;
        let (best, next) = (&self.fits[0], &self.fits[1]);
        self.check_hits(&best.map, best.score)?;
        self.check_steps(&best.map, best.score.spread)?;
        let hits = self.hits(&best.map, best.score.spread).count();
        if best.score.value - next.score.value < LEAD - LEAD_FALLS * (hits - FEWEST) as f64 {
            return Err(Doubt::Close(best.coordinates, next.coordinates));
        }
        self.check_one_class(best)?;
        self.check_lines(best)?;
        Ok(self.decided(best))
    }

    fn check_constant(&self) -> Result<(), Doubt> {
        let first = self.pairs[0].answer;
        let same = |axis: usize| {
            let values = || self.pairs.iter().map(|pair| pair.answer[axis]);
            let low = values().fold(f64::INFINITY, f64::min);
            let high = values().fold(f64::NEG_INFINITY, f64::max);
            high - low <= SAME * high.abs().max(low.abs())
        };
        if same(0) && same(1) {
            return Err(Doubt::Constant(first[0], first[1]));
        }
        Ok(())
    }

    fn hits(&self, map: &Map, spread: f64) -> impl Iterator<Item = &Pair> {
        self.pairs.iter().filter(move |pair| pair.hits(map, spread))
    }

    /// Checks that enough answers hit, and that they are close enough.
    fn check_hits(&self, map: &Map, score: Score) -> Result<(), Doubt> {
        let asked = self.calibration.asked();
        let hits = self.hits(map, score.spread).count();
        if hits < needed(asked) {
            return Err(Doubt::Misses { hits, asked });
        }
        let (spread, widest) = (self.spread(map, score.spread, 0), self.ground.widest());
        if spread > widest {
            return Err(Doubt::Scattered { spread, widest });
        }
        Ok(())
    }

    /// Checks that the answers that hit don't have steps so wide that rounding alone spreads them too far.
    fn check_steps(&self, map: &Map, reach: f64) -> Result<(), Doubt> {
        let numbers = || self.hits(map, reach).flat_map(|pair| pair.answer).map(f64::abs);
        let exact = numbers().fold(0.0, f64::max) * EXACT;
        let step = numbers().fold(0.0, |step, number| common_step(step, number, exact));
        let longest = step * map.scale[0].abs().max(map.scale[1].abs());
        let (spread, widest) = (longest / 12_f64.sqrt(), self.ground.widest());
        if spread > widest {
            return Err(Doubt::Scattered { spread, widest });
        }
        Ok(())
    }

    /// Returns the spread of the hits along each axis, given how many numbers were fitted to them.
    fn spread(&self, map: &Map, reach: f64, fitted: usize) -> f64 {
        let hits = self.hits(map, reach).count();
        let sum: f64 = self.hits(map, reach).map(|pair| pair.error2(map)).sum();
        (sum / (2 * hits).saturating_sub(fitted).max(1) as f64).sqrt()
    }

    fn check_one_class(&self, best: &Fit) -> Result<(), Doubt> {
        let spread = best.score.spread;
        let would_hit = |other: &Fit| {
            let missed = self.pairs.iter().filter(|pair| !pair.hits(&best.map, spread));
            missed.filter(|pair| pair.hits(&other.map, spread)).count()
        };
        let hits = self.hits(&best.map, spread).count();
        let by_chance = usize::from(hits >= MANY);
        match self.fits[1..].iter().find(|other| would_hit(other) > by_chance) {
            Some(other) => Err(Doubt::Mixed(best.coordinates, other.coordinates)),
            None => Ok(()),
        }
    }

    /// Checks that no coordinates outside the listed classes explain the answers far better.
    fn check_lines(&self, best: &Fit) -> Result<(), Doubt> {
        let ahead = |score: Score, by: f64| score.value - best.score.value > by;
        let better = Axes::NAMES.into_iter().any(|(_, axes)| {
            ahead(fit::pixels(axes, f64::MAX, &self.pairs, self.ground).score, SQUEEZED)
                || fit::lines(axes, &self.pairs, self.ground).is_some_and(|lines| ahead(lines, FREE))
        });
        if better { Err(Doubt::Unknown) } else { Ok(()) }
    }

    /// Returns the family's own coordinates if they explain the answers nearly as well as the best ones.
    fn family(&self) -> Option<Fit> {
        let family = fit::fixed(self.calibration.family?, &self.pairs, self.ground);
        let near = self
            .fits
            .first()
            .is_some_and(|best| family.score.value >= best.score.value - FAMILY);
        (near && self.check_hits(&family.map, family.score).is_ok()).then_some(family)
    }

    fn decided(&self, best: &Fit) -> Decision {
        let family = self
            .family()
            .filter(|family| family.coordinates.same_class(&best.coordinates));
        let chosen = family.unwrap_or(*best);
        let errors2: Vec<f64> = self
            .hits(&best.map, best.score.spread)
            .map(|pair| pair.error2(&chosen.map))
            .collect();
        Decision {
            coordinates: chosen.coordinates,
            family: family.is_some(),
            resize: self.resize(best),
            precision: Precision::new(&errors2, if family.is_some() { 0 } else { best.fitted() }),
            asked: self.calibration.asked(),
        }
    }

    /// Returns the known rule whose size is near the fitted one, if there is only one. Rules with the same size count
    /// as one, represented by the simplest.
    fn resize(&self, best: &Fit) -> Option<Resize> {
        let of = best.coordinates.of?;
        let spread = self.spread(&best.map, best.score.spread, best.fitted());
        let error = |axis: usize| {
            let hits = self.hits(&best.map, best.score.spread);
            let squares: f64 = hits.map(|pair| (pair.target[axis] + 0.5).powi(2)).sum();
            (of[axis] * spread / squares.sqrt()).max(ROUNDING)
        };
        let sent = self.calibration.chart.size;
        let mut near = Resize::KNOWN.into_iter().filter(|rule| {
            let (width, height) = rule.size(sent);
            (f64::from(width) - of[0]).abs() <= ERRORS * error(0)
                && (f64::from(height) - of[1]).abs() <= ERRORS * error(1)
        });
        let rule = near.next()?;
        near.all(|other| other.size(sent) == rule.size(sent)).then_some(rule)
    }
}

/// Returns the widest step that divides both numbers, by Euclid's algorithm. A remainder of at most `exact` counts as
/// zero.
fn common_step(mut one: f64, mut other: f64, exact: f64) -> f64 {
    while other > exact {
        let rest = one % other;
        one = other;
        other = if one - rest <= exact { 0.0 } else { rest };
    }
    one
}

/// Returns how many answers must hit after this many targets have been asked for.
fn needed(asked: usize) -> usize {
    FEWEST.max((HITS * asked as f64).ceil() as usize)
}
