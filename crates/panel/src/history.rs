//! The turns and verdicts of a run. They can be looked up by number, page or hash, or found by searching their text.

mod detail;
mod excerpt;
mod index;
mod marks;
mod matcher;
mod outline;
mod overview;
mod pending;
mod pictures;
mod place;
mod runs;
mod search;
mod summary;
mod tail;
mod trace;
mod verdicts;

use std::path::Path;
use std::sync::{Mutex, MutexGuard};

use franz_home::{DiskError, View};
use franz_record::{ExchangeError, LoggedExchange, TurnLine, Wanted, exchanges};
use serde::Serialize;
use thiserror::Error;

use crate::lock::lock;

pub use detail::{Detail, MissingPicture, RecordedTurn};
pub use marks::MarkedTurns;
pub use outline::Totals;
pub use overview::Overview;
pub use runs::Sibling;
pub use search::{Field, Hit, SearchResult};
pub use summary::Summary;
pub use trace::{Trace, TracedRun, TracedTurn};
pub use verdicts::Tally;

use index::Index;
use pictures::Plain;

/// A run that can be read even while it is being written. Only the positions of lines in files are kept in memory.
#[derive(Debug)]
pub struct History {
    view: View,
    index: Mutex<Index>,
    plain: Mutex<Plain>,
    /// The verdicts that existed when the run was opened.
    at_open: Tally,
}

/// The range of turns that exist.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Extent {
    /// The first turn, 0 if there is none.
    pub first: u64,
    /// The last turn, 0 if there is none.
    pub last: u64,
    /// How many turns exist.
    pub count: u64,
}

/// Why something that exists cannot be read.
#[derive(Debug, Error)]
pub enum HistoryError {
    /// A file cannot be read.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// The bytes at the line's position are no longer a turn line.
    #[error(
        "turn {turn} cannot be read ({source}): its file was changed, or a different version wrote it; if it \
         was changed, restart the dashboard"
    )]
    Unreadable {
        /// The turn.
        turn: u64,
        /// What is wrong with it.
        source: serde_json::Error,
    },
}

impl History {
    /// Reads the index of the run in `directory`.
    pub fn open(directory: &Path) -> Result<History, DiskError> {
        Self::of(&View::open(directory)?)
    }

    /// Reads the index of the run in `view`.
    pub fn of(view: &View) -> Result<History, DiskError> {
        let mut index = Index::new(view);
        index.take_in()?;
        Ok(History {
            view: view.clone(),
            at_open: index.verdicts().tally(),
            index: Mutex::new(index),
            plain: Mutex::default(),
        })
    }

    /// Returns the run's directory.
    pub fn directory(&self) -> &Path {
        self.view.path()
    }

    /// Returns the name of the run's directory.
    pub fn name(&self) -> String {
        self.view.name()
    }

    /// Returns the range of turns that exist.
    pub fn extent(&self) -> Extent {
        self.up_to_date().extent()
    }

    /// Returns the totals over all turns.
    pub fn totals(&self) -> Totals {
        self.up_to_date().totals()
    }

    /// Returns how many lines were skipped because they do not contain valid turns or verdicts.
    pub fn bad_lines(&self) -> u64 {
        lock(&self.index).bad_lines()
    }

    /// Returns up to `limit` turns below `before`, newest first. Turns whose lines cannot be parsed are left out.
    pub fn page(&self, before: Option<u64>, limit: usize) -> Result<Vec<Summary>, HistoryError> {
        let index = self.up_to_date();
        let below = index.below(before).take(limit);
        let turns: Vec<_> = below.filter_map(|turn| index.known(turn)).collect();
        drop(index);
        let summaries = turns.iter().map(Self::summary);
        summaries
            .filter(|summary| !matches!(summary, Err(HistoryError::Unreadable { .. })))
            .collect()
    }

    /// Returns the line of the last turn; `None` if there is none.
    pub fn last_line(&self) -> Option<TurnLine> {
        let index = self.up_to_date();
        let known = index.known(index.extent().last)?;
        drop(index);
        Self::line(&known).ok()
    }

    /// Returns the exchanges of a turn, one for each attempt, as logged.
    pub fn exchanges(&self, turn: u64) -> Result<Vec<LoggedExchange>, ExchangeError> {
        exchanges(&self.view, &Wanted::Turn(turn))
    }

    /// Returns the next turn after `after` that exists now.
    pub fn above(&self, after: u64) -> Option<u64> {
        lock(&self.index).above(after)
    }

    /// Returns the recorded line of a turn without its line break; `None` if there is no such turn.
    pub fn recorded(&self, turn: u64) -> Result<Option<Vec<u8>>, HistoryError> {
        let Some(known) = lock(&self.index).known(turn) else {
            return Ok(None);
        };
        Ok(Some(known.place.read()?))
    }

    fn summary(known: &index::Known) -> Result<Summary, HistoryError> {
        Ok(Summary::of(&Self::line(known)?, known.verdict))
    }

    fn line(known: &index::Known) -> Result<TurnLine, HistoryError> {
        let line = known.place.read()?;
        serde_json::from_slice(&line).map_err(|source| HistoryError::Unreadable {
            turn: known.turn,
            source,
        })
    }

    /// Returns the index after adding everything that has been appended since the last call. Whatever cannot be read
    /// now is retried the next time.
    fn up_to_date(&self) -> MutexGuard<'_, Index> {
        let mut index = lock(&self.index);
        if let Err(error) = index.take_in() {
            tracing::debug!("the history is out of date: {error}");
        }
        index
    }
}
