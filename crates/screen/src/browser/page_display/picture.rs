//! The picture of the page in front.

use std::time::{Duration, Instant};

use base64_simd::STANDARD;
use franz_frame::{Frame, PixelFormat, png};
use serde_json::json;

use super::{BROWSER, PageDisplay};
use crate::browser::connection::Unanswered;
use crate::browser::message::Command;
use crate::browser::tabs::Tab;
use crate::desktop::DisplayError;
use crate::window::WindowId;

/// How long a page may take to deliver its picture. A page that is busy calculating delivers none.
const PICTURE: Duration = Duration::from_secs(3);

/// The pause before asking again, if a page has no picture yet.
const AGAIN: Duration = Duration::from_millis(20);

const DOING: &str = "taking a picture";

impl PageDisplay {
    /// Returns the current picture of the page in front, with any dialog that blocks it. If the page does not respond,
    /// returns its last picture.
    pub(super) fn picture(&mut self) -> Result<Frame, DisplayError> {
        let until = Instant::now() + PICTURE;
        loop {
            let (id, session) = self.front(DOING, |tab| (tab.id, tab.session.clone()))?;
            let shot = Command::to_page(
                &session,
                "Page.captureScreenshot",
                json!({ "format": "png", "optimizeForSpeed": true }),
            );
            match self
                .connection
                .ask(&shot, until.saturating_duration_since(Instant::now()))
            {
                Ok(answer) => {
                    let frame = self.decoded(answer["data"].as_str().unwrap_or_default())?;
                    self.shown = Some((id, frame.clone()));
                    self.mark_busy(id, false);
                    return Ok(frame);
                }
                Err(Unanswered::InDialog) => return self.as_before(id),
                Err(Unanswered::Late) => {
                    self.connection
                        .check(BROWSER)
                        .map_err(|error| error.while_doing(DOING))?;
                    self.mark_busy(id, true);
                    return self.as_before(id);
                }
                // A page that is about to change refuses to deliver a picture.
                Err(Unanswered::Refused(_)) if Instant::now() < until && !self.connection.run_is_over() => {
                    self.connection.wait_for_tabs(AGAIN, |_| false);
                }
                Err(error) => return Err(error.while_doing(DOING)),
            }
        }
    }

    fn mark_busy(&self, id: WindowId, is_busy: bool) {
        self.connection.with_tabs(|tabs| {
            if let Some(tab) = tabs.front_mut().filter(|tab| tab.id == id) {
                tab.is_busy = is_busy;
            }
        });
    }

    /// Returns the last picture of a page with its dialog.
    fn as_before(&mut self, id: WindowId) -> Result<Frame, DisplayError> {
        let known = self.shown.as_ref().filter(|(shown, _)| *shown == id);
        let mut frame = match known {
            Some((_, frame)) => frame.clone(),
            None => self.nothing()?,
        };
        let dialog = self.front(DOING, |tab: &mut Tab| tab.dialog.clone())?;
        if let Some(dialog) = dialog {
            dialog.paint(&mut frame, &mut self.lettering);
        }
        Ok(frame)
    }

    /// Returns an all-white picture.
    fn nothing(&self) -> Result<Frame, DisplayError> {
        let (width, height) = (self.viewport.width, self.viewport.height);
        let white = [0xff, 0xff, 0xff, 0].repeat(width as usize * height as usize);
        Frame::new(width, height, PixelFormat::Bgrx8, white).map_err(|error| DisplayError::failed(DOING, error))
    }

    /// Reads a picture. A fractional scale makes it slightly larger or smaller than requested.
    fn decoded(&self, data: &str) -> Result<Frame, DisplayError> {
        let failed = |why: String| DisplayError::failed(DOING, why);
        let bytes = STANDARD
            .decode_to_vec(data)
            .map_err(|error| failed(error.to_string()))?;
        let (width, height) = png::size(&bytes).map_err(|error| failed(error.to_string()))?;
        let wanted = (self.viewport.width, self.viewport.height);
        let tolerance = self.viewport.scale.ceil() as u32;
        if width.abs_diff(wanted.0) > tolerance || height.abs_diff(wanted.1) > tolerance {
            return Err(failed(format!(
                "it has {width}x{height} pixels instead of {}x{}",
                wanted.0, wanted.1
            )));
        }
        let decoded = png::decode(&bytes).map_err(|error| failed(error.to_string()))?;
        let mut frame = self.nothing()?;
        let step = decoded.format().bytes();
        let [red, green, blue] = match decoded.format() {
            PixelFormat::Gray8 => [0, 0, 0],
            PixelFormat::Rgb8 => [0, 1, 2],
            PixelFormat::Bgrx8 => [2, 1, 0],
        };
        let from = decoded.data().chunks_exact(width as usize * step);
        let to = frame.data_mut().chunks_exact_mut(wanted.0 as usize * 4);
        for (from, to) in from.zip(to) {
            for (from, to) in from.chunks_exact(step).zip(to.chunks_exact_mut(4)) {
                to[..3].copy_from_slice(&[from[blue], from[green], from[red]]);
            }
        }
        Ok(frame)
    }
}
