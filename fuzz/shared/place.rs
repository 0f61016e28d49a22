//! A directory for an input's files.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

thread_local! {
    static DIRECTORY: RefCell<Option<PathBuf>> = const { RefCell::new(None) };
}

/// Writes the files to a directory, in memory if possible, and passes the directory to `look`.
pub fn with(files: &[(&str, &[u8])], look: impl FnOnce(&Path)) {
    DIRECTORY.with_borrow_mut(|directory| {
        let directory = directory.get_or_insert_with(made);
        for (name, bytes) in files {
            std::fs::write(directory.join(name), bytes).expect("a directory that can be written");
        }
        look(directory);
    });
}

fn made() -> PathBuf {
    let memory = Path::new("/dev/shm");
    let parent = if memory.is_dir() {
        memory.to_owned()
    } else {
        std::env::temp_dir()
    };
    let directory = parent.join(format!("franz-fuzz-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a place for a directory");
    directory
}
