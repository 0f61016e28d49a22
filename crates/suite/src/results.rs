//! The folder of results: `attempt_NNNN/try_ID/`, and `attempt_NNNN/result.json`.
//!
//! A try is prepared elsewhere, copied under a name that readers skip, and appears under its own name in one step. Its
//! `result.json` then gets a second name in the attempt's folder. The first try to get it is the result; a later one is
//! kept and marked as `duplicate`. There are no locks: any number of processes, on any number of machines, may publish
//! and gather at once.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use crate::folder::{self, FolderError, SuiteDigest};
use crate::plan::{AttemptPlan, PLAN_FILE, PlanError};
use crate::result::AttemptResult;
use crate::suite::own_files_of_servers;

/// The name of a result in its try and in its attempt.
pub const RESULT_FILE: &str = "result.json";

/// The name of a failed try's reason.
pub const FAILED_FILE: &str = "failed.json";

/// The name of the mark of a try that came too late.
const DUPLICATE_FILE: &str = "duplicate";

/// The folder with the suite's files.
pub const SUITE_FOLDER: &str = "suite";

/// The file with all results, one line each.
pub const RESULTS_FILE: &str = "results.jsonl";

/// The largest plan and the largest result in bytes.
const MOST_PLAN_BYTES: u64 = 4 << 30;
const MOST_RESULT_BYTES: u64 = 1 << 20;

/// Why results cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The folder has no plan.
    #[error("{} has no {PLAN_FILE}; make one: franz suite plan SUITE -o {}", folder.display(), folder.display())]
    NoPlan {
        /// The folder.
        folder: PathBuf,
    },
    /// The folder has another plan.
    #[error("{} already holds another plan, of the suite {suite} with {attempts} attempts; choose another folder with -o", folder.display())]
    OtherPlan {
        /// The folder.
        folder: PathBuf,
        /// The suite of the plan that is there.
        suite: String,
        /// Its number of attempts.
        attempts: usize,
    },
    /// A result belongs to another plan.
    #[error("{} is the result of another plan; results of two plans cannot be mixed, so move it out of the folder", file.display())]
    OtherResult {
        /// The result.
        file: PathBuf,
    },
    /// The folder holds the files of another suite.
    #[error("{} holds the files of another suite; remove it, or choose another folder with -o", folder.display())]
    OtherSuite {
        /// The folder with the files.
        folder: PathBuf,
    },
    /// A result cannot be read.
    #[error("{} cannot be read: {problem}", file.display())]
    BadResult {
        /// The result.
        file: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// The plan cannot be read.
    #[error("{}: {source}", folder.display())]
    Plan {
        /// The folder.
        folder: PathBuf,
        /// What is wrong with it.
        source: PlanError,
    },
    /// A file or folder cannot be read or written.
    #[error(transparent)]
    Folder(#[from] FolderError),
}

/// A folder with a plan and the results of its attempts.
#[derive(Clone, Debug)]
pub struct ResultStore {
    folder: PathBuf,
    digest: SuiteDigest,
}

/// What publishing a try did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Publication {
    /// It is the attempt's result.
    First,
    /// The attempt had a result already.
    Duplicate,
}

impl ResultStore {
    /// Puts a plan and its suite's files into a folder, which is created. The same plan may be put there again.
    pub fn create(folder: &Path, plan: &AttemptPlan, suite: &Path) -> Result<ResultStore, StoreError> {
        let text = plan.to_jsonl().map_err(|source| plan_error(folder, source))?;
        let file = folder.join(PLAN_FILE);
        if file.exists() {
            let (there, old) = open(folder)?;
            if there.digest == AttemptPlan::digest_of(&text) {
                return Ok(there);
            }
            return Err(StoreError::OtherPlan {
                folder: folder.to_owned(),
                suite: old.header.suite.to_string(),
                attempts: old.attempts.len(),
            });
        }
        folder::make(folder)?;
        let attempts = attempt_folders(folder)?;
        if let Some(name) = attempts.first() {
            return Err(StoreError::OtherResult {
                file: folder.join(name),
            });
        }
        let copy = folder.join(SUITE_FOLDER);
        folder::copy(suite, &copy)?;
        let without = own_files_of_servers(&plan.header.models, &copy);
        if folder::digest(&copy, &without)? != plan.header.digest {
            return Err(StoreError::OtherSuite { folder: copy });
        }
        put(folder, PLAN_FILE, text.as_bytes(), "plan")?;
        Ok(ResultStore {
            folder: folder.to_owned(),
            digest: AttemptPlan::digest_of(&text),
        })
    }

    /// Opens a folder with a plan.
    pub fn open(folder: &Path) -> Result<(ResultStore, AttemptPlan), StoreError> {
        open(folder)
    }

    /// Returns the folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the folder with the suite's files.
    pub fn suite_folder(&self) -> PathBuf {
        self.folder.join(SUITE_FOLDER)
    }

    /// Returns the digest of the plan's text.
    pub fn plan_digest(&self) -> &SuiteDigest {
        &self.digest
    }

    /// Returns whether the attempt has a result.
    pub fn has(&self, attempt: u32) -> bool {
        self.result_path(attempt).exists()
    }

    /// Returns the folder of a try.
    pub fn try_folder(&self, attempt: u32, id: &str) -> PathBuf {
        self.folder.join(attempt_name(attempt)).join(format!("try_{id}"))
    }

    /// Publishes a finished try: copies the files of `prepared`, and makes its result the attempt's result unless there
    /// is one.
    pub fn publish(&self, result: &AttemptResult, prepared: &Path) -> Result<Publication, StoreError> {
        let json = to_json(result, &self.result_path(result.attempt.attempt))?;
        self.publish_try(result.attempt.attempt, &result.r#try, RESULT_FILE, &json, prepared)?;
        self.link(result.attempt.attempt, &result.r#try)
    }

    /// Publishes a try that says nothing about the model or the task, for example because the server went away. It does
    /// not count as a result.
    pub fn publish_failure(&self, attempt: u32, id: &str, why: &str, prepared: &Path) -> Result<(), StoreError> {
        let json = serde_json::json!({ "v": 1, "plan": self.digest, "attempt": attempt, "why": why });
        self.publish_try(attempt, id, FAILED_FILE, json.to_string().as_bytes(), prepared)
    }

    /// Links every published try that was cut off before it could become its attempt's result. Returns how many results
    /// were found this way.
    pub fn mend(&self) -> Result<usize, StoreError> {
        let mut mended = 0;
        for name in attempt_folders(&self.folder)? {
            let Some(attempt) = attempt_number(&name) else { continue };
            for id in try_ids(&self.folder.join(&name))? {
                let has_result = self.try_folder(attempt, &id).join(RESULT_FILE).exists();
                let was_there = self.has(attempt);
                if has_result && self.link(attempt, &id)? == Publication::First && !was_there {
                    mended += 1;
                }
            }
        }
        Ok(mended)
    }

    /// Copies the tries of another folder with the same plan, such as one on a node's own disk. Returns how many were
    /// new.
    ///
    /// The `id` keeps two gatherers apart that copy the same try at once.
    pub fn take_from(&self, other: &ResultStore, id: &str) -> Result<usize, StoreError> {
        if other.digest != self.digest {
            let (_, plan) = open(&other.folder)?;
            return Err(StoreError::OtherPlan {
                folder: other.folder.clone(),
                suite: plan.header.suite.to_string(),
                attempts: plan.attempts.len(),
            });
        }
        let mut taken = 0;
        for name in attempt_folders(&other.folder)? {
            let Some(attempt) = attempt_number(&name) else { continue };
            for found in try_ids(&other.folder.join(&name))? {
                if !self.try_folder(attempt, &found).exists() {
                    taken += usize::from(self.adopt(attempt, &found, &other.try_folder(attempt, &found), id)?);
                }
            }
        }
        Ok(taken)
    }

    /// Returns the attempts in `plan` that have no result.
    pub fn missing(&self, plan: &AttemptPlan) -> Result<Vec<u32>, StoreError> {
        let there = self.numbers_with_results()?;
        let all = plan.attempts.iter().map(|attempt| attempt.attempt);
        Ok(all.filter(|attempt| !there.contains(attempt)).collect())
    }

    /// Returns every result, in the order of the plan. Refuses results of another plan.
    pub fn results(&self) -> Result<Vec<AttemptResult>, StoreError> {
        let there = self.numbers_with_results()?;
        there.into_iter().map(|attempt| self.result(attempt)).collect()
    }

    /// Returns the result of an attempt.
    pub fn result(&self, attempt: u32) -> Result<AttemptResult, StoreError> {
        let file = self.result_path(attempt);
        let bytes = folder::read(&file, MOST_RESULT_BYTES)?;
        let bad = |problem: String| StoreError::BadResult {
            file: file.clone(),
            problem,
        };
        let result: AttemptResult = serde_json::from_slice(&bytes).map_err(|error| bad(error.to_string()))?;
        if result.plan != self.digest {
            return Err(StoreError::OtherResult { file });
        }
        if result.attempt.attempt != attempt {
            return Err(bad(format!("it is the result of attempt {}", result.attempt.attempt)));
        }
        Ok(result)
    }

    /// Returns how many tries of an attempt failed.
    pub fn failures(&self, attempt: u32) -> Result<usize, StoreError> {
        let folder = self.folder.join(attempt_name(attempt));
        if !folder.exists() {
            return Ok(0);
        }
        let ids = try_ids(&folder)?;
        let failed = |id: &&String| self.try_folder(attempt, id).join(FAILED_FILE).exists();
        Ok(ids.iter().filter(failed).count())
    }

    /// Returns why one of an attempt's tries failed; `None` if none did.
    pub fn last_failure(&self, attempt: u32) -> Result<Option<String>, StoreError> {
        #[derive(serde::Deserialize)]
        struct Failure {
            why: String,
        }
        let folder = self.folder.join(attempt_name(attempt));
        if !folder.exists() {
            return Ok(None);
        }
        for id in try_ids(&folder)?.iter().rev() {
            let file = self.try_folder(attempt, id).join(FAILED_FILE);
            if !file.exists() {
                continue;
            }
            let bytes = folder::read(&file, MOST_RESULT_BYTES)?;
            let failure: Failure = serde_json::from_slice(&bytes).map_err(|error| StoreError::BadResult {
                file: file.clone(),
                problem: error.to_string(),
            })?;
            return Ok(Some(failure.why));
        }
        Ok(None)
    }

    /// Writes all results to `results.jsonl`, in one step. Returns them.
    pub fn write_results(&self, id: &str) -> Result<Vec<AttemptResult>, StoreError> {
        let results = self.results()?;
        let mut text = Vec::new();
        for result in &results {
            text.extend(to_json(result, &self.folder.join(RESULTS_FILE))?);
            text.push(b'\n');
        }
        put(&self.folder, RESULTS_FILE, &text, id)?;
        Ok(results)
    }

    fn numbers_with_results(&self) -> Result<BTreeSet<u32>, StoreError> {
        let numbers = attempt_folders(&self.folder)?
            .into_iter()
            .filter_map(|name| attempt_number(&name));
        Ok(numbers.filter(|attempt| self.has(*attempt)).collect())
    }

    fn result_path(&self, attempt: u32) -> PathBuf {
        self.folder.join(attempt_name(attempt)).join(RESULT_FILE)
    }

    /// Makes the try's folder appear in one step, with everything in it.
    #[expect(clippy::disallowed_methods, reason = "results belong to no run")]
    fn publish_try(&self, attempt: u32, id: &str, name: &str, json: &[u8], prepared: &Path) -> Result<(), StoreError> {
        let folder = self.folder.join(attempt_name(attempt));
        let unfinished = folder.join(format!(".try_{id}"));
        folder::copy(prepared, &unfinished)?;
        put(&unfinished, name, json, id)?;
        let finished = folder.join(format!("try_{id}"));
        fs::rename(&unfinished, &finished).map_err(FolderError::at(&finished))?;
        Ok(())
    }

    /// Copies another folder's try. Returns `false` if it is not complete.
    #[expect(clippy::disallowed_methods, reason = "results belong to no run")]
    fn adopt(&self, attempt: u32, id: &str, from: &Path, gatherer: &str) -> Result<bool, StoreError> {
        let folder = self.folder.join(attempt_name(attempt));
        let finished = folder.join(format!("try_{id}"));
        let unfinished = folder.join(format!(".try_{id}.{gatherer}"));
        folder::copy(from, &unfinished)?;
        match fs::rename(&unfinished, &finished) {
            Ok(()) => {}
            Err(_) if finished.exists() => {
                fs::remove_dir_all(&unfinished).map_err(FolderError::at(&unfinished))?;
                return Ok(false);
            }
            Err(error) => return Err(FolderError::at(&finished)(error).into()),
        }
        if finished.join(RESULT_FILE).exists() {
            self.link(attempt, id)?;
        }
        Ok(true)
    }

    /// Makes a published try the attempt's result, unless there is one.
    #[expect(clippy::disallowed_methods, reason = "results belong to no run")]
    fn link(&self, attempt: u32, id: &str) -> Result<Publication, StoreError> {
        let folder = self.try_folder(attempt, id);
        let (own, whole) = (folder.join(RESULT_FILE), self.result_path(attempt));
        match fs::hard_link(&own, &whole) {
            Ok(()) => Ok(Publication::First),
            // A network file system may report an error although it made the link.
            Err(_) if same_file(&own, &whole) => Ok(Publication::First),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                let mark = folder.join(DUPLICATE_FILE);
                fs::write(&mark, "").map_err(FolderError::at(&mark))?;
                Ok(Publication::Duplicate)
            }
            Err(error) => Err(FolderError::at(&whole)(error).into()),
        }
    }
}

fn open(folder: &Path) -> Result<(ResultStore, AttemptPlan), StoreError> {
    let file = folder.join(PLAN_FILE);
    if !file.exists() {
        return Err(StoreError::NoPlan {
            folder: folder.to_owned(),
        });
    }
    let bytes = folder::read(&file, MOST_PLAN_BYTES)?;
    let text = String::from_utf8(bytes).map_err(|_| FolderError::NotText { path: file })?;
    let plan = AttemptPlan::parse(&text).map_err(|source| plan_error(folder, source))?;
    let digest = AttemptPlan::digest_of(&text);
    let folder = folder.to_owned();
    Ok((ResultStore { folder, digest }, plan))
}

fn plan_error(folder: &Path, source: PlanError) -> StoreError {
    StoreError::Plan {
        folder: folder.to_owned(),
        source,
    }
}

fn to_json(result: &AttemptResult, file: &Path) -> Result<Vec<u8>, StoreError> {
    serde_json::to_vec(result).map_err(|error| StoreError::BadResult {
        file: file.to_owned(),
        problem: error.to_string(),
    })
}

/// Returns the name of an attempt's folder.
fn attempt_name(attempt: u32) -> String {
    format!("attempt_{attempt:04}")
}

fn attempt_number(name: &str) -> Option<u32> {
    let attempt = name.strip_prefix("attempt_")?.parse().ok()?;
    (attempt_name(attempt) == name).then_some(attempt)
}

/// Returns the names of the folders of attempts.
fn attempt_folders(folder: &Path) -> Result<Vec<String>, FolderError> {
    let mut names = names(folder)?;
    names.retain(|name| attempt_number(name).is_some());
    Ok(names)
}

/// Returns the identities of the published tries of an attempt, in a fixed order.
fn try_ids(attempt: &Path) -> Result<Vec<String>, FolderError> {
    let names = names(attempt)?;
    Ok(names
        .iter()
        .filter_map(|name| Some(name.strip_prefix("try_")?.to_owned()))
        .collect())
}

fn names(folder: &Path) -> Result<Vec<String>, FolderError> {
    let entries = fs::read_dir(folder).map_err(FolderError::at(folder))?;
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.map_err(FolderError::at(folder))?;
        names.extend(entry.file_name().to_str().map(str::to_owned));
    }
    names.sort_unstable();
    Ok(names)
}

/// Writes a file in one step. The `id` keeps two writers apart.
#[expect(clippy::disallowed_methods, reason = "results belong to no run")]
pub(crate) fn put(folder: &Path, name: &str, bytes: &[u8], id: &str) -> Result<(), FolderError> {
    let (unfinished, finished) = (folder.join(format!(".{name}.{id}")), folder.join(name));
    let written = || -> io::Result<()> {
        let mut file = fs::File::create(&unfinished)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&unfinished, &finished)
    }();
    if written.is_err() {
        // The first error is the one to report.
        let _ = fs::remove_file(&unfinished);
    }
    written.map_err(FolderError::at(&finished))
}

#[cfg(unix)]
fn same_file(a: &Path, b: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let id = |path: &Path| {
        fs::symlink_metadata(path)
            .ok()
            .map(|status| (status.dev(), status.ino()))
    };
    id(a).is_some_and(|own| id(b) == Some(own))
}

#[cfg(not(unix))]
fn same_file(_: &Path, _: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests;
