//! Simulates, in tests, a disk that is full for certain files. Requires the `faults` feature.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};

use crate::unfinished;

static FULL: LazyLock<Mutex<HashSet<PathBuf>>> = LazyLock::new(Mutex::default);

/// Makes the disk appear full whenever the file at `path` is opened for writing, until [`make_room`] is called. `.tmp`
/// after a name stands for all new versions of that file.
pub fn fill_disk(path: &Path) {
    FULL.lock()
        .unwrap_or_else(PoisonError::into_inner)
        .insert(path.to_owned());
}

/// Makes the disk accept the file at `path` again.
pub fn make_room(path: &Path) {
    FULL.lock().unwrap_or_else(PoisonError::into_inner).remove(path);
}

pub(crate) fn is_full(path: &Path) -> bool {
    let target = path.file_name().and_then(|name| unfinished::target(name.to_str()?));
    let path = target.map_or_else(|| path.to_owned(), |name| path.with_file_name(format!("{name}.tmp")));
    FULL.lock().unwrap_or_else(PoisonError::into_inner).contains(&path)
}
