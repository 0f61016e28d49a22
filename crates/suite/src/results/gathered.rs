//! Gathers results from other places with the same plan.

use std::collections::BTreeSet;
use std::path::Path;

use super::place::{PublishedTry, result_path, try_path};
use super::{CollectedResults, FAILED_FILE, MOST_RESULT_BYTES, RESULT_FILE, RESULTS_FILE, ResultStore, StoreError};
use crate::folder;
use crate::result::AttemptResult;

impl ResultStore {
    /// Copies the tries of another place with the same plan, such as a folder on a node's own disk. Returns how many were
    /// new. If an attempt has no result yet, it gets the other place's.
    ///
    /// The `id` distinguishes processes that copy the same try at the same time; `scratch` is a folder on this machine.
    pub fn take_from(&self, other: &ResultStore, id: &str, scratch: &Path) -> Result<usize, StoreError> {
        if other.digest != self.digest {
            return Err(StoreError::PlansDiffer {
                place: other.place.at(""),
                own: self.place.at(""),
            });
        }
        let known: BTreeSet<String> = self.place.tries(None)?.iter().map(PublishedTry::folder).collect();
        let mut taken = 0;
        for one in other.tries_with_results_first(&known)? {
            let copy = scratch.join(format!("{}-{}", one.attempt, one.id));
            other.place.fetch_try(&one, &copy)?;
            let new = match self.adopt(&one, &copy, id) {
                // A link in the way: the attempt has no result that counts.
                Err(StoreError::BadResult { .. }) => Ok(false),
                new => new,
            };
            folder::remove(&copy)?;
            taken += usize::from(new?);
        }
        Ok(taken)
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

    /// Publishes a try whose files, with its note, are in a folder. Returns `false` if it is there already, or if its
    /// result is damaged.
    fn adopt(&self, one: &PublishedTry, files: &Path, gatherer: &str) -> Result<bool, StoreError> {
        let name = if one.has_result { RESULT_FILE } else { FAILED_FILE };
        let file = files.join(name);
        // A failure on a full disk may have no note.
        let note = if one.has_result || file.exists() {
            folder::read(&file, MOST_RESULT_BYTES)?
        } else {
            Vec::new()
        };
        if one.has_result && self.read(one.attempt, &note).is_err() {
            return Ok(false);
        }
        let is_new = self.place.publish(one, files, &note, gatherer)?;
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
