//! The turn in progress, in the same form as a recorded one.

use franz_record::digest::sha256_hex;
use franz_record::{PictureName, StoredStory, TurnLine};
use serde_json::value::to_raw_value;

use super::Summary;
use super::detail::{Detail, images, read};
use super::{History, HistoryError};

impl History {
    /// Returns everything that is known so far about the turn in progress. Its line contains the whole story.
    pub fn pending(&self, line: &TurnLine) -> Result<Detail, HistoryError> {
        let turn = line.turn;
        let index = self.up_to_date();
        let previous = index.below(Some(turn)).next();
        let verdict = index.verdicts().last(turn);
        let verdicts = index.verdicts().places(turn);
        drop(index);

        let story = match &line.story {
            StoredStory::Full(story) => Some(story.clone()),
            StoredStory::PreviousReply { .. } => None,
        };
        Ok(Detail {
            summary: Summary::of(line, verdict),
            line: to_raw_value(line).map_err(|source| HistoryError::Unreadable { turn, source })?,
            story,
            previous,
            next: None,
            missing: None,
            plain: line.image.as_ref().and_then(|_| self.plain(turn)),
            verdicts: verdicts.iter().filter_map(read).collect(),
            pending: true,
        })
    }

    /// Returns the picture with this hash, if it is the one that the model is looking at or another one shown with it.
    pub(crate) fn pending_picture(&self, line: &TurnLine, sha256: &str) -> Option<Vec<u8>> {
        let image = images(line).find(|image| image.sha256 == sha256)?;
        let (bytes, _) = self.picture_file(PictureName::parse(&image.file)?)?;
        // If the agent was restarted, the file might belong to another turn with the same number.
        (sha256_hex(&bytes) == sha256).then_some(bytes)
    }
}
