//! The sandbox: a black picture that actions draw on in white, recorded in a journal.
//!
//! The journal is authoritative: each line is written before its action is drawn. After each turn that drew something,
//! a snapshot of the picture is saved. It avoids replaying the whole journal, and lets people see the drawing. Marks
//! are never drawn on the canvas.

mod brush;
mod journal;
mod snapshot;
mod state;

use std::io;
use std::path::PathBuf;

use franz_action::{Action, Outcome};
use franz_frame::{Area, Frame, FrameError, PixelFormat, PngError};
use franz_home::{DiskError, Home, View};

use crate::interrupt::{Interrupt, wait};
use crate::screen::{ActionId, ActionJournal, CaptureError, Change, NOT_FOUND, NOT_MINE, Pointer, Screen, ScreenError};
use crate::stacking::Stacking;
use brush::Brush;
use journal::{Entry, Journal};
use snapshot::Snapshot;
use state::State;

/// Why a canvas could not be opened, drawn on or saved.
#[derive(Debug, thiserror::Error)]
pub enum CanvasError {
    /// The size is not valid for a picture.
    #[error("the canvas cannot have this size: {0}; change screen.width and screen.height")]
    Size(#[from] FrameError),
    /// The journal cannot be opened or read.
    #[error("{path}: the canvas's journal cannot be read ({source}); check the run directory's permissions")]
    Read {
        /// The journal.
        path: PathBuf,
        /// The error that the system returned.
        source: io::Error,
    },
    /// The journal cannot be written; the action was not drawn.
    #[error(
        "{path}: nothing was drawn, because the journal cannot be written ({source}); check disk space and permissions"
    )]
    Write {
        /// The journal.
        path: PathBuf,
        /// The error that the system returned.
        source: io::Error,
    },
    /// Another run's journal cannot be copied.
    #[error("{path}: the drawing cannot be copied ({source}); check disk space and permissions")]
    Copy {
        /// The journal of the new run.
        path: PathBuf,
        /// The error that the system returned.
        source: io::Error,
    },
    /// The snapshot cannot be written; the journal still holds everything.
    #[error("{0}; this affects only the canvas's snapshot: the journal is complete, so nothing is lost")]
    Snapshot(#[from] DiskError),
    /// The snapshot cannot be encoded; the journal still holds everything.
    #[error("cannot make the canvas's snapshot: {0}; nothing is lost")]
    Encode(#[from] PngError),
}

/// A persistent picture that actions draw on.
///
/// ```
/// use franz_screen::{Canvas, Interrupt, Screen, ActionId};
/// # use std::time::Duration;
/// # struct Never;
/// # impl Interrupt for Never {
/// #     fn is_set(&self) -> bool { false }
/// #     fn sleep(&self, _: Duration) -> bool { false }
/// # }
/// let mut canvas = Canvas::in_memory(1920, 1080)?;
/// let drag = "drag(100, 500, 900, 500)".parse()?;
/// let outcome = canvas.perform(ActionId { turn: 1, index: 0 }, &drag, &Never)?;
/// assert!(outcome.is_done());
/// assert_eq!(canvas.capture()?.color(960, 540), Some(franz_frame::Color::WHITE));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Canvas {
    frame: Frame,
    brush: Brush,
    state: State,
    /// The picture of the last capture.
    shown: Option<Frame>,
    change: Change,
    files: Option<Files>,
}

struct Files {
    journal: Journal,
    snapshot: Snapshot,
    /// Whether anything was drawn since the last snapshot.
    changed: bool,
}

impl Canvas {
    /// Opens the canvas of a run directory, or creates a black one; `width` and `height` are in pixels.
    ///
    /// The returned strings describe any damage that was found and how it was repaired.
    pub fn open(home: &Home, width: u32, height: u32) -> Result<(Canvas, Vec<String>), ScreenError> {
        let mut canvas = Canvas::in_memory(width, height)?;
        let mut notices = Vec::new();
        let (mut journal, torn) = Journal::open(home)?;
        notices.extend(torn);
        let snapshot = Snapshot::of(home);
        let mut position = 0;
        match snapshot.load(&mut journal, width, height) {
            Ok(Some(kept)) => {
                canvas.frame = kept.frame;
                canvas.state = kept.state;
                position = kept.position;
            }
            Ok(None) => {}
            Err(damage) => notices.push(format!("{damage}{}", snapshot.keep_aside())),
        }
        let replay = journal.replay(position, |step, action| canvas.apply(step, action))?;
        notices.extend(replay.notice());
        canvas.files = Some(Files {
            journal,
            snapshot,
            changed: replay.applied > 0,
        });
        Ok((canvas, notices))
    }

    /// Gives the run in `home`, which has no canvas yet, the drawing that the run in `source` had after its actions of
    /// `turn`.
    pub fn copy(source: &View, home: &Home, turn: u64) -> Result<(), ScreenError> {
        let path = home.path_of(journal::NAME);
        journal::copy(source, home, turn).map_err(|source| CanvasError::Copy { path, source }.into())
    }

    /// Creates a black canvas that exists in memory only.
    pub fn in_memory(width: u32, height: u32) -> Result<Canvas, ScreenError> {
        let frame = Frame::black(width, height, PixelFormat::Gray8).map_err(CanvasError::Size)?;
        Ok(Canvas {
            brush: Brush::new(&frame),
            frame,
            state: State::default(),
            shown: None,
            change: Change::Unknown,
            files: None,
        })
    }

    /// Makes the canvas sync each line of the journal to the disk before drawing its action. This protects against
    /// power loss as well as crashes.
    pub fn make_durable(&mut self) {
        if let Some(files) = &mut self.files {
            files.journal.durable = true;
        }
    }

    /// Returns the turn of the last action that was drawn, or 0 before the first.
    pub fn last_turn(&self) -> u64 {
        self.state.last.map_or(0, |last| last.turn)
    }

    /// Draws the action number `index` of those that come before the first turn, unless it was drawn before.
    pub fn draw_before(&mut self, index: usize, action: &Action) -> Result<Outcome, ScreenError> {
        Ok(self.draw(ActionId { turn: 0, index }, action)?)
    }

    /// Draws an action and remembers it, unless it was drawn before. Replaying an action twice has the same effect as
    /// replaying it once.
    fn apply(&mut self, at: ActionId, action: &Action) -> Option<Outcome> {
        if self.state.has(at) {
            return None;
        }
        let outcome = self.brush.draw(&mut self.frame, &mut self.state.text, action);
        self.state.remember(at, action);
        Some(outcome)
    }

    fn draw(&mut self, at: ActionId, action: &Action) -> Result<Outcome, CanvasError> {
        if self.state.has(at) {
            return Ok(done("this action is already on the canvas"));
        }
        if matches!(action, Action::Type(typing) if typing.at.is_none()) && self.state.text.is_none() {
            let why = "type() requires a prior left_click() to set cursor position";
            return Ok(Outcome::NotApplied(why.to_owned()));
        }
        if let Some(files) = &mut self.files {
            files.journal.append(&Entry::new(at, action))?;
            files.changed = true;
        }
        Ok(self.apply(at, action).unwrap_or(Outcome::DONE))
    }

    fn keep(&mut self) -> Result<(), CanvasError> {
        match &mut self.files {
            Some(files) if files.changed => {
                files
                    .snapshot
                    .write(&self.frame, &self.state, files.journal.last_line())?;
                files.changed = false;
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

impl Screen for Canvas {
    fn size(&self) -> (u32, u32) {
        (self.frame.width(), self.frame.height())
    }

    fn capture(&mut self) -> Result<&Frame, CaptureError> {
        let whole = Area::whole(self.frame.width(), self.frame.height());
        self.change = match &mut self.shown {
            None => Change::Unknown,
            Some(shown) => {
                let part = shown.update(whole, self.frame.data(), whole.width as usize);
                part.map_or(Change::Nothing, |part| Change::within(whole, part))
            }
        };
        if self.shown.is_none() {
            self.shown = Some(self.frame.clone());
        }
        Ok(&self.frame)
    }

    fn changes_by_itself(&self) -> bool {
        false
    }

    fn frame(&self) -> &Frame {
        &self.frame
    }

    fn change(&self) -> Change {
        self.change
    }

    /// Actions that change neither the picture nor the pointer are not written to the journal.
    fn perform(&mut self, at: ActionId, action: &Action, interrupt: &dyn Interrupt) -> Result<Outcome, ScreenError> {
        if interrupt.is_set() {
            return Ok(Outcome::Interrupted);
        }
        Ok(match action {
            Action::Wait(seconds) => wait(*seconds, interrupt),
            Action::Screenshot => Outcome::IGNORED,
            Action::Observe => Outcome::DONE,
            Action::Press(_) => done(brush::NO_KEYS),
            Action::MouseDown(..) | Action::MouseUp(..) | Action::Hold(_) => done(brush::NO_HOLDING),
            Action::Type(typing) if typing.text.is_empty() => done(brush::NO_ERASING),
            Action::ReadClipboard | Action::WriteClipboard(_) => done(brush::NO_CLIPBOARD),
            Action::Scroll { at: None, .. } => done(brush::NO_SCROLL),
            Action::Aimed(..) => Outcome::NotApplied(NOT_FOUND.to_owned()),
            Action::Watch(_) | Action::Zoom(..) | Action::Windows | Action::Focus(_) | Action::Open(_) => {
                Outcome::NotApplied(NOT_MINE.to_owned())
            }
            drawn => self.draw(at, drawn)?,
        })
    }

    fn pointer(&self) -> Pointer {
        self.state.pointer
    }

    /// Returns no windows, so that masks for windows hide nothing.
    fn stacking(&mut self) -> Result<Option<Stacking>, ScreenError> {
        Ok(Some(Stacking::default()))
    }

    fn journal(&mut self) -> Option<&mut dyn ActionJournal> {
        Some(self)
    }

    fn close(&mut self) -> Result<(), ScreenError> {
        Ok(self.keep()?)
    }
}

impl ActionJournal for Canvas {
    fn performed(&self, at: ActionId) -> bool {
        self.state.has(at)
    }

    fn save(&mut self) -> Result<(), ScreenError> {
        Ok(self.keep()?)
    }

    fn detach(&mut self) {
        self.files = None;
    }
}

impl From<CanvasError> for ScreenError {
    fn from(error: CanvasError) -> ScreenError {
        ScreenError(Box::new(error))
    }
}

fn done(note: &str) -> Outcome {
    Outcome::Done(Some(note.to_owned()))
}

#[cfg(test)]
mod tests;
