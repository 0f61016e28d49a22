//! The run on disk: state, turn lines, pictures and the exchange log. Writes them and reads them back.
//!
//! In reading order:
//!
//! - [`event`], [`output`] and [`queue`]: the events of a run, and who is notified of them; [`exit`]: how its process
//!   ends.
//! - [`turn`], [`acted`], [`decided`], [`timings`], [`tokens`], [`story`] and [`state`]: the data stored about a turn,
//!   and the state of the run.
//! - [`run`]: the writer, created by [`Run::create`] or [`Run::open`]. [`Run::commit`] writes a turn's files in the
//!   right order.
//! - [`directory`], [`lock`], [`turns`], [`pictures`], `acting_log` and [`resume`]: the parts of the writer.
//! - [`fork`]: a new run that continues from a turn of another one.
//! - [`messages`]: the person's messages to the model during the run.
//! - [`reader`]: reading a run back, even while it is being written.
//! - [`exchange`]: the log of requests and responses, written and read back.
//! - [`digest`] and [`line_file`]: hashes, and files that grow by whole lines.
//!
//! [`franz_home`] handles the files themselves: a [`Home`] is a run's directory open for writing, a [`View`] one open
//! for reading.
//!
//! Some things are deliberately absent. Actions are stored as text. Of the crate that defines actions, the records use
//! only the type [`Outcome`]. The story is never decoded on its way to disk and back. Nothing is asynchronous, so
//! callers keep this crate off their async threads. A failed write is an error for the caller to judge, and never stops
//! a run on its own.
//!
//! ```
//! use franz_json::Story;
//! use franz_record::{Home, PictureFile, Run, RunOptions, TurnLine};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let runs = tempfile::tempdir()?;
//! let (mut run, mut state) = Run::create(None, runs.path(), RunOptions::default())?;
//! let mut line = TurnLine::new(1, "2026-01-01T00:00:00Z");
//! line.reply = Story::from_raw(r#""a story with a lone \ud800""#);
//! state.completed(&line);
//! run.commit(Some(PictureFile::Png(b"the picture")), &line, &state)?;
//!
//! let directory = run.path().to_owned();
//! drop(run);
//! let (_run, resumed) = Run::open(Home::claim(&directory)?, RunOptions::default())?;
//! assert_eq!(resumed.state.story.raw(), r#""a story with a lone \ud800""#);
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]
#![cfg_attr(
    test,
    allow(
        clippy::disallowed_methods,
        reason = "tests start programs and write files as anybody would"
    )
)]

pub mod event;
pub mod exit;
pub mod output;
pub mod queue;

pub mod acted;
pub mod decided;
pub mod live;
pub mod reply_piece;
pub mod state;
pub mod story;
pub mod timings;
pub mod tokens;
mod told_element;
pub mod turn;

mod deletion;
pub mod directory;
pub mod fork;
pub mod lock;
pub mod messages;
mod overview;
pub mod pictures;
pub mod resume;
pub mod run;
mod run_end;
pub mod turns;
pub mod unwanted;

mod answering_model;
pub mod exchange;
mod read_as;
pub mod reader;

pub mod digest;
pub mod line_file;

mod acting_log;
mod disk_usage;
mod line;
mod tail;

pub use acted::{Acted, Found};
pub use answering_model::AnsweringModel;
pub use decided::{PersonQuestion, RecordedDecision};
pub use deletion::{DeletionError, delete_run};
pub use directory::{DirectoryError, create_directory, last_panel, last_run};
pub use event::{Event, EventError, RunStarted};
pub use exchange::index::ExchangeIndex;
pub use exchange::read::{ExchangeError, LoggedExchange, LoggedMessage, ReadBody, Wanted, exchanges};
pub use exchange::{ExchangeLog, ExchangeOptions, LoggedBody, LoggedHead};
pub use exit::Exit;
pub use fork::{Fork, ForkError};
pub use franz_action::Outcome;
pub use franz_home::{ClaimError, DiskError, Home, View};
pub use line_file::LineFile;
pub use live::LivePicture;
pub use lock::{AGENT_LOCK, CONFIG_LOCK, Lock, LockError, PANEL_LOCK};
pub use messages::{MessageContent, MessageError, PersonMessage};
pub use output::{Dropped, JsonLines, Output, Outputs};
pub use overview::{OverviewError, RunOverview};
pub use pictures::{PictureFile, PictureKind, PictureName};
pub use queue::Queue;
pub use read_as::ReadAs;
pub use reader::{ReadError, TurnLines};
pub use reply_piece::ReplyPiece;
pub use resume::{ResumeError, Resumed, Source};
pub use run::{Run, RunError, RunOptions};
pub use run_end::RunEnd;
pub use state::{ForkOrigin, GivenTask, Phase, RunState};
pub use story::StoredStory;
pub use timings::{Millis, Timings};
pub use tokens::Tokens;
pub use told_element::{ELEMENTS, ToldElement, without_elements};
pub use turn::{BesideImage, Effect, Image, ScreenChange, Status, TurnLine};
pub use turns::Batch;
pub use unwanted::Unwanted;
