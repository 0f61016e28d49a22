//! The measurements with pictures of one size.

use franz_dialect::calibration::{Coordinates, Decision, Estimate};
use franz_dialect::{Axes, Space};
use serde::{Deserialize, Serialize};

use crate::calibrate::Calibrated;
use crate::calibrate::cost::Cost;
use crate::terminal::one_line;

/// The largest factor by which a side can appear longer to the model than it really is.
const LARGEST: f64 = 1.1;

/// The measurements with pictures of one size.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry {
    pub(super) date: String,
    /// The family whose format the requests used. In another family's format, the model might use other coordinates.
    pub(super) family: String,
    space: String,
    axes: String,
    /// The picture size to which pixel coordinates refer.
    of: Option<[u32; 2]>,
    /// The error that half of all answers do not exceed, in pixels: the best estimate, then its interval.
    median: [f64; 3],
    /// The error that nine out of ten answers do not exceed.
    ninety: [f64; 3],
    hits: usize,
    /// The tokens per picture.
    tokens: Option<u64>,
    /// Whether the server reads a repeated picture only once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reuses: Option<bool>,
}

impl Entry {
    pub(super) fn new(decision: &Decision, cost: &Cost, family: &str) -> Entry {
        let Coordinates { space, axes, of } = decision.coordinates;
        let whole = |[width, height]: [f64; 2]| [width.round() as u32, height.round() as u32];
        let estimate = |one: Estimate| [one.value, one.low, one.high].map(|pixels| (pixels * 10.0).round() / 10.0);
        Entry {
            date: jiff::Zoned::now().strftime("%Y-%m-%d").to_string(),
            family: family.to_owned(),
            space: space.name().to_owned(),
            axes: axes.name().to_owned(),
            of: of.map(whole),
            median: estimate(decision.precision.median),
            ninety: estimate(decision.precision.ninety),
            hits: decision.precision.hits,
            tokens: cost.picture,
            reuses: cost.reuses,
        }
    }

    fn space(&self) -> Option<Space> {
        let found = Space::NAMES.iter().find(|(name, _)| *name == self.space);
        found.map(|(_, space)| *space).filter(|space| *space != Space::Unknown)
    }

    fn coordinates(&self) -> Option<Coordinates> {
        let axes = Axes::NAMES.iter().find(|(name, _)| *name == self.axes)?;
        Some(Coordinates {
            of: self.of.map(|of| of.map(f64::from)),
            ..Coordinates::new(self.space()?, axes.1)
        })
    }

    /// Checks whether both have the same kind of coordinates.
    pub(super) fn agrees(&self, other: &Entry) -> bool {
        (&self.space, &self.axes) == (&other.space, &other.axes)
    }

    pub(super) fn check(&self, size: &str) -> Result<(), String> {
        let sent: Vec<f64> = size.split('x').filter_map(|side| side.parse().ok()).collect();
        let [width, height] = sent[..] else {
            return Err("the key is a size such as 1344x896".to_owned());
        };
        let Some(coordinates) = self.coordinates() else {
            return Err(format!(
                "there is no coordinate space '{}' with the order '{}'",
                self.space, self.axes
            ));
        };
        let fits = |[w, h]: [f64; 2]| w >= 1.0 && h >= 1.0 && w <= width * LARGEST && h <= height * LARGEST;
        match (coordinates.space, coordinates.of) {
            (Space::Pixels, Some(of)) if !fits(of) => {
                Err(format!("no server resizes that to {:.0}x{:.0}", of[0], of[1]))
            }
            (Space::Pixels, _) | (_, None) => Ok(()),
            (_, Some(_)) => Err("only pixel coordinates can have a size".to_owned()),
        }
    }

    pub(super) fn calibrated(&self) -> Option<Calibrated> {
        let coordinates = self.coordinates()?;
        let (date, median) = (one_line(&self.date), self.median[0]);
        let cache = match self.reuses {
            Some(true) => "; the server had a prompt cache",
            Some(false) => "; the server had no prompt cache",
            None => "",
        };
        Some(Calibrated {
            coordinates,
            sentence: format!("calibrated on {date}: {coordinates} (median error {median:.0} px){cache}"),
        })
    }
}
