//! Extra pictures that a model gets with the picture of the whole screen: enlarged parts of the screen, and moments at
//! which it changed.

use franz_action::Action;
use franz_chat::{Beside, Bytes, Picture};
use franz_dialect::Geometry;
use franz_frame::png::encode;
use franz_frame::{Area, Frame, PngError, Scaler};
use franz_record::digest::sha256_hex;
use franz_screen::Screen as _;

use super::desk::{MOST_ZOOMS, part};
use super::notices::{self, MOMENTS_HIDDEN, NO_ROOM_BESIDE};
use super::watching::Moment;
use super::{Agent, Turn};

/// The largest factor by which a part is enlarged.
const LARGEST_FACTOR: f64 = 8.0;

/// An encoded picture that is shown before the picture of the whole screen.
pub(crate) struct BesideView {
    /// A description of the picture, worded for the model.
    pub(crate) words: String,
    pub(crate) png: Bytes,
    pub(crate) sha256: String,
    pub(crate) width: u32,
    pub(crate) height: u32,
}

impl BesideView {
    fn new(words: String, picture: &Frame) -> Result<BesideView, PngError> {
        let png = Bytes::from(encode(picture)?);
        Ok(BesideView {
            words,
            sha256: sha256_hex(&png),
            png,
            width: picture.width(),
            height: picture.height(),
        })
    }

    /// Returns the picture of the screen at this moment.
    pub(super) fn of_moment(moment: &Moment) -> Result<BesideView, PngError> {
        let words = format!(
            "The screen {:.1} s after you began to watch:",
            moment.after.as_secs_f64()
        );
        BesideView::new(words, &moment.picture)
    }

    /// Returns a picture of a part of the screen, enlarged to at most this size. `None` if the part is empty.
    pub(super) fn of_part(
        frame: &Frame,
        part: Area,
        most: (u32, u32),
        scaler: &mut Scaler,
        geometry: &Geometry,
    ) -> Result<Option<BesideView>, PngError> {
        let Some(cut) = frame.part(part) else { return Ok(None) };
        let (first, last) = Area::whole(frame.width(), frame.height()).corners(&part);
        let (width, height) = enlarged((cut.width(), cut.height()), most);
        let corner = |at| geometry.pair(at).join(", ");
        let words = format!(
            "A part of the screen, enlarged, from ({}) to ({}). Coordinates refer to the whole screen, which follows:",
            corner(first),
            corner(last)
        );
        BesideView::new(words, &scaler.scale(&cut, width, height)).map(Some)
    }
}

impl From<&BesideView> for Beside {
    fn from(view: &BesideView) -> Beside {
        Beside {
            words: view.words.clone(),
            picture: Picture {
                png: view.png.clone(),
                sha256: view.sha256.clone(),
            },
        }
    }
}

/// Returns the size of a part that is enlarged to fit into a picture of size `most`.
fn enlarged((width, height): (u32, u32), most: (u32, u32)) -> (u32, u32) {
    let fits = (f64::from(most.0) / f64::from(width)).min(f64::from(most.1) / f64::from(height));
    let factor = fits.min(LARGEST_FACTOR);
    let side = |side: u32| ((f64::from(side) * factor).round() as u32).max(1);
    (side(width), side(height))
}

impl Agent {
    /// Returns how many extra pictures a request can hold.
    pub(super) fn room_beside(&self) -> usize {
        let most = self.live.settings.memory.most_screenshots;
        most.map_or(usize::MAX, |most| most.saturating_sub(1))
    }

    /// Makes the extra pictures that the last actions asked for.
    pub(super) fn look_beside(&mut self, turn: &mut Turn) {
        let Some(view) = &mut turn.view else { return };
        if let Some(recorded) = self.facts.beside() {
            view.beside = recorded;
            return;
        }
        let geometry = self.idiom.geometry(&self.live.settings);
        let (size, frame) = (view.taken.size(), self.screen.frame());
        let whole = (frame.width(), frame.height());
        let scaler = &mut Scaler::new();
        let moments = self
            .trail
            .desk
            .moments
            .iter()
            .map(|moment| BesideView::of_moment(moment).map(Some));
        let zooms = turn.unseen.iter().filter_map(|acted| match acted.performed()? {
            Action::Zoom(from, to) => Some(part(from, to, whole)),
            _ => None,
        });
        let parts = zooms
            .take(MOST_ZOOMS)
            .map(|part| BesideView::of_part(frame, part, size, scaler, &geometry));
        let made: Result<Vec<_>, _> = moments.chain(parts).collect();
        match made {
            Ok(made) => view.beside = made.into_iter().flatten().collect(),
            Err(error) => turn
                .line
                .errors
                .push(format!("only the picture of the whole screen is shown: {error}")),
        }
        view.beside.truncate(self.room_beside());
        if std::mem::take(&mut self.trail.desk.has_hidden) {
            turn.line.feedback = notices::below(&turn.line.feedback, &[MOMENTS_HIDDEN.to_owned()]);
        }
    }
}

impl Turn {
    /// Drops the extra pictures, and tells the model. Returns whether there were any.
    pub(super) fn drop_beside(&mut self) -> bool {
        let dropped = self
            .view
            .as_mut()
            .is_some_and(|view| !std::mem::take(&mut view.beside).is_empty());
        if dropped {
            self.line.beside.clear();
            self.line.feedback = notices::below(&self.line.feedback, &[NO_ROOM_BESIDE.to_owned()]);
        }
        dropped
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_keeps_its_shape_and_fits_into_the_picture() {
        for (part, size) in [
            ((100, 100), (576, 576)),
            ((400, 100), (1024, 256)),
            ((10, 20), (80, 160)),
            ((2048, 1152), (1024, 576)),
            ((1, 600), (1, 576)),
        ] {
            assert_eq!(enlarged(part, (1024, 576)), size, "{part:?}");
        }
    }
}
