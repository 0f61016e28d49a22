//! Converts a position that the model means into the numbers that it writes.

use franz_action::{Action, Point};
use franz_dialect::{Axes, Geometry, Space, Spot};

use crate::player::chance::Chance;

/// How a model converts positions into numbers.
#[derive(Clone, Copy, Debug)]
pub struct Aim {
    /// The unit of the model's numbers.
    pub(crate) space: Space,
    /// Which number comes first.
    pub(crate) axes: Axes,
    /// The size of the picture as sent.
    pub(crate) sent: (u32, u32),
    /// The size of the picture as the model sees it.
    pub(crate) seen: (u32, u32),
    /// How far the model misses, as a standard deviation in pixels of the picture as the model sees it, and the source
    /// of these random misses.
    pub(crate) noise: Option<(f64, Chance)>,
    /// The source of random positions, for a model that points at random.
    pub(crate) astray: Option<Chance>,
}

impl Aim {
    /// Whole thousandths, x before y, and no misses, as FRANZ's own prompts request.
    pub const EXACT: Aim = Aim {
        space: Space::Thousandths,
        axes: Axes::Xy,
        sent: (1001, 1001),
        seen: (1001, 1001),
        noise: None,
        astray: None,
    };

    /// Returns the geometry that gives the numbers their meaning.
    pub(crate) fn geometry(&self) -> Geometry {
        Geometry {
            space: self.space,
            axes: self.axes,
            picture: Some(self.seen),
            screen: Some(self.sent),
        }
    }

    /// Returns the number of decimals that the model writes.
    fn decimals(&self) -> usize {
        match self.space {
            Space::Fractions => 4,
            Space::Percent => 1,
            _ => 0,
        }
    }

    /// Returns the two numbers for a point, rounded as models round them.
    pub(crate) fn numbers(&self, at: Point) -> [f64; 2] {
        let place = (at.x.get() / 1000.0, at.y.get() / 1000.0);
        let last = |size: u32| f64::from(size.saturating_sub(1));
        self.numbers_of((place.0 * last(self.sent.0), place.1 * last(self.sent.1)))
    }

    /// Returns the two numbers for a position in pixels of the picture as sent.
    pub(crate) fn numbers_of(&self, (x, y): (f64, f64)) -> [f64; 2] {
        let [right, down] = match self.noise {
            Some((spread, chance)) => chance.normal(&format!("{x} {y}")).map(|miss| miss * spread),
            None => [0.0; 2],
        };
        let missed = |place: f64, miss: f64, sent: u32, seen: u32| {
            let miss = miss * f64::from(sent) / f64::from(seen.max(1));
            (place + miss).clamp(0.0, f64::from(sent.saturating_sub(1)))
        };
        let x = missed(x, right, self.sent.0, self.seen.0);
        let y = missed(y, down, self.sent.1, self.seen.1);
        let anywhere = |chance: Chance| {
            let [across, along] = chance.pair(&format!("astray {x} {y}"));
            (across * f64::from(self.sent.0 - 1), along * f64::from(self.sent.1 - 1))
        };
        let (x, y) = self.astray.map_or((x, y), anywhere);
        let part = |place: f64, size: u32| place / f64::from(size.saturating_sub(1).max(1)) * 1000.0;
        let steps = 10_f64.powi(self.decimals() as i32);
        let numbers = self.geometry().written([part(x, self.sent.0), part(y, self.sent.1)]);
        numbers.map(|number| ((number * steps).round() / steps).max(0.0))
    }

    /// Returns the point that two numbers stand for, or `None` if they do not stand for a point.
    pub(crate) fn point(&self, numbers: [f64; 2]) -> Option<Point> {
        self.geometry().point(&Spot::Point(numbers)).ok()
    }

    /// Returns the largest distance, in thousandths, between two points that were meant to be the same.
    pub(crate) fn reach(&self) -> f64 {
        let spread = self.noise.map_or(0.0, |(spread, _)| spread);
        let side = f64::from(self.seen.0.min(self.seen.1).max(1));
        2.0 + (8.0 * spread + 2.0) / side * 1000.0
    }

    /// Writes a number with the right number of decimals.
    pub(crate) fn written(&self, number: f64) -> String {
        let decimals = self.decimals();
        let text = format!("{number:.decimals$}");
        match text.split_once('.') {
            Some(_) => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
            None => text,
        }
    }

    /// Writes a pair of numbers in the form of FRANZ's own calls.
    pub(crate) fn pair(&self, at: Point) -> String {
        let [first, second] = self.numbers(at);
        format!("{}, {}", self.written(first), self.written(second))
    }

    /// Writes an action as one of FRANZ's own calls.
    pub fn call(&self, action: &Action) -> String {
        match action {
            Action::Drag(_) | Action::Click(_) => action.call(|at| self.pair(*at)),
            other => other.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SPACES: [Space; 6] = [
        Space::Thousandths,
        Space::Parts1024,
        Space::Fractions,
        Space::Percent,
        Space::Letterboxed,
        Space::Pixels,
    ];

    #[test]
    fn calls_are_written_in_the_players_own_numbers() {
        let aim = Aim {
            space: Space::Fractions,
            axes: Axes::Yx,
            ..Aim::EXACT
        };
        let drag = Action::drag(Point::clamped(400, 300), Point::clamped(450, 251));
        assert_eq!(aim.call(&drag), "drag(0.3, 0.4, 0.251, 0.45)");
        assert_eq!(Aim::EXACT.call(&drag), drag.to_string());
    }

    proptest! {
        #[test]
        fn written_numbers_round_trip_within_their_precision(
            place in (0.0..=1000.0_f64, 0.0..=1000.0_f64), sent in (64_u32..2000, 64_u32..2000), seen in (64_u32..2000, 64_u32..2000),
            space in prop::sample::select(SPACES.to_vec()), yx: bool,
        ) {
            let aim = Aim {
                space,
                axes: if yx { Axes::Yx } else { Axes::Xy },
                sent,
                seen,
                ..Aim::EXACT
            };
            let at = Point::nearest(place.0, place.1);
            let numbers = aim.numbers(at);
            let read = aim.geometry().thousandths(&Spot::Point(numbers));
            // Refuse numbers that round to a position outside the picture, as FRANZ does.
            let Ok([x, y]) = read else {
                let edge = |value: f64| !(10.0..=990.0).contains(&value);
                prop_assert!(edge(place.0) || edge(place.1), "{numbers:?} {read:?}");
                return Ok(());
            };
            let coarse = match space {
                Space::Fractions | Space::Thousandths | Space::Parts1024 | Space::Percent => 1.1,
                _ => 1100.0 / f64::from(seen.0.min(seen.1)),
            };
            prop_assert!((x - at.x.get()).abs() <= coarse && (y - at.y.get()).abs() <= coarse, "{at} {numbers:?} {x} {y}");
        }
    }
}
