//! Gathers results from other places with the same plan.

use std::collections::BTreeSet;
use std::path::Path;

use super::place::{PublishedTry, result_path, try_path};
use super::{CollectedResults, MOST_RESULT_BYTES, RESULT_FILE, RESULTS_FILE, ResultStore, StoreError};
use crate::folder::{self, FolderError};
use crate::result::AttemptResult;

/// The tries that were copied from another place.
#[derive(Debug, Default)]
pub struct TakenTries {
    /// How many were new.
    pub new: usize,
    /// Why others cannot be copied.
    pub refused: Vec<StoreError>,
}

impl ResultStore {
    /// Copies the tries of another place with the same plan, such as a folder on a node's own disk. If an attempt has no
    /// result yet, it gets the other place's. A try that cannot be copied, such as one with a link, is left out.
    ///
    /// The `id` distinguishes processes that copy the same try at the same time; `scratch` is a folder on this machine.
    pub fn take_from(&self, other: &ResultStore, id: &str, scratch: &Path) -> Result<TakenTries, StoreError> {
        if other.digest != self.digest {
            return Err(StoreError::PlansDiffer {
                place: other.place.at(""),
                own: self.place.at(""),
            });
        }
        let known: BTreeSet<String> = self.place.tries(None)?.iter().map(PublishedTry::folder).collect();
        let mut taken = TakenTries::default();
        for one in other.tries_with_results_first(&known)? {
            let copy = scratch.join(format!("{}-{}", one.attempt, one.id));
            let fetched = other
                .place
                .fetch_try(&one, &copy)
                .and_then(|()| other.note_of(&one, &copy));
            let new = match fetched {
                Ok(note) => self.adopt(&one, &copy, &note, id),
                Err(
                    error @ (StoreError::BadResult { .. }
                    | StoreError::Folder(FolderError::NoFile { .. } | FolderError::TooLarge { .. })),
                ) => {
                    taken.refused.push(error);
                    Ok(false)
                }
                Err(error) => Err(error),
            };
            if copy.exists() {
                folder::remove(&copy)?;
            }
            taken.new += usize::from(match new {
                // A link in the way: the attempt has no result that counts.
                Err(StoreError::BadResult { .. }) => false,
                new => new?,
            });
        }
        Ok(taken)
    }

    /// Reads the note of a try whose files are in a folder.
    fn note_of(&self, one: &PublishedTry, files: &Path) -> Result<Vec<u8>, StoreError> {
        let path = one.note();
        let file = files.join(path.rsplit('/').next().unwrap_or_default());
        // A failure on a full disk may have no note.
        if !one.has_result && !file.exists() {
            return Ok(Vec::new());
        }
        let bad = |problem: String| StoreError::BadResult {
            file: self.place.at(&path),
            problem,
        };
        match file.metadata() {
            Ok(status) if !status.is_file() => Err(bad("it is not a file".to_owned())),
            Ok(status) if status.len() > MOST_RESULT_BYTES => {
                Err(bad(format!("it is longer than {MOST_RESULT_BYTES} bytes")))
            }
            _ => Ok(folder::read(&file, MOST_RESULT_BYTES)?),
        }
    }

    /// Returns all tries but those in these folders. For each attempt, the one that is its result comes first; marks of
    /// duplicates cannot tell which one that is, because `mend` may mark any try.
    fn tries_with_results_first(&self, known: &BTreeSet<String>) -> Result<Vec<PublishedTry>, StoreError> {
        let mut tries = self.place.tries(None)?;
        tries.retain(|one| !known.contains(&one.folder()));
        let attempts: BTreeSet<u32> = tries.iter().map(|one| one.attempt).collect();
        let results = self.collect(|attempt| attempts.contains(&attempt))?.results;
        let results: BTreeSet<(u32, String)> = results
            .into_iter()
            .map(|result| (result.attempt.attempt, result.r#try))
            .collect();
        tries.sort_by_cached_key(|one| (one.attempt, !results.contains(&(one.attempt, one.id.clone()))));
        Ok(tries)
    }

    /// Replaces damaged results with intact ones from another place. Returns how many.
    pub fn heal_from(&self, other: &ResultStore, id: &str) -> Result<usize, StoreError> {
        let mut healed = 0;
        for damaged in self.collect(|_| true)?.damaged {
            let Ok(Some(result)) = other.result(damaged.attempt) else {
                continue;
            };
            match self.replace(damaged.attempt, &result, id) {
                Ok(()) => healed += 1,
                Err(error) if error.may_pass() => return Err(error),
                // A folder or a link is in the way: only the person can remove it.
                Err(_) => {}
            }
        }
        Ok(healed)
    }

    /// Puts an intact result in place of a damaged one.
    fn replace(&self, attempt: u32, result: &AttemptResult, id: &str) -> Result<(), StoreError> {
        let (path, own) = (result_path(attempt), try_path(attempt, &result.r#try));
        let text = self.to_json(result, &path)?;
        let note = format!("{own}/{RESULT_FILE}");
        // The try's own file may be the same file, and so damaged too.
        if self.place.has(&own)? && !self.is_whole(attempt, &note)? {
            self.place.put(&note, &text, id)?;
        }
        self.place.put(&path, &text, id)
    }

    /// Publishes a try whose files are in a folder. Returns `false` if it is there already, or if its result is damaged.
    fn adopt(&self, one: &PublishedTry, files: &Path, note: &[u8], gatherer: &str) -> Result<bool, StoreError> {
        if one.has_result && self.read(one.attempt, note).is_err() {
            return Ok(false);
        }
        let is_new = self.place.publish(one, files, note, gatherer)?;
        if is_new && one.has_result {
            self.place.commit(one)?;
        }
        Ok(is_new)
    }

    /// Writes all results that count to `results.jsonl`, in one step. Returns them, and those that do not.
    pub fn write_results(&self, id: &str) -> Result<CollectedResults, StoreError> {
        let collected = self.collect(|_| true)?;
        let mut text = Vec::new();
        for result in &collected.results {
            text.extend(self.to_json(result, RESULTS_FILE)?);
            text.push(b'\n');
        }
        self.place.put(RESULTS_FILE, &text, id)?;
        Ok(collected)
    }
}
