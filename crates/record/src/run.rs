//! The writer of a run: owns its directory and keeps the commit order of a turn.

use std::num::NonZeroU64;
use std::path::Path;

use franz_home::{ClaimError, DiskError, Home};
use franz_json::Story;
use thiserror::Error;

use crate::acting_log::ActingLog;
use crate::directory::{DirectoryError, create_directory};
use crate::line::to_line;
use crate::lock::{Lock, LockError};
use crate::pictures::{self, PictureFile, PictureName, Pictures};
use crate::resume::{self, CONFIG_FILE, ResumeError, Resumed, STATE_FILE};
use crate::state::{Phase, RunState};
use crate::story::StoredStory;
use crate::turn::{Image, TurnLine};
use crate::turns::TurnFiles;

/// The file that holds the story as text for people.
pub const STORY_FILE: &str = "story.txt";

const LOCK_FILE: &str = "agent.lock";

/// How a run is recorded.
#[derive(Debug, Clone, Copy)]
pub struct RunOptions {
    /// Turns to a file of turn lines, `record.batch`.
    pub batch: NonZeroU64,
    /// Whether every write is brought onto the medium before the run goes on, `record.durable`: safe against power
    /// loss, not only against a crash.
    pub durable: bool,
    /// Bytes of pictures above which the oldest are dropped, `record.keep_pictures`.
    pub keep_pictures: u64,
}

impl Default for RunOptions {
    fn default() -> Self {
        Self {
            batch: NonZeroU64::new(1000).expect("not zero"),
            durable: false,
            keep_pictures: 10_000_000_000,
        }
    }
}

/// The run cannot be begun, gone on with, or recorded.
#[derive(Debug, Error)]
pub enum RunError {
    /// No directory for a new run.
    #[error(transparent)]
    Directory(#[from] DirectoryError),
    /// The directory is not this user's alone.
    #[error(transparent)]
    Claim(#[from] ClaimError),
    /// Another agent owns the run.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The directory holds nothing to go on from.
    #[error(transparent)]
    Resume(#[from] ResumeError),
    /// A file cannot be read or written.
    #[error(transparent)]
    Disk(#[from] DiskError),
}

/// A run that is being recorded. Its directory is locked as long as this value lives.
pub struct Run {
    home: Home,
    durable: bool,
    turns: TurnFiles,
    progress: ActingLog,
    pictures: Pictures,
    /// The reply of the newest turn line, which the story of the next one usually is.
    previous_reply: Option<Story>,
    _lock: Lock,
}

impl Run {
    /// Begins a new run in a directory made by [`create_directory`].
    pub fn create(directory: Option<&Path>, parent: &Path, options: RunOptions) -> Result<(Self, RunState), RunError> {
        let home = create_directory(directory, parent)?;
        let lock = Lock::acquire(&home, LOCK_FILE)?;
        let run = Self::start(home, lock, options, None, &Phase::Ready)?;
        let state = RunState::new(run.name());
        Ok((run, state))
    }

    /// Goes on with the run in `home`, or begins the one for which somebody made `config.toml` there.
    ///
    /// What a crash left half done is tidied up: an unterminated last turn line is moved to a `.cut` file, unfinished
    /// files are removed.
    pub fn open(home: Home, options: RunOptions) -> Result<(Self, Resumed), RunError> {
        resume::check_is_run(&home)?;
        let lock = Lock::acquire(&home, LOCK_FILE)?;
        home.remove_unfinished()?;
        let resumed = resume::resume(&home, &home.name())?;
        let reply = resumed.last_turn.as_ref().and_then(|line| line.reply.clone());
        let run = Self::start(home, lock, options, reply, &resumed.state.phase)?;
        Ok((run, resumed))
    }

    fn start(
        home: Home,
        lock: Lock,
        options: RunOptions,
        previous_reply: Option<Story>,
        phase: &Phase,
    ) -> Result<Self, RunError> {
        let RunOptions {
            batch,
            durable,
            keep_pictures,
        } = options;
        Ok(Self {
            turns: TurnFiles::open(&home, batch, durable)?,
            progress: ActingLog::open(&home, durable, phase)?,
            pictures: Pictures::open(&home, keep_pictures, durable)?,
            home,
            durable,
            previous_reply,
            _lock: lock,
        })
    }

    /// The run's directory.
    pub fn path(&self) -> &Path {
        self.home.path()
    }

    /// The run's directory, open.
    pub fn home(&self) -> &Home {
        &self.home
    }

    /// The picture of a turn, as long as it is kept.
    pub fn picture(&self, image: &Image) -> Option<Vec<u8>> {
        pictures::read(&self.home, &image.file)
    }

    /// The run's name, which is its directory's.
    pub fn name(&self) -> String {
        self.home.name()
    }

    /// Writes the live settings, once: from then on people edit them.
    pub fn write_config(&self, toml: &str) -> Result<(), RunError> {
        Ok(self.home.replace(CONFIG_FILE, toml.as_bytes(), self.durable)?)
    }

    /// Records a completed turn in the order that survives a crash at any instant: the picture that the model saw,
    /// then the turn line, which is the commit, then the state. A failed write leaves the later ones out.
    pub fn commit(
        &mut self,
        picture: Option<PictureFile<'_>>,
        line: &TurnLine,
        state: &RunState,
    ) -> Result<(), RunError> {
        if let Some(picture) = picture {
            self.write_picture(PictureName::seen(line.turn), picture)?;
        }
        self.append_turn(line)?;
        self.save_state(state)
    }

    /// Keeps how far the turn under way has come, before its next step is taken: a small append to `acting.jsonl`.
    pub fn keep_phase(&mut self, phase: &Phase) -> Result<(), RunError> {
        Ok(self.progress.keep(phase)?)
    }

    /// Keeps that the reply of this hash is about to be read, or, when it is over, that it was read.
    pub fn keep_reading(&mut self, reply: &str, over: bool) -> Result<(), RunError> {
        Ok(self.progress.keep_reading(reply, over)?)
    }

    /// Replaces `state.json` in one step.
    pub fn save_state(&self, state: &RunState) -> Result<(), RunError> {
        let json = to_line(state).map_err(DiskError::when("write", &self.home.path_of(STATE_FILE)))?;
        Ok(self.home.replace(STATE_FILE, &json, self.durable)?)
    }

    /// Stores a picture and drops the oldest ones where they take too much space. Returns the file's name.
    pub fn write_picture(&mut self, name: PictureName, picture: PictureFile<'_>) -> Result<String, RunError> {
        self.pictures.store(name, picture)?;
        Ok(name.to_string())
    }

    /// Appends a turn line, or nothing of it. A story that is the reply of the line before becomes its hash.
    pub fn append_turn(&mut self, line: &TurnLine) -> Result<(), RunError> {
        // Forgotten until the line is known to be there: without it the next story is stored in full, which is
        // right whatever a failed append left behind.
        let previous_reply = self.previous_reply.take();
        let mut stored = line.clone();
        if let StoredStory::Full(story) = &line.story {
            stored.story = StoredStory::shortened(story, previous_reply.as_ref());
        }
        let json = to_line(&stored).map_err(DiskError::when("append to", self.home.path()))?;
        self.turns.append(line.turn, &json)?;
        self.previous_reply = stored.reply;
        Ok(())
    }

    /// Replaces `story.txt`, the story as people read it.
    pub fn write_story_text(&self, text: &str) -> Result<(), RunError> {
        Ok(self.home.replace(STORY_FILE, text.as_bytes(), self.durable)?)
    }
}
