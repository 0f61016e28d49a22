//! How precisely a model points, and how certain that estimate is after a few answers.

/// The median of a circular Gaussian distribution with spread 1.
const MEDIAN: f64 = 1.177_410_022_515_474_7;
/// Its 90 % quantile.
const NINETY: f64 = 2.145_966_026_289_347;
/// The 97.5 % quantile of the normal distribution, so that intervals contain the true value in 95 of 100 calibrations.
const Z: f64 = 1.959_963_984_540_054;

/// The distance between a target and the point that the model names, in pixels of the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Precision {
    /// Half of all hits are closer than this.
    pub median: Estimate,
    /// Nine out of ten hits are closer than this.
    pub ninety: Estimate,
    /// The number of hits behind this estimate.
    pub hits: usize,
}

/// A value, and an interval that contains the true value in 95 of 100 calibrations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The best estimate.
    pub value: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Precision {
    /// Estimates the precision from the squared errors of the hits and the number of values that were fitted to them.
    pub(super) fn new(errors2: &[f64], fitted: usize) -> Precision {
        let freedom = (2 * errors2.len()).saturating_sub(fitted).max(1) as f64;
        let sum: f64 = errors2.iter().sum();
        let spread = |parts: f64| (sum / parts).sqrt();
        let of = |quantile: f64| Estimate {
            value: quantile * spread(freedom),
            low: quantile * spread(chi_square(freedom, Z)),
            high: quantile * spread(chi_square(freedom, -Z)),
        };
        Precision {
            median: of(MEDIAN),
            ninety: of(NINETY),
            hits: errors2.len(),
        }
    }
}

/// Returns the chi-square quantile for a normal quantile, by the Wilson-Hilferty approximation. The error is within 1.5
/// % for eight degrees of freedom or more, and fewer do not occur.
fn chi_square(freedom: f64, z: f64) -> f64 {
    let part = 2.0 / (9.0 * freedom);
    freedom * (1.0 - part + z * part.sqrt()).powi(3)
}
