//! All details of one turn.

use franz_json::Story;
use franz_record::{Image, StoredStory, TurnLine};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::Summary;
use super::index::Known;
use super::place::LinePosition;
use super::{History, HistoryError};
use crate::lock::lock;
use crate::verdict::Verdict;

/// What is known about a picture whose file is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct MissingPicture {
    /// The oldest turn with a picture; `None` if there is none.
    pub kept_from: Option<u64>,
}

/// How many earlier lines to search for the reply that is this turn's story. It is in the previous line, unless a line
/// was lost.
const BEFORE: usize = 8;

/// One turn, with its text exactly as it was sent and received.
#[derive(Debug, Serialize)]
pub struct Detail {
    /// The summary for lists.
    pub summary: Summary,
    /// The turn line as recorded.
    pub line: Box<RawValue>,
    /// The story that was sent; `None` if it is no longer available.
    pub story: Option<Story>,
    /// The previous turn, if there is one.
    pub previous: Option<u64>,
    /// The next turn, if there is one.
    pub next: Option<u64>,
    /// SHA-256 of the picture without marks, if there is one.
    pub plain: Option<String>,
    /// What is known about the picture's file if it is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<MissingPicture>,
    /// The verdicts on its requests, as recorded, oldest first.
    pub verdicts: Vec<Box<RawValue>>,
    /// Whether the turn is still in progress. If so, its line has not been recorded yet.
    pub pending: bool,
}

/// One turn as recorded.
#[derive(Debug)]
pub struct RecordedTurn {
    /// The turn's line.
    pub line: TurnLine,
    /// The story that was sent; `None` if it is no longer available.
    pub story: Option<Story>,
    /// The verdicts on its requests, oldest first.
    pub verdicts: Vec<Verdict>,
}

impl History {
    /// Returns all details of `turn`; `None` if there is no such turn.
    pub fn turn(&self, turn: u64) -> Result<Option<Detail>, HistoryError> {
        let index = self.up_to_date();
        let Some(known) = index.known(turn) else {
            return Ok(None);
        };
        let previous = index.below(Some(turn)).next();
        let next = index.above(turn);
        let verdicts = index.verdicts().places(turn);
        drop(index);

        let recorded = known.place.read()?;
        let unreadable = |source| HistoryError::Unreadable { turn, source };
        let parsed: TurnLine = serde_json::from_slice(&recorded).map_err(unreadable)?;
        Ok(Some(Detail {
            summary: Summary::of(&parsed, known.verdict),
            line: serde_json::from_slice(&recorded).map_err(unreadable)?,
            story: self.story(&parsed, &known),
            previous,
            next,
            missing: parsed.image.as_ref().and_then(|image| self.missing(image)),
            plain: parsed.image.and_then(|_| self.plain(turn)),
            verdicts: verdicts.iter().filter_map(read).collect(),
            pending: false,
        }))
    }

    /// Returns the records about `turn`; `None` if there is no such turn.
    pub fn recorded_turn(&self, turn: u64) -> Result<Option<RecordedTurn>, HistoryError> {
        let index = lock(&self.index);
        let Some(known) = index.known(turn) else {
            return Ok(None);
        };
        let verdicts = index.verdicts().places(turn);
        drop(index);

        let line = Self::line(&known)?;
        Ok(Some(RecordedTurn {
            story: self.story(&line, &known),
            line,
            verdicts: verdicts.iter().filter_map(read).collect(),
        }))
    }

    /// Returns the story of `line`: either the one that the line contains, or the reply in an earlier line.
    pub(super) fn story(&self, line: &TurnLine, known: &Known) -> Option<Story> {
        if let StoredStory::Full(story) = &line.story {
            return Some(story.clone());
        }
        let named = |place: &LinePosition| line.story.resolve(Some(&reply(place)?)).cloned();
        if let Some(story) = known.before.as_ref().and_then(named) {
            return Some(story);
        }
        let index = lock(&self.index);
        let turns = index.below(Some(known.turn)).take(BEFORE);
        let places: Vec<LinePosition> = turns
            .filter_map(|turn| index.known(turn))
            .map(|known| known.place)
            .collect();
        drop(index);
        places.iter().find_map(named)
    }
}

fn reply(place: &LinePosition) -> Option<Story> {
    read::<TurnLine>(place)?.reply
}

/// Reads the value at this position; `None` if it cannot be read.
pub(super) fn read<T: DeserializeOwned>(place: &LinePosition) -> Option<T> {
    serde_json::from_slice(&place.read().ok()?).ok()
}

/// Returns all pictures of a turn.
pub(super) fn images(line: &TurnLine) -> impl Iterator<Item = &Image> {
    line.image.iter().chain(line.beside.iter().map(|beside| &beside.image))
}
