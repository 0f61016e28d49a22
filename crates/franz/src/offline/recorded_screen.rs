//! The record in place of a desktop: its pictures are the recorded ones, and nothing is performed on it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use franz_action::{Action, Outcome};
use franz_frame::{Frame, PixelFormat, png};
use franz_home::LARGEST;
use franz_record::PictureName;
use franz_screen::Stacking;
use franz_screen::{ActionId, CaptureError, Change, Interrupt, Pointer, Screen, ScreenError};

use super::recorded_run::RecordedRun;

/// The words between the names of keys and buttons in a notice, and behind them.
const AND: &str = " and ";
const STILL_DOWN: &str = " was still down at the end of your reply";

/// The screen of a recorded run.
pub(super) struct RecordedScreen {
    run: Arc<RecordedRun>,
    frame: Frame,
    pointer: Pointer,
    /// How many turns have lost their picture.
    lost: Arc<AtomicU64>,
}

impl RecordedScreen {
    /// Returns the screen of a run whose pictures have this size. `lost` counts the turns whose picture is no longer
    /// stored: a black one stands in for it.
    pub(super) fn new(
        run: Arc<RecordedRun>,
        (width, height): (u32, u32),
        lost: Arc<AtomicU64>,
    ) -> Result<RecordedScreen, ScreenError> {
        let frame = Frame::black(width, height, PixelFormat::Rgb8);
        Ok(RecordedScreen {
            run,
            frame: frame.map_err(|error| ScreenError(Box::new(error)))?,
            pointer: Pointer::default(),
            lost,
        })
    }

    /// Returns the turn's picture without marks or, if that one is gone, with them.
    fn picture(&self) -> Option<Frame> {
        let line = self.run.line()?;
        let names = [PictureName::plain(line.turn), PictureName::seen(line.turn)];
        names.iter().find_map(|name| {
            let bytes = self.run.view().read(&name.to_string(), LARGEST).ok()?;
            png::decode(&bytes).ok()
        })
    }
}

impl Screen for RecordedScreen {
    fn size(&self) -> (u32, u32) {
        (self.frame.width(), self.frame.height())
    }

    fn capture(&mut self) -> Result<&Frame, CaptureError> {
        if self.run.line().is_some_and(|line| line.image.is_none()) {
            return Err(CaptureError {
                source: "it could not be captured when the run was recorded".into(),
            });
        }
        self.frame = if let Some(picture) = self.picture() {
            picture
        } else {
            self.lost.fetch_add(1, Ordering::Relaxed);
            let black = Frame::black(self.frame.width(), self.frame.height(), self.frame.format());
            black.map_err(|error| CaptureError { source: error.into() })?
        };
        Ok(&self.frame)
    }

    fn changes_by_itself(&self) -> bool {
        false
    }

    fn frame(&self) -> &Frame {
        &self.frame
    }

    fn change(&self) -> Change {
        Change::Unknown
    }

    /// Performs nothing. Only notes where the action left the pointer.
    fn perform(&mut self, _: ActionId, action: &Action, _: &dyn Interrupt) -> Result<Outcome, ScreenError> {
        for place in action.places() {
            self.pointer.move_to(*place);
        }
        Ok(Outcome::DONE)
    }

    fn let_go(&mut self) -> Result<Vec<String>, ScreenError> {
        let feedback = self.run.line().map(|line| line.feedback.as_str()).unwrap_or_default();
        let released = feedback.lines().find_map(|line| {
            let (names, _) = line.strip_prefix("NOTICE: ")?.split_once(STILL_DOWN)?;
            Some(names.split(AND).map(str::to_owned).collect())
        });
        Ok(released.unwrap_or_default())
    }

    fn pointer(&self) -> Pointer {
        self.pointer
    }

    /// Returns no windows, because the masks are in the recorded pictures already.
    fn stacking(&mut self) -> Result<Option<Stacking>, ScreenError> {
        Ok(Some(Stacking::default()))
    }

    fn close(&mut self) -> Result<(), ScreenError> {
        Ok(())
    }
}
