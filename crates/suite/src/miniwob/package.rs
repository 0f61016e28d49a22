//! The Python package `miniwob`: its pages, from a wheel or from a folder.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use zip::ZipArchive;
use zip::result::ZipError;

use super::put;
use crate::folder::{self, FolderError};

/// The folder with all pages, in a wheel and in the folder of installed packages.
const PAGES: &str = "miniwob/html/";

/// The script that every page includes, below the folder with all pages.
const CORE: &str = "core/core.js";

/// The most files and bytes of a package; that of MiniWoB++ 1.1 has 360 files and 6 MB.
const MOST_FILES: usize = 10_000;
const MOST_BYTES: u64 = 256 << 20;

/// The files below the folder with all pages, by their paths in it.
#[derive(Clone, PartialEq, Eq)]
pub struct MiniwobPackage {
    files: BTreeMap<String, Vec<u8>>,
}

/// Why a package cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum PackageError {
    /// There is nothing there, or it cannot be read.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The file is not a zip archive.
    #[error("{} is not a wheel ({source}); get one with: pip download --no-deps miniwob", file.display())]
    NoWheel {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        source: ZipError,
    },
    /// There are no pages of MiniWoB++.
    #[error("there are no pages of MiniWoB++ in {} (no {PAGES}{CORE}); get them with: pip download --no-deps miniwob", path.display())]
    NoPages {
        /// The file or folder.
        path: PathBuf,
    },
    /// It is too large.
    #[error("{} has more than {MOST_FILES} files or more than {} MB; is it MiniWoB++?", path.display(), MOST_BYTES >> 20)]
    TooLarge {
        /// The file or folder.
        path: PathBuf,
    },
}

impl MiniwobPackage {
    /// Reads a wheel, an unpacked wheel, the package's folder, or the folder of pages.
    pub fn read(path: &Path) -> Result<MiniwobPackage, PackageError> {
        let status = path.metadata().map_err(FolderError::at(path))?;
        let files = if status.is_dir() {
            let places = [path.join(PAGES), path.join("html"), path.to_owned()];
            let pages = places.iter().find(|place| place.join(CORE).is_file());
            let pages = pages.ok_or_else(|| PackageError::NoPages { path: path.to_owned() })?;
            of_folder(pages)?
        } else {
            of_wheel(path)?
        };
        let package = MiniwobPackage { files };
        if !package.files.contains_key(CORE) || package.pages().is_empty() {
            return Err(PackageError::NoPages { path: path.to_owned() });
        }
        Ok(package)
    }

    /// Returns the pages that are tasks, as their paths without `.html`, in order.
    pub fn pages(&self) -> Vec<&str> {
        let pages = self.files.keys().filter_map(|path| path.strip_suffix(".html"));
        pages.filter(|page| is_task(page)).collect()
    }

    /// Writes these pages, and whatever pages share.
    pub(super) fn write(&self, pages: &[&str], to: &Path) -> Result<(), FolderError> {
        let has_flights = pages.iter().any(|page| page.starts_with("flight/"));
        for (path, bytes) in &self.files {
            let is_needed = match path.split_once('/') {
                Some(("core" | "common", _)) => true,
                Some(("flight", _)) => has_flights,
                _ => path.strip_suffix(".html").is_some_and(|page| pages.contains(&page)),
            };
            if is_needed {
                put(&to.join(path), bytes)?;
            }
        }
        Ok(())
    }
}

/// Returns whether a page is a task: all in the folder `miniwob`, and one for each airline. Names become parts of
/// commands, so those with other characters are left out.
fn is_task(page: &str) -> bool {
    let is_plain = |name: &str| {
        name.bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
    };
    match page.split('/').collect::<Vec<_>>()[..] {
        ["miniwob", name] => is_plain(name) && name.starts_with(|first: char| first.is_ascii_alphanumeric()),
        ["flight", airline, "wrapper"] => is_plain(airline),
        _ => false,
    }
}

/// Returns the name of a page's task.
pub(super) fn task_name(page: &str) -> String {
    let name = page.strip_prefix("miniwob/").unwrap_or(page);
    let name = name.trim_end_matches("/wrapper").replace('/', ".");
    name.to_ascii_lowercase()
}

fn of_wheel(path: &Path) -> Result<BTreeMap<String, Vec<u8>>, PackageError> {
    let failed = |source: ZipError| PackageError::NoWheel {
        file: path.to_owned(),
        source,
    };
    let mut archive = ZipArchive::new(open(path)?).map_err(failed)?;
    let (mut files, mut left) = (BTreeMap::new(), MOST_BYTES);
    for index in 0..archive.len() {
        let entry = archive.by_index(index).map_err(failed)?;
        let name = entry.name().map_err(failed)?.strip_prefix(PAGES).map(str::to_owned);
        let Some(name) = name.filter(|name| entry.is_file() && folder::is_inside(name)) else {
            continue;
        };
        let mut bytes = Vec::new();
        let count = entry
            .take(left + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| failed(error.into()))?;
        files.insert(name, bytes);
        left = left
            .checked_sub(count as u64)
            .filter(|_| files.len() <= MOST_FILES)
            .ok_or_else(|| PackageError::TooLarge { path: path.to_owned() })?;
    }
    Ok(files)
}

fn of_folder(path: &Path) -> Result<BTreeMap<String, Vec<u8>>, PackageError> {
    let (mut files, mut left) = (BTreeMap::new(), MOST_BYTES);
    for name in folder::paths(path)? {
        let bytes = folder::read(&path.join(&name), left)?;
        left -= bytes.len() as u64;
        files.insert(name, bytes);
        if files.len() > MOST_FILES {
            return Err(PackageError::TooLarge { path: path.to_owned() });
        }
    }
    Ok(files)
}

#[expect(clippy::disallowed_methods, reason = "a package's files belong to no run")]
fn open(path: &Path) -> Result<io::BufReader<File>, FolderError> {
    File::open(path).map(io::BufReader::new).map_err(FolderError::at(path))
}
