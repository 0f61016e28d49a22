//! Results of a plan: `attempt_NNNN/try_ID/`, and `attempt_NNNN/result.json`, in a folder or in an object store.
//!
//! A try is prepared elsewhere, and appears as a whole or not at all. Its `result.json` then becomes the attempt's, by a
//! hard link, or by a write that fails if there is one. The first try to get there is the result; a later one is kept and
//! marked as `duplicate`. There are no locks: any number of processes, on any number of machines, may publish and gather
//! at once.
//!
//! A try's files are kept in one archive, `kept.zip`, next to the page that plays the run. Earlier versions kept these
//! files in the try's folder; those results can still be read.

mod address;
#[cfg(feature = "cloud")]
mod bucket;
mod damaged;
pub(crate) mod disk;
mod error;
mod gathered;
mod place;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

pub use address::ResultAddress;
pub use damaged::{CollectedResults, DamagedResult};
pub use error::StoreError;
pub use gathered::TakenTries;

use crate::archive;
use crate::folder::{self, FolderError, SuiteDigest};
use crate::plan::{AttemptPlan, PLAN_FILE, PlannedAttempt};
use crate::result::AttemptResult;
use place::{PublishedTry, ResultPlace, result_path, try_path};

/// The name of a result in its try and in its attempt.
const RESULT_FILE: &str = "result.json";

/// The name of a failed try's reason.
const FAILED_FILE: &str = "failed.json";

/// The archive with what is kept of a try: its record in `run`, the home of its programs in `home`, and what they said.
pub const KEPT_FILE: &str = "kept.zip";

/// The page that plays a try's run.
pub const PLAYER_FILE: &str = "player.html";

/// The prefix of a skipped try's identity. The rest depends only on the program that was missing, so that the same
/// reason is kept once.
const SKIPPED: &str = "skipped_";

/// The name of the file that marks a try as a duplicate.
const DUPLICATE_FILE: &str = "duplicate";

/// The folder with the suite's files.
pub const SUITE_FOLDER: &str = "suite";

/// The file with all results, one line each.
const RESULTS_FILE: &str = "results.jsonl";

/// Why a try failed if its reason could not be written, or is damaged.
const NO_REASON: &str = "its reason could not be written";

/// The largest plan and the largest result in bytes.
const MOST_PLAN_BYTES: u64 = 4 << 30;
const MOST_RESULT_BYTES: u64 = 1 << 20;

/// A plan and the results of its attempts.
#[derive(Clone, Debug)]
pub struct ResultStore {
    place: Arc<dyn ResultPlace>,
    digest: SuiteDigest,
    /// The planned attempts, which results are compared with.
    planned: Arc<[PlannedAttempt]>,
}

/// The result of publishing a try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Publication {
    /// It is the attempt's result.
    First,
    /// The attempt had a result already.
    Duplicate,
}

/// The tries at an attempt that produced no result, by their identities.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FruitlessTries {
    /// Those that failed.
    pub failed: Vec<String>,
    /// Those that were skipped because a program is missing.
    pub skipped: Vec<String>,
}

impl ResultStore {
    /// Puts a plan and its suite's files in a place, except those `without` which the suite's digest was made. A folder
    /// is created. The same plan may be put there again.
    pub fn create(
        address: &ResultAddress,
        plan: &AttemptPlan,
        suite: &Path,
        without: &[PathBuf],
    ) -> Result<ResultStore, StoreError> {
        ResultStore::create_at(address.place()?, plan, suite, without)
    }

    fn create_at(
        place: Arc<dyn ResultPlace>,
        plan: &AttemptPlan,
        suite: &Path,
        without: &[PathBuf],
    ) -> Result<ResultStore, StoreError> {
        let text = plan.to_jsonl().map_err(|source| StoreError::Plan {
            place: place.at(""),
            source,
        })?;
        let digest = AttemptPlan::digest_of(&text);
        if place.has(PLAN_FILE)? {
            let (there, old) = ResultStore::open_at(Arc::clone(&place))?;
            if there.digest != digest {
                return Err(there.other_plan(&old));
            }
            let is_lost = place.folder().is_some_and(|folder| !folder.join(SUITE_FOLDER).exists());
            if is_lost {
                place.put_suite(suite, without)?;
            }
            check_copy(&*place, plan)?;
            return Ok(there);
        }
        if let Some(folder) = place.folder() {
            folder::make(folder)?;
        }
        // A plan that was removed may be put there again.
        for one in place.tries(None)? {
            let note = place.read(&one.note(), MOST_RESULT_BYTES)?;
            if note.and_then(|note| plan_of(&note)).is_none_or(|plan| plan != digest) {
                return Err(StoreError::OtherResult {
                    file: place.at(&one.folder()),
                });
            }
        }
        place.put_suite(suite, without)?;
        check_copy(&*place, plan)?;
        place.put(PLAN_FILE, text.as_bytes(), "plan")?;
        let planned = plan.attempts.clone().into();
        Ok(ResultStore { place, digest, planned })
    }

    /// Opens a place with a plan.
    pub fn open(address: &ResultAddress) -> Result<(ResultStore, AttemptPlan), StoreError> {
        ResultStore::open_at(address.place()?)
    }

    fn open_at(place: Arc<dyn ResultPlace>) -> Result<(ResultStore, AttemptPlan), StoreError> {
        let Some(bytes) = place.read(PLAN_FILE, MOST_PLAN_BYTES)? else {
            return Err(StoreError::NoPlan { place: place.at("") });
        };
        let path = place.at(PLAN_FILE);
        let text = String::from_utf8(bytes).map_err(|_| FolderError::NotText { path })?;
        let plan = AttemptPlan::parse(&text).map_err(|source| StoreError::Plan {
            place: place.at(""),
            source,
        })?;
        let digest = AttemptPlan::digest_of(&text);
        let planned = plan.attempts.clone().into();
        Ok((ResultStore { place, digest, planned }, plan))
    }

    /// Returns the folder with the results, unless they are in an object store.
    pub fn folder(&self) -> Option<&Path> {
        self.place.folder()
    }

    /// Returns a path as a person would write it.
    pub fn at(&self, path: &str) -> PathBuf {
        self.place.at(path)
    }

    /// Copies the suite's files to a new folder on this machine.
    pub fn fetch_suite(&self, to: &Path) -> Result<(), StoreError> {
        self.place.fetch_suite(to)
    }

    /// Returns the digest of the plan's text.
    pub fn plan_digest(&self) -> &SuiteDigest {
        &self.digest
    }

    /// Returns when the plan was written.
    pub fn planned_at(&self) -> Result<SystemTime, StoreError> {
        self.place.written(PLAN_FILE)
    }

    /// Publishes a finished try: copies the files of `prepared`, and makes its result the attempt's result unless there
    /// is one.
    pub fn publish(&self, result: &AttemptResult, prepared: &Path) -> Result<Publication, StoreError> {
        let one = PublishedTry {
            attempt: result.attempt.attempt,
            id: result.r#try.clone(),
            has_result: true,
            is_duplicate: false,
        };
        let json = self.to_json(result, &one.note())?;
        self.place.publish(&one, prepared, &json, &one.id)?;
        self.place.commit(&one)
    }

    /// Publishes a try that failed because of the infrastructure, for example because the server went away. It does not
    /// count as a result.
    pub fn publish_failure(&self, attempt: u32, id: &str, why: &str, prepared: &Path) -> Result<(), StoreError> {
        self.publish_fruitless(attempt, id, why, prepared, id)
    }

    /// Publishes a note that an attempt was skipped, because this program is missing. A note is no result, and the same note
    /// may be published again. The `writer` distinguishes processes that do so at the same time.
    pub fn publish_skip(&self, attempt: u32, program: &str, prepared: &Path, writer: &str) -> Result<(), StoreError> {
        let digest = SuiteDigest::of_bytes(program.as_bytes());
        let id = format!("{SKIPPED}{}", digest.as_str().get(..12).unwrap_or_default());
        let why = format!("{program} is not installed");
        self.publish_fruitless(attempt, &id, &why, prepared, writer)
    }

    fn publish_fruitless(
        &self,
        attempt: u32,
        id: &str,
        why: &str,
        prepared: &Path,
        writer: &str,
    ) -> Result<(), StoreError> {
        let one = PublishedTry {
            attempt,
            id: id.to_owned(),
            has_result: false,
            is_duplicate: false,
        };
        let json = serde_json::json!({ "v": 1, "plan": self.digest, "attempt": attempt, "why": why });
        self.place
            .publish(&one, prepared, json.to_string().as_bytes(), writer)?;
        Ok(())
    }

    /// Completes every published try that was cut off before it could become its attempt's result, or be marked as a
    /// duplicate. Returns how many results were found this way. Damaged results stay as they are.
    pub fn mend(&self) -> Result<usize, StoreError> {
        let mut decided = self.place.decided()?;
        let mut tries = self.place.tries(None)?;
        tries.retain(|one| one.has_result);
        let mut mended = 0;
        for group in tries.chunk_by(|one, next| one.attempt == next.attempt) {
            let Some(attempt) = group.first().map(|one| one.attempt) else {
                continue;
            };
            // The only result of a decided attempt is complete.
            let is_decided = decided.contains(&attempt);
            if is_decided && (group.len() == 1 || !self.is_whole(attempt, &result_path(attempt))?) {
                continue;
            }
            for one in group.iter().filter(|one| !one.is_duplicate) {
                if !self.is_whole(attempt, &one.note())? {
                    continue;
                }
                let is_first = self.place.commit(one)? == Publication::First;
                mended += usize::from(is_first && decided.insert(attempt));
            }
        }
        Ok(mended)
    }

    /// Removes the files of publications that stopped more than a day ago.
    pub fn remove_unfinished(&self) -> Result<(), StoreError> {
        self.place.remove_unfinished()
    }

    /// Returns the attempts in `plan` that have no result, or a damaged one.
    pub fn missing(&self, plan: &AttemptPlan) -> Result<Vec<u32>, StoreError> {
        Ok(self.collect(|_| true)?.missing(plan))
    }

    /// Returns every result that counts, in the order of the plan.
    pub fn results(&self) -> Result<Vec<AttemptResult>, StoreError> {
        Ok(self.collect(|_| true)?.results)
    }

    /// Reads the results of these attempts.
    pub fn collect(&self, of: impl Fn(u32) -> bool) -> Result<CollectedResults, StoreError> {
        let attempts: Vec<u32> = self
            .place
            .decided()?
            .into_iter()
            .filter(|attempt| of(*attempt))
            .collect();
        let paths: Vec<String> = attempts.iter().map(|attempt| result_path(*attempt)).collect();
        let texts = self.place.read_all(&paths, MOST_RESULT_BYTES)?;
        let mut collected = CollectedResults::default();
        for (attempt, text) in attempts.into_iter().zip(texts) {
            match text.and_then(|text| self.read(attempt, &text)) {
                Ok(result) => collected.results.push(result),
                Err(error) => collected.damaged.push(self.damaged(attempt, error)?),
            }
        }
        Ok(collected)
    }

    /// Returns the result of an attempt; `None` if it has none.
    pub fn result(&self, attempt: u32) -> Result<Option<AttemptResult>, StoreError> {
        let text = self.place.read(&result_path(attempt), MOST_RESULT_BYTES);
        match text.and_then(|text| text.map(|text| self.read(attempt, &text)).transpose()) {
            Ok(result) => Ok(result),
            Err(error) => Err(self.damaged(attempt, error)?.into()),
        }
    }

    /// Returns the damage that an error is about; other errors remain errors.
    fn damaged(&self, attempt: u32, error: StoreError) -> Result<DamagedResult, StoreError> {
        match error {
            StoreError::BadResult { file, problem } => Ok(DamagedResult {
                attempt,
                file,
                problem,
                is_planned: self.planned(attempt).is_some(),
            }),
            error => Err(error),
        }
    }

    /// Returns whether a file holds a result of an attempt that counts.
    fn is_whole(&self, attempt: u32, path: &str) -> Result<bool, StoreError> {
        let text = match self.place.read(path, MOST_RESULT_BYTES) {
            Err(StoreError::BadResult { .. }) => None,
            text => text?,
        };
        Ok(text.is_some_and(|text| self.read(attempt, &text).is_ok()))
    }

    fn read(&self, attempt: u32, text: &[u8]) -> Result<AttemptResult, StoreError> {
        let read = damaged::read(text, &self.digest, self.planned(attempt));
        read.map_err(|problem| StoreError::BadResult {
            file: self.place.at(&result_path(attempt)),
            problem,
        })
    }

    fn planned(&self, attempt: u32) -> Option<&PlannedAttempt> {
        self.planned.get((attempt as usize).checked_sub(1)?)
    }

    /// Returns the tries of these attempts that produced no result, by attempt.
    pub fn fruitless(&self, of: &BTreeSet<u32>) -> Result<BTreeMap<u32, FruitlessTries>, StoreError> {
        let mut fruitless: BTreeMap<u32, FruitlessTries> = BTreeMap::new();
        for one in self.place.tries(Some(of))?.into_iter().filter(|one| !one.has_result) {
            let tries = fruitless.entry(one.attempt).or_default();
            if one.id.starts_with(SKIPPED) {
                tries.skipped.push(one.id);
            } else {
                tries.failed.push(one.id);
            }
        }
        Ok(fruitless)
    }

    /// Returns why the last of these tries failed or was skipped; `None` if there are none.
    pub fn why_last_failed(&self, attempt: u32, ids: &[String]) -> Result<Option<String>, StoreError> {
        let last = match ids {
            [] | [_] => ids.first(),
            // Without a note, the time is unknown.
            ids => ids
                .iter()
                .max_by_key(|id| self.place.written(&failed_path(attempt, id)).ok()),
        };
        last.map(|id| self.why_failed(attempt, id)).transpose()
    }

    /// Returns why a try failed or was skipped.
    pub fn why_failed(&self, attempt: u32, id: &str) -> Result<String, StoreError> {
        #[derive(serde::Deserialize)]
        struct Failure {
            why: String,
        }
        let bytes = match self.place.read(&failed_path(attempt, id), MOST_RESULT_BYTES) {
            Err(StoreError::BadResult { .. }) => None,
            bytes => bytes?,
        };
        let failure: Option<Failure> = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        Ok(failure.map_or_else(|| NO_REASON.to_owned(), |failure| failure.why))
    }

    /// Returns the path of the page that plays a try, relative to the results; `None` if there is none, or if the
    /// results are in an object store.
    pub fn player(&self, attempt: u32, id: &str) -> Option<String> {
        let path = format!("{}/{PLAYER_FILE}", try_path(attempt, id));
        let file = self.place.folder()?.join(&path);
        file.exists().then_some(path)
    }

    /// Unpacks a try's kept files into a folder, which is created. Returns `false` if nothing is kept.
    pub fn unpack(&self, attempt: u32, id: &str, to: &Path) -> Result<bool, StoreError> {
        folder::make(to)?;
        let (path, copy) = (format!("{}/{KEPT_FILE}", try_path(attempt, id)), to.join(KEPT_FILE));
        if self.place.fetch(&path, &copy)? {
            archive::unpack_copy(&copy, &self.place.at(&path), to)?;
            folder::remove(&copy)?;
            return Ok(true);
        }
        let one = PublishedTry {
            attempt,
            id: id.to_owned(),
            has_result: true,
            is_duplicate: false,
        };
        self.place.fetch_try(&one, to)?;
        let is_kept = to.join("run").exists();
        if is_kept {
            // Earlier versions did not keep a home without any file.
            folder::make(&to.join("home"))?;
        }
        Ok(is_kept)
    }

    fn other_plan(&self, plan: &AttemptPlan) -> StoreError {
        StoreError::OtherPlan {
            place: self.place.at(""),
            suite: plan.header.suite.to_string(),
            attempts: plan.attempts.len(),
        }
    }

    fn to_json(&self, result: &AttemptResult, path: &str) -> Result<Vec<u8>, StoreError> {
        serde_json::to_vec(result).map_err(|error| StoreError::BadResult {
            file: self.place.at(path),
            problem: error.to_string(),
        })
    }
}

/// Checks that the copy of the suite in a folder is the one that a plan is for.
fn check_copy(place: &dyn ResultPlace, plan: &AttemptPlan) -> Result<(), StoreError> {
    let Some(folder) = place.folder() else { return Ok(()) };
    let copy = folder.join(SUITE_FOLDER);
    if folder::digest(&copy, &[])? == plan.header.digest {
        return Ok(());
    }
    Err(StoreError::OtherSuite { folder: copy })
}

fn failed_path(attempt: u32, id: &str) -> String {
    format!("{}/{FAILED_FILE}", try_path(attempt, id))
}

/// Returns the plan that a result or a failure belongs to.
fn plan_of(note: &[u8]) -> Option<SuiteDigest> {
    #[derive(serde::Deserialize)]
    struct Note {
        plan: SuiteDigest,
    }
    let note: Note = serde_json::from_slice(note).ok()?;
    Some(note.plan)
}

#[cfg(test)]
mod tests;
