//! `canvas.png`: the picture after some line of the journal, and the position of that line.
//!
//! The state is stored as text inside the PNG, so that a crash cannot separate it from the picture.

use std::io;
use std::ops::Range;

use franz_frame::png::{self, Comment};
use franz_frame::{Frame, PixelFormat, PngError};
use franz_home::{DiskError, Home, LARGEST};
use serde::{Deserialize, Serialize};

use super::CanvasError;
use super::journal::Journal;
use super::state::{KeptState, State};

const NAME: &str = "canvas.png";
const ASIDE_NAME: &str = "canvas.aside.png";
const KEYWORD: &str = "franz-canvas";

/// The contents of a snapshot.
#[derive(Debug)]
pub(super) struct Kept {
    pub(super) frame: Frame,
    pub(super) state: State,
    /// Where to continue in the journal, in bytes.
    pub(super) position: u64,
}

/// Why a snapshot is not used. The canvas is then redrawn from its journal, which takes longer but gives the same
/// picture.
#[derive(Debug, thiserror::Error)]
pub(super) enum Damage {
    #[error("{NAME} cannot be read ({0}); the canvas was redrawn from its journal")]
    Read(#[from] io::Error),
    #[error("{NAME} is damaged ({0}); the canvas was redrawn from its journal")]
    Png(#[from] PngError),
    #[error("{NAME} does not say what it shows; the canvas was redrawn from its journal")]
    Unknown,
    #[error("{NAME} belongs to another journal; the canvas was redrawn from its own")]
    Foreign,
    #[error("{NAME} is {width}x{height}; the canvas was redrawn at its new size")]
    Size { width: u32, height: u32 },
}

/// The text stored inside the PNG.
#[derive(Serialize, Deserialize)]
struct Note {
    /// The byte range of the last journal line that the picture shows.
    line: Range<u64>,
    state: KeptState,
}

/// The snapshot file.
pub(super) struct Snapshot {
    home: Home,
}

impl Snapshot {
    /// Returns the snapshot of a run directory, whether the file exists or not.
    pub(super) fn of(home: &Home) -> Snapshot {
        Snapshot { home: home.clone() }
    }

    /// Renames a picture that is not used, so that the next snapshot does not overwrite what might be the last copy of
    /// a drawing. Returns a clause about it to append to a notice.
    pub(super) fn keep_aside(&self) -> &'static str {
        if self.home.rename(NAME, ASIDE_NAME).is_ok() {
            "; the picture was kept as canvas.aside.png"
        } else {
            ""
        }
    }

    /// Reads the picture, if it exists and belongs to this journal.
    pub(super) fn load(&self, journal: &mut Journal, width: u32, height: u32) -> Result<Option<Kept>, Damage> {
        let bytes = match self.home.read(NAME, LARGEST) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        // Checked before decoding: a small file can claim to be a picture of gigabytes.
        let (found_width, found_height) = png::size(&bytes)?;
        if (found_width, found_height) != (width, height) {
            return Err(Damage::Size {
                width: found_width,
                height: found_height,
            });
        }
        let (frame, note) = png::decode_with(&bytes, KEYWORD)?;
        let note: Option<Note> = note.and_then(|note| serde_json::from_str(&note).ok());
        let Note { line, state } = note.ok_or(Damage::Unknown)?;
        let state = state.restore();
        let entry = journal.entry_at(line.clone());
        if entry.map(|entry| entry.step()) != state.last {
            return Err(Damage::Foreign);
        }
        if frame.format() != PixelFormat::Gray8 {
            return Err(Damage::Unknown);
        }
        let position = line.end;
        journal.skip_to(line);
        Ok(Some(Kept { frame, state, position }))
    }

    /// Writes the picture as of `line` of the journal. The file appears either complete or not at all.
    pub(super) fn write(&self, frame: &Frame, state: &State, line: Range<u64>) -> Result<(), CanvasError> {
        let Some(state) = KeptState::of(state) else {
            return Ok(());
        };
        let text = serde_json::to_string(&Note { line, state })
            .map_err(|error| DiskError::when("write", &self.home.path_of(NAME))(error.into()))?;
        let comment = Comment {
            keyword: KEYWORD,
            text: &text,
        };
        let bytes = png::encode_with(frame, Some(comment))?;
        Ok(self.home.replace(NAME, &bytes, false)?)
    }
}
