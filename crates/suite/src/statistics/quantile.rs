//! Quantiles of the two distributions that intervals need.

use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

/// Returns the value below which Student's t with this many degrees of freedom stays with probability `p`. `None` if
/// there are no degrees of freedom, or `p` is not strictly between 0 and 1.
pub(super) fn student(p: f64, degrees: usize) -> Option<f64> {
    if degrees == 0 {
        return None;
    }
    inverse(&StudentsT::new(0.0, 1.0, degrees as f64).ok()?, p)
}

/// Returns the value below which a standard normal variable stays with probability `p`. `None` if `p` is not strictly
/// between 0 and 1.
pub(super) fn normal(p: f64) -> Option<f64> {
    inverse(&Normal::standard(), p)
}

fn inverse(distribution: &impl ContinuousCDF<f64, f64>, p: f64) -> Option<f64> {
    (p > 0.0 && p < 1.0).then(|| distribution.inverse_cdf(p))
}
