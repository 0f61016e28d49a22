//! Chooses an idiom for the model on a server: at the start of a run, after a switch to another server, and when the
//! model's picture size changes.

use anyhow::Result;

use super::{Idiom, Measured, decide};
use crate::calibrate::{Calibrated, ServedModel};
use crate::config::settings::Settings;
use crate::upstream::Upstream;

/// Returns the idiom of a model for a screen of this size, and a message to the person about it.
pub(crate) fn choose(settings: &Settings, upstream: &Upstream, screen: (u32, u32)) -> Result<(Idiom, Vec<String>)> {
    let decided = decide(&settings.model.family, &upstream.known.id)?.with_grounder(settings);
    let mut idiom = Idiom {
        family: decided.family,
        measured: None,
        screen,
        pointer: None,
    };
    let measured = idiom.measure(settings, upstream);
    Ok((idiom, decided.why.into_iter().chain(measured).collect()))
}

/// Returns the size of the pictures that a model gets.
pub(crate) fn picture(settings: &Settings, upstream: &Upstream) -> Result<(u32, u32)> {
    let decided = decide(&settings.model.family, &upstream.known.id)?.with_grounder(settings);
    Ok(decided.family.picture.fitted(settings.image.size()))
}

impl Idiom {
    /// Applies the calibration that is stored for this model and picture size, if there is one. Returns a message to
    /// the person about it.
    pub(crate) fn measure(&mut self, settings: &Settings, upstream: &Upstream) -> Option<String> {
        let picture = self.picture(settings);
        let model = ServedModel::from(upstream);
        self.measured = None;
        match Calibrated::find(&model, &self.family.name, picture) {
            Ok(Some(found)) => {
                self.measured = Some(Measured {
                    geometry: found.coordinates.geometry(picture, Some(self.screen)),
                    sent: Some(picture),
                });
                Some(found.sentence)
            }
            Ok(None) => None,
            Err(not_used) => Some(not_used.to_string()),
        }
    }
}
