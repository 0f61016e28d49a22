//! The folder of answers: `set.json` says to which set they belong, and `NAME.jsonl` holds the answers of the model
//! called NAME, below a line that describes it.
//!
//! Each answer is added immediately, in a single write, so that an interrupted measurement can continue. A last line
//! that was cut off is dropped, and its item is asked again.

use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::answer::GroundingAnswer;
use super::set::{GroundingSet, SetFile};
use crate::folder::{self, FolderError, SuiteDigest};
use crate::suite::Name;

/// The file that describes the set.
const SET_FILE: &str = "set.json";

/// The lock of the process that measures into the folder.
const LOCK_FILE: &str = "lock";

/// How the names of files with answers end.
const ENDING: &str = "jsonl";

/// The largest file of answers, and the largest description of a set, in bytes.
const MOST_BYTES: u64 = 4 << 30;

/// The version of this format.
const VERSION: u32 = 1;

/// A model, and how it was asked. Answers belong together only if all of this is the same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeasuredModel {
    /// The name in reports, which is also that of its file.
    pub name: Name,
    /// The name that its server lists.
    pub model: String,
    /// How it was asked: `turn` as in the first turn of a run, `grounder` as a run asks its grounder.
    pub asked: String,
    /// The family whose calls it is asked for.
    pub family: String,
    /// What its numbers mean.
    pub coordinates: String,
    /// Everything else that its answers depend on, by the names of settings.
    pub settings: BTreeMap<String, serde_json::Value>,
}

/// The folder of a set's answers.
#[derive(Debug)]
pub struct AnswerStore {
    folder: PathBuf,
    set: SuiteDigest,
    /// Held while answers may be added; `None` for reading only.
    _lock: Option<File>,
}

/// The answers of one model, and the file to which more are added.
#[derive(Debug)]
pub struct ModelAnswers {
    /// The model.
    pub model: MeasuredModel,
    /// The answers by the key of their item. If an item has several answers, the first one that is not a server failure
    /// counts.
    pub answers: BTreeMap<String, GroundingAnswer>,
    path: PathBuf,
}

/// Why answers cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum AnswerStoreError {
    /// The folder has answers to another set.
    #[error("{} holds answers to another set, {set}; choose another folder with -o", folder.display())]
    OtherSet {
        /// The folder.
        folder: PathBuf,
        /// The set that is there.
        set: String,
    },
    /// Answers were measured differently.
    #[error("{} holds answers that were measured differently ({differences}); choose another folder with -o, or another name for the model", file.display())]
    OtherModel {
        /// The file.
        file: PathBuf,
        /// What differs.
        differences: String,
    },
    /// Another process is measuring into the folder.
    #[error("another FRANZ process is using {}; wait for it, or choose another folder with -o", folder.display())]
    Busy {
        /// The folder.
        folder: PathBuf,
    },
    /// The folder is not empty, and has no answers.
    #[error("{} is not a folder of answers; choose a new or empty folder with -o", folder.display())]
    Foreign {
        /// The folder.
        folder: PathBuf,
    },
    /// A line cannot be read.
    #[error("{}, line {line}: {problem}; remove the line to ask its item again", file.display())]
    Line {
        /// The file.
        file: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        problem: String,
    },
    /// A file cannot be read or written.
    #[error(transparent)]
    Folder(#[from] FolderError),
}

/// The contents of `set.json`.
#[derive(Serialize, Deserialize)]
struct StoredSet {
    v: u32,
    digest: SuiteDigest,
    files: Vec<SetFile>,
}

/// The first line of a file of answers.
#[derive(Serialize, Deserialize)]
struct Header {
    v: u32,
    set: SuiteDigest,
    #[serde(flatten)]
    model: MeasuredModel,
}

impl AnswerStore {
    /// Opens the folder to add answers to this set. Creates it if it does not exist.
    #[expect(clippy::disallowed_methods, reason = "answers belong to no run")]
    pub fn open(folder: &Path, set: &GroundingSet) -> Result<AnswerStore, AnswerStoreError> {
        let file = folder.join(SET_FILE);
        if !file.exists() && has_files(folder) {
            return Err(AnswerStoreError::Foreign {
                folder: folder.to_owned(),
            });
        }
        folder::make(folder)?;
        let path = folder.join(LOCK_FILE);
        let lock = File::create(&path).map_err(FolderError::at(&path))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(AnswerStoreError::Busy {
                    folder: folder.to_owned(),
                });
            }
            // Some network file systems lock nothing.
            Err(TryLockError::Error(error)) => return Err(FolderError::at(&path)(error).into()),
        }
        if file.exists() {
            same_set(folder, set)?;
        } else {
            let stored = StoredSet {
                v: VERSION,
                digest: set.digest.clone(),
                files: set.files.clone(),
            };
            folder::replace(&folder.join(SET_FILE), json_line(&stored).as_bytes(), "set")?;
        }
        Ok(AnswerStore {
            folder: folder.to_owned(),
            set: set.digest.clone(),
            _lock: Some(lock),
        })
    }

    /// Opens the folder to read the answers to this set.
    pub fn read(folder: &Path, set: &GroundingSet) -> Result<AnswerStore, AnswerStoreError> {
        same_set(folder, set)?;
        Ok(AnswerStore {
            folder: folder.to_owned(),
            set: set.digest.clone(),
            _lock: None,
        })
    }

    /// Returns the answers of a model so far, to add more. Refuses answers that were measured differently.
    pub fn model(&self, model: &MeasuredModel) -> Result<ModelAnswers, AnswerStoreError> {
        let path = self.folder.join(format!("{}.{ENDING}", model.name));
        if path.exists()
            && let Some(there) = self.read_file(&path)?
        {
            if there.model != *model {
                return Err(AnswerStoreError::OtherModel {
                    file: path,
                    differences: differences(&there.model, model),
                });
            }
            drop_cut_line(&path).map_err(FolderError::at(&path))?;
            return Ok(there);
        }
        let header = Header {
            v: VERSION,
            set: self.set.clone(),
            model: model.clone(),
        };
        folder::replace(&path, json_line(&header).as_bytes(), "model")?;
        Ok(ModelAnswers {
            model: model.clone(),
            answers: BTreeMap::new(),
            path,
        })
    }

    /// Returns the answers of every model, sorted by name.
    pub fn models(&self) -> Result<Vec<ModelAnswers>, AnswerStoreError> {
        let mut files: Vec<PathBuf> = fs::read_dir(&self.folder)
            .and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>())
            .map_err(FolderError::at(&self.folder))?;
        files.retain(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            path.extension().is_some_and(|end| end == ENDING) && !name.starts_with('.')
        });
        files.sort();
        let mut models = Vec::new();
        for file in files {
            models.extend(self.read_file(&file)?);
        }
        Ok(models)
    }

    /// Reads a file of answers; `None` if not even its first line is complete.
    fn read_file(&self, path: &Path) -> Result<Option<ModelAnswers>, AnswerStoreError> {
        let bytes = folder::read(path, MOST_BYTES)?;
        let wrong = |line: usize, problem: &dyn std::fmt::Display| AnswerStoreError::Line {
            file: path.to_owned(),
            line,
            problem: problem.to_string(),
        };
        let mut lines = bytes
            .split_inclusive(|byte| *byte == b'\n')
            .filter(|line| line.ends_with(b"\n"))
            .zip(1..);
        let Some((first, _)) = lines.next() else {
            return Ok(None);
        };
        let header: Header = serde_json::from_slice(first).map_err(|error| wrong(1, &error))?;
        if header.v != VERSION {
            let problem = format!(
                "version {} is unknown to this FRANZ, which reads version {VERSION}",
                header.v
            );
            return Err(wrong(1, &problem));
        }
        if header.set != self.set {
            return Err(AnswerStoreError::OtherSet {
                folder: self.folder.clone(),
                set: format!("in {}", path.display()),
            });
        }
        let mut read = ModelAnswers {
            model: header.model,
            answers: BTreeMap::new(),
            path: path.to_owned(),
        };
        for (line, number) in lines {
            read.keep(serde_json::from_slice(line).map_err(|error| wrong(number, &error))?);
        }
        Ok(Some(read))
    }
}

impl ModelAnswers {
    /// Adds an answer, in memory and at the end of the file.
    #[expect(clippy::disallowed_methods, reason = "answers belong to no run")]
    pub fn add(&mut self, answer: GroundingAnswer) -> Result<(), AnswerStoreError> {
        let line = json_line(&answer);
        File::options()
            .append(true)
            .open(&self.path)
            .and_then(|file| append(&file, |mut file| file.write_all(line.as_bytes())))
            .map_err(FolderError::at(&self.path))?;
        self.keep(answer);
        Ok(())
    }

    /// Returns whether an item has an answer, or else must be asked.
    pub fn has(&self, item: &str) -> bool {
        self.answers.get(item).is_some_and(|answer| answer.outcome.is_answer())
    }

    fn keep(&mut self, answer: GroundingAnswer) {
        if !self.has(&answer.item) {
            self.answers.insert(answer.item.clone(), answer);
        }
    }
}

/// Adds to the end of a file. If that fails, nothing of it stays, because the next line would follow it.
fn append(file: &File, write: impl FnOnce(&File) -> io::Result<()>) -> io::Result<()> {
    let before = file.metadata()?.len();
    write(file).inspect_err(|_| {
        // If this fails, too, the next start drops the line, or names it.
        let _ = file.set_len(before);
    })
}

/// Returns whether the folder has files that are not left from an interrupted start.
fn has_files(folder: &Path) -> bool {
    let is_left = |name: &str| name == LOCK_FILE || name.starts_with('.');
    let Ok(entries) = fs::read_dir(folder) else {
        return false;
    };
    entries
        .flatten()
        .any(|entry| !entry.file_name().to_str().is_some_and(is_left))
}

/// Checks that the folder is for this set.
fn same_set(folder: &Path, set: &GroundingSet) -> Result<(), AnswerStoreError> {
    let file = folder.join(SET_FILE);
    let bytes = folder::read(&file, MOST_BYTES)?;
    let stored: StoredSet = serde_json::from_slice(&bytes).map_err(|error| AnswerStoreError::Line {
        file,
        line: error.line(),
        problem: error.to_string(),
    })?;
    if stored.digest == set.digest {
        return Ok(());
    }
    let files = stored.files.iter();
    let files: Vec<String> = files
        .map(|file| format!("{} with {} items", file.name, file.items))
        .collect();
    Err(AnswerStoreError::OtherSet {
        folder: folder.to_owned(),
        set: files.join(" and "),
    })
}

/// Removes an incomplete last line.
#[expect(clippy::disallowed_methods, reason = "answers belong to no run")]
fn drop_cut_line(path: &Path) -> io::Result<()> {
    let bytes = fs::read(path)?;
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    if whole < bytes.len() {
        File::options().write(true).open(path)?.set_len(whole as u64)?;
    }
    Ok(())
}

/// Describes the differences between two models.
fn differences(there: &MeasuredModel, now: &MeasuredModel) -> String {
    let mut words = Vec::new();
    let mut compare = |name: &str, there: &str, now: &str| {
        if there != now {
            words.push(format!("{name} {there}, now {now}"));
        }
    };
    compare("model", &there.model, &now.model);
    compare("asked as", &there.asked, &now.asked);
    compare("family", &there.family, &now.family);
    compare("coordinates", &there.coordinates, &now.coordinates);
    let names = there.settings.keys().chain(now.settings.keys());
    for name in names.collect::<std::collections::BTreeSet<_>>() {
        let value = |model: &MeasuredModel| model.settings.get(name).map_or("unset".to_owned(), ToString::to_string);
        compare(name, &value(there), &value(now));
    }
    words.join("; ")
}

fn json_line(value: &impl Serialize) -> String {
    // Everything that is stored has names as keys and finite numbers.
    serde_json::to_string(value).unwrap_or_default() + "\n"
}

#[cfg(test)]
mod tests;
