//! The writer of a run. It owns the run's directory and commits each turn's files in the right order.

use std::num::NonZeroU64;
use std::path::Path;

use franz_home::{ClaimError, DiskError, Home};
use franz_json::Story;
use thiserror::Error;

use crate::acting_log::ActingLog;
use crate::directory::{DirectoryError, create_directory};
use crate::line::to_line;
use crate::lock::{AGENT_LOCK, Lock, LockError};
use crate::pictures::{self, PictureFile, PictureName, Pictures};
use crate::resume::{self, CONFIG_FILE, ResumeError, Resumed};
use crate::run_end::RunEnd;
use crate::state::{Phase, RunState, STATE_FILE};
use crate::story::StoredStory;
use crate::turn::{Image, TurnLine};
use crate::turns::TurnFiles;
use crate::unwanted;

/// The file that holds the story as text for people to read.
const STORY_FILE: &str = "story.txt";

/// How a run is recorded.
#[derive(Debug, Clone, Copy)]
pub struct RunOptions {
    /// How many turns to store per file of turn lines, `record.batch`.
    pub batch: NonZeroU64,
    /// Whether every write is flushed to disk before the run continues, `record.durable`. The record then survives a
    /// power failure as well as a crash.
    pub durable: bool,
    /// The total size of pictures above which the oldest are removed, `record.keep_pictures`. With 0, only the newest
    /// turn's pictures are kept.
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

/// The reason why the run cannot be created, continued or recorded.
#[derive(Debug, Error)]
pub enum RunError {
    /// There is no directory for a new run.
    #[error(transparent)]
    Directory(#[from] DirectoryError),
    /// The directory is not owned by this user, or others can write to it.
    #[error(transparent)]
    Claim(#[from] ClaimError),
    /// Another agent owns the run.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The directory contains nothing from which the run could continue.
    #[error(transparent)]
    Resume(#[from] ResumeError),
    /// A file cannot be read or written.
    #[error(transparent)]
    Disk(#[from] DiskError),
}

/// A run that is being recorded. Its directory is locked while this value lives.
pub struct Run {
    home: Home,
    durable: bool,
    turns: TurnFiles,
    progress: ActingLog,
    pictures: Pictures,
    /// The reply in the newest turn line, which is usually the next turn's story.
    previous_reply: Option<Story>,
    /// Whether the record does not say yet that the last reply's actions must not be performed, or that it was lost.
    unsettled: bool,
    _lock: Lock,
}

impl Run {
    /// Begins a new run in a directory created by [`create_directory`].
    pub fn create(directory: Option<&Path>, parent: &Path, options: RunOptions) -> Result<(Self, RunState), RunError> {
        let home = create_directory(directory, parent)?;
        let lock = Lock::acquire(&home, AGENT_LOCK)?;
        let run = Self::start(home, lock, options, None, &Phase::Ready, false)?;
        let state = RunState::new(run.name());
        Ok((run, state))
    }

    /// Continues the run in `home`, or begins the run if there is only its `config.toml`.
    ///
    /// Cleans up after a crash: moves an unterminated last turn line to a `.cut` file, and removes unfinished files.
    pub fn open(home: Home, options: RunOptions) -> Result<(Self, Resumed), RunError> {
        resume::check_is_run(&home)?;
        resume::check_version(&home)?;
        let lock = Lock::acquire(&home, AGENT_LOCK)?;
        home.remove_unfinished()?;
        let resumed = resume::resume(&home, &home.name())?;
        let reply = resumed.last_turn.as_ref().and_then(|line| line.reply.clone());
        // Actions that have begun need no reason, but what a lost record means for them must stay known as well.
        let unsettled = resumed.unwanted.is_some() || unwanted::is_lost(&home);
        let run = Self::start(home, lock, options, reply, &resumed.state.phase, unsettled)?;
        Ok((run, resumed))
    }

    fn start(
        home: Home,
        lock: Lock,
        options: RunOptions,
        previous_reply: Option<Story>,
        phase: &Phase,
        unsettled: bool,
    ) -> Result<Self, RunError> {
        let RunOptions {
            batch,
            durable,
            keep_pictures,
        } = options;
        if !unsettled {
            unwanted::settle(&home)?;
        }
        Ok(Self {
            turns: TurnFiles::open(&home, batch, durable)?,
            progress: ActingLog::open(&home, durable, phase)?,
            pictures: Pictures::open(&home, keep_pictures, durable)?,
            home,
            durable,
            previous_reply,
            unsettled,
            _lock: lock,
        })
    }

    /// Returns the run's directory.
    pub fn path(&self) -> &Path {
        self.home.path()
    }

    /// Returns the open directory of the run.
    pub fn home(&self) -> &Home {
        &self.home
    }

    /// Returns a picture of a turn, if it is still kept.
    pub fn picture(&self, image: &Image) -> Option<Vec<u8>> {
        pictures::read(&self.home, &image.file)
    }

    /// Returns the run's name, which is the name of its directory.
    pub fn name(&self) -> String {
        self.home.name()
    }

    /// Writes the live settings. This happens only once, because people edit the file from then on.
    pub fn write_config(&self, toml: &str) -> Result<(), RunError> {
        Ok(self.home.replace(CONFIG_FILE, toml.as_bytes(), self.durable)?)
    }

    /// Records a completed turn in an order that survives a crash at any moment: first the picture that the model saw,
    /// then the turn line, which is the commit, then the state. If a write fails, the later ones are skipped.
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

    /// Records the current turn's progress before its next step. Appends one short line to `acting.jsonl`.
    pub fn keep_phase(&mut self, phase: &Phase) -> Result<(), RunError> {
        self.progress.keep(phase)?;
        if std::mem::take(&mut self.unsettled) {
            unwanted::settle(&self.home)?;
        }
        Ok(())
    }

    /// Records that the reply with this hash is about to be read or, with `over`, has been read.
    pub fn keep_reading(&mut self, reply: &str, over: bool) -> Result<(), RunError> {
        Ok(self.progress.keep_reading(reply, over)?)
    }

    /// Replaces `state.json` in one step.
    pub fn save_state(&self, state: &RunState) -> Result<(), RunError> {
        let json = to_line(state).map_err(DiskError::when("write", &self.home.path_of(STATE_FILE)))?;
        Ok(self.home.replace(STATE_FILE, &json, self.durable)?)
    }

    /// Records how the run ended. Continuing the run removes this record.
    pub fn write_end(&self, end: RunEnd) -> Result<(), RunError> {
        let withdraws = self.unsettled;
        Ok(RunEnd { withdraws, ..end }.keep(&self.home, self.durable)?)
    }

    /// Notes that nothing is recorded from now on, so that the last recorded reply is not performed again.
    pub fn note_loss(&self) -> Result<(), RunError> {
        Ok(unwanted::note_loss(&self.home, self.durable)?)
    }

    /// Stores a picture, and removes the oldest ones if pictures take up too much space. Returns the name of the file.
    pub fn write_picture(&mut self, name: PictureName, picture: PictureFile<'_>) -> Result<String, RunError> {
        self.pictures.store(name, picture)?;
        Ok(name.to_string())
    }

    /// Appends a turn line as a whole. A story that equals the reply in the previous line is replaced by its hash.
    pub fn append_turn(&mut self, line: &TurnLine) -> Result<(), RunError> {
        // Forget the reply until the line is known to be written. Without the reply, the next story is stored in full,
        // which is correct whatever a failed append left behind.
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

    /// Replaces `story.txt`, the story for people to read.
    pub fn write_story_text(&self, text: &str) -> Result<(), RunError> {
        Ok(self.home.replace(STORY_FILE, text.as_bytes(), self.durable)?)
    }
}
