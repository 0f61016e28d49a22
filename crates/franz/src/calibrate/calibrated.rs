//! An earlier calibration, or the reason why it does not apply to a run.

use franz_dialect::calibration::Coordinates;

/// A stored calibration.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Calibrated {
    /// The meaning of the model's numbers.
    pub(crate) coordinates: Coordinates,
    /// The sentence that a run uses to describe the calibration.
    pub(crate) sentence: String,
}

/// The reason why a stored calibration is not used, worded for the person.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NotUsed {
    /// The file does not have FRANZ's format.
    #[error("ignoring the calibration in {file}: {why}; run franz calibrate again")]
    Mistake {
        /// The file.
        file: String,
        /// The mistake in the file.
        why: String,
    },
    /// The requests used another family's format.
    #[error(
        "ignoring the calibration for family {calibrated}, because the family is now {family}; run franz calibrate \
         --family {family}"
    )]
    OtherFamily {
        /// The run's family.
        family: String,
        /// The calibration's family.
        calibrated: String,
    },
    /// The remembered settings cannot be used.
    #[error("FRANZ cannot use what it remembers about the model: {0}; clear it with franz models --forget")]
    Settings(String),
    /// Only pictures of other sizes were calibrated.
    #[error(
        "ignoring the calibration for pictures of {others}, because this run sends {size}; run franz calibrate --picture \
         {size}"
    )]
    OtherSize {
        /// The size of the pictures that the run sends.
        size: String,
        /// The sizes that were calibrated.
        others: String,
    },
    /// Pictures of other sizes gave different results.
    #[error(
        "ignoring the calibrations for pictures of {others}, because they disagree; run franz calibrate --picture {size}"
    )]
    Disagreement {
        /// The size of the pictures that the run sends.
        size: String,
        /// The sizes that were calibrated.
        others: String,
    },
}
