//! The settings files that the person trusts in full, each identified by its path and by its bytes when it was trusted.

use franz_home::{Home, unfinished};
use serde::{Deserialize, Serialize};

use crate::config::settings_file::FileRead;
use crate::state_folder::{self, StateError, unusable};

/// The folder in the state folder, with one entry for each trusted file.
const TRUSTED: &str = "trusted";

const MOST_BYTES: u64 = 64 << 10;

#[derive(Serialize, Deserialize)]
struct Entry {
    path: String,
    sha256: String,
}

/// Checks whether the person trusts exactly this version of the file.
pub(crate) fn has(file: &FileRead) -> bool {
    let path = file.path.to_str();
    let entry = || read(&state_folder::look(TRUSTED)?, &name(path?));
    entry().is_some_and(|entry| Some(entry.path.as_str()) == path && entry.sha256 == file.digest)
}

/// Remembers that the person trusts this file. An earlier version at the same path is no longer trusted.
pub(crate) fn remember(file: &FileRead) -> Result<(), StateError> {
    let path = file
        .path
        .to_str()
        .ok_or_else(|| unusable("its path is not valid UTF-8"))?;
    let entry = Entry {
        path: path.to_owned(),
        sha256: file.digest.clone(),
    };
    let text = toml::to_string(&entry).map_err(unusable)?;
    let folder = state_folder::make(TRUSTED)?;
    folder.replace(&name(path), text.as_bytes(), false).map_err(unusable)
}

/// Stops trusting the file at a path. Returns `false` if it was not trusted.
pub(crate) fn forget(path: &str) -> Result<bool, StateError> {
    let Some(folder) = state_folder::look(TRUSTED) else {
        return Ok(false);
    };
    if read(&folder, &name(path)).is_none() {
        return Ok(false);
    }
    folder.remove(&name(path)).map_err(unusable)?;
    Ok(true)
}

/// Returns all trusted files, by path.
pub(crate) fn list() -> Vec<FileRead> {
    let Some(folder) = state_folder::look(TRUSTED) else {
        return Vec::new();
    };
    let names = folder.names().unwrap_or_default();
    // A process that was killed can have left an unfinished entry.
    let names = names.iter().filter(|name| unfinished::target(name).is_none());
    let entries = names.filter_map(|name| read(&folder, name));
    let mut files: Vec<FileRead> = entries
        .map(|entry| FileRead {
            path: entry.path.into(),
            digest: entry.sha256,
        })
        .collect();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

fn read(folder: &Home, name: &str) -> Option<Entry> {
    let bytes = folder.read_own(name, MOST_BYTES).ok()?;
    toml::from_str(std::str::from_utf8(&bytes).ok()?).ok()
}

fn name(path: &str) -> String {
    format!("{}.toml", franz_record::digest::sha256_hex(path.as_bytes()))
}
