//! Builds suites from MiniWoB++ (the Python package `miniwob`): one task per page and seed.
//!
//! FRANZ contains no part of MiniWoB++, only the program that serves one episode of a page.

mod package;
mod written;

#[cfg(test)]
mod tests;

use std::fs;
use std::path::{Path, PathBuf};

pub use package::{MiniwobPackage, PackageError};

use crate::folder::{self, FolderError};

/// The longest time limit of an episode in seconds: a timer of a page cannot wait longer.
const LONGEST: f64 = 2_147_483.0;

/// The most seeds of each page.
const MOST_SEEDS: u32 = 1000;

/// The files that serve an episode, and its check.
const OWN_FILES: [(&str, &str); 3] = [
    ("serve.py", include_str!("../miniwob/serve.py")),
    ("episode.js", include_str!("../miniwob/episode.js")),
    ("elements.js", include_str!("../miniwob/elements.js")),
];
const CHECK: &str = include_str!("../miniwob/check.sh");

/// What to import.
#[derive(Clone, Debug, PartialEq)]
pub struct MiniwobImport {
    /// The names of the pages; empty for all.
    pub tasks: Vec<String>,
    /// How many episodes of each page: those with the seeds from 1 to this number.
    pub seeds: u32,
    /// The time limit of an episode, in seconds; `None` for never.
    pub time_limit: Option<f64>,
    /// The server that is told where each page reports its elements.
    pub oracle: Option<String>,
}

/// What was imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imported {
    /// How many pages.
    pub pages: usize,
    /// How many tasks.
    pub tasks: usize,
}

/// Why the suite was not written.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The package cannot be read.
    #[error(transparent)]
    Package(#[from] PackageError),
    /// The folder for the suite exists.
    #[error("{} exists; remove it, or give another folder with -o", folder.display())]
    Exists {
        /// The folder.
        folder: PathBuf,
    },
    /// The path cannot name a new folder.
    #[error("{} cannot be the suite's folder; give the path of a new folder with -o", folder.display())]
    NoName {
        /// The path.
        folder: PathBuf,
    },
    /// The package has no such task.
    #[error("the package has no task {name}; {}", near.as_ref().map_or_else(|| format!("it has {names}"), |near| format!("do you mean {near}?")))]
    NoTask {
        /// The name.
        name: String,
        /// The most similar name, if one is similar.
        near: Option<String>,
        /// All names, separated by commas.
        names: String,
    },
    /// The number of seeds cannot be used.
    #[error("cannot make {0} tasks from a page; give a number of seeds from 1 to {MOST_SEEDS}")]
    Seeds(u32),
    /// The time limit cannot be used.
    #[error("{0} seconds is not a valid time limit; give a number above 0, up to {LONGEST}")]
    TimeLimit(f64),
    /// The oracle's address cannot be used.
    #[error("{0:?} is not the address of a server on this machine; give http://127.0.0.1:PORT")]
    Oracle(String),
    /// The suite cannot be written.
    #[error(transparent)]
    Folder(#[from] FolderError),
}

impl MiniwobImport {
    /// Writes the suite to a new folder, or leaves none. `id` is unique to this process, and names the folder until it is
    /// complete.
    pub fn write(&self, package: &MiniwobPackage, to: &Path, id: &str) -> Result<Imported, ImportError> {
        self.check()?;
        let pages = self.pages(package)?;
        let exists = || ImportError::Exists { folder: to.to_owned() };
        if to.symlink_metadata().is_ok() {
            return Err(exists());
        }
        let Some(name) = to.file_name() else {
            return Err(ImportError::NoName { folder: to.to_owned() });
        };
        let new = to.with_file_name(format!(".{}.{id}", name.to_string_lossy()));
        let written = self.write_files(package, &pages, &new);
        // Another process may have made the folder meanwhile. A rename fails then, unless that folder is empty.
        let moved = written.and_then(|imported| {
            rename(&new, to)?;
            Ok(imported)
        });
        if moved.is_err() {
            remove(&new);
        }
        moved
    }

    /// Checks everything that does not depend on the package.
    fn check(&self) -> Result<(), ImportError> {
        if !(1..=MOST_SEEDS).contains(&self.seeds) {
            return Err(ImportError::Seeds(self.seeds));
        }
        let is_possible = |seconds: &f64| *seconds > 0.0 && *seconds <= LONGEST;
        if let Some(limit) = self.time_limit.filter(|limit| !is_possible(limit)) {
            return Err(ImportError::TimeLimit(limit));
        }
        // The address becomes part of a command, and the elements of a page stay on this machine.
        let is_here = |address: &&String| {
            let port = address.strip_prefix("http://127.0.0.1:");
            port.is_some_and(|port| port.parse::<u16>().is_ok())
        };
        match &self.oracle {
            Some(address) if !is_here(&address) => Err(ImportError::Oracle(address.clone())),
            _ => Ok(()),
        }
    }

    /// Returns the pages to import, in the package's order.
    fn pages<'p>(&self, package: &'p MiniwobPackage) -> Result<Vec<&'p str>, ImportError> {
        let all = package.pages();
        for name in &self.tasks {
            if !all.iter().any(|page| package::task_name(page) == *name) {
                return Err(unknown(name, &all));
            }
        }
        let is_chosen = |page: &&str| self.tasks.is_empty() || self.tasks.contains(&package::task_name(page));
        Ok(all.into_iter().filter(is_chosen).collect())
    }

    fn write_files(&self, package: &MiniwobPackage, pages: &[&str], to: &Path) -> Result<Imported, ImportError> {
        let files = to.join("files");
        package.write(pages, &files.join("html"))?;
        for (name, text) in OWN_FILES {
            put(&files.join(name), text.as_bytes())?;
        }
        put(&to.join("check.sh"), CHECK.as_bytes())?;
        put(&to.join(crate::SUITE_FILE), self.suite_file(pages).as_bytes())?;
        Ok(Imported {
            pages: pages.len(),
            tasks: pages.len() * self.seeds as usize,
        })
    }
}

/// Returns the error for a task that the package does not have.
fn unknown(name: &str, pages: &[&str]) -> ImportError {
    let names: Vec<String> = pages.iter().map(|page| package::task_name(page)).collect();
    let likeness = |other: &String| strsim::normalized_damerau_levenshtein(other, name);
    let near = names.iter().filter(|other| likeness(other) > 0.6);
    let near = near.max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    ImportError::NoTask {
        name: name.to_owned(),
        near: near.cloned(),
        names: names.join(", "),
    }
}

/// Writes a file, and creates its folder.
#[expect(clippy::disallowed_methods, reason = "a suite's files belong to no run")]
fn put(path: &Path, bytes: &[u8]) -> Result<(), FolderError> {
    if let Some(parent) = path.parent() {
        folder::make(parent)?;
    }
    fs::write(path, bytes).map_err(FolderError::at(path))
}

#[expect(clippy::disallowed_methods, reason = "a suite's files belong to no run")]
fn rename(from: &Path, to: &Path) -> Result<(), FolderError> {
    fs::rename(from, to).map_err(FolderError::at(to))
}

/// Removes a folder that is not finished, if there is one.
#[expect(clippy::disallowed_methods, reason = "a suite's files belong to no run")]
fn remove(folder: &Path) {
    let _ = fs::remove_dir_all(folder);
}
