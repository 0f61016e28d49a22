//! A ruling on the answers: not enough answers yet, a decision, or no decision and why.

use thiserror::Error;

use super::coordinates::Coordinates;
use super::precision::Precision;
use super::resize::Resize;

/// The ruling on the answers so far.
#[derive(Clone, Debug, PartialEq)]
pub enum Ruling {
    /// There are not enough answers yet, so keep asking.
    Open,
    /// There is a decision on how to read the model's numbers.
    Decided(Decision),
    /// There is no decision, and further answers would not change that.
    Undecided(Undecided),
}

/// A decision on how to read the model's numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// The coordinate space of the numbers, and their order.
    pub coordinates: Coordinates,
    /// Whether these coordinates are the family's own.
    pub family: bool,
    /// How the server resizes the picture, if exactly one known rule could have produced the pixels' size.
    pub resize: Option<Resize>,
    /// How precisely the model points.
    pub precision: Precision,
    /// How many targets have been asked for.
    pub asked: usize,
}

/// Why there is no decision.
#[derive(Clone, Debug, PartialEq)]
pub struct Undecided {
    /// What prevents a decision.
    pub why: Doubt,
    /// Whether the family's own coordinates explain the answers almost as well as the best ones, so that nothing rules
    /// them out.
    pub family_fits: bool,
}

/// What prevents a decision, and what to do next.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum Doubt {
    /// Too few answers contained two numbers.
    #[error(
        "only {given} of {asked} answers named a place: read one with `franz read`, and set --family to match its form"
    )]
    Silent {
        /// The number of answers with a place.
        given: usize,
        /// The number of targets asked for.
        asked: usize,
    },
    /// All answers were the same.
    #[error("every answer named the same place, ({0}, {1}): check that the server passes pictures on to the model")]
    Constant(f64, f64),
    /// Too few answers hit.
    #[error(
        "only {hits} of {asked} answers hit their targets, whatever the coordinates: try a larger --picture, or a model that points better"
    )]
    Misses {
        /// The number of answers near their targets.
        hits: usize,
        /// The number of targets asked for.
        asked: usize,
    },
    /// The answers are spread so widely that similar coordinates cannot be told apart.
    #[error(
        "the answers are off by about {spread:.0} pixels, and beyond {widest:.0} pixels, similar coordinates cannot be told apart: try a larger --picture, or a model that points better"
    )]
    Scattered {
        /// The spread along each axis, in pixels.
        spread: f64,
        /// The widest spread that is accepted.
        widest: f64,
    },
    /// Two classes explain the answers about equally well.
    #[error(
        "too close to call between {0} and {1}: set --family to the right one, or calibrate with a larger --picture"
    )]
    Close(Coordinates, Coordinates),
    /// Some answers fit one class, some fit another.
    #[error("most answers are in {0}, but some are in {1}: set model.temperature to 0, or use another model")]
    Mixed(Coordinates, Coordinates),
    /// The answers follow the targets, but in coordinates that are not listed.
    #[error(
        "the answers follow the targets, but not in any coordinates that FRANZ knows: send a --picture whose size the server does not have to change"
    )]
    Unknown,
}
