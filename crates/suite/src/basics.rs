//! The suite that comes with FRANZ.

use std::fs;
use std::path::Path;

use include_dir::{Dir, include_dir};

use crate::folder::{self, FolderError};

/// The name that commands accept.
pub const NAME: &str = "basics";

static FILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/basics");

/// Writes its files to a folder, which is created.
pub fn write(to: &Path) -> Result<(), FolderError> {
    folder::make(to)?;
    write_folder(&FILES, to)
}

#[expect(clippy::disallowed_methods, reason = "a suite's files belong to no run")]
fn write_folder(from: &Dir<'_>, to: &Path) -> Result<(), FolderError> {
    for file in from.files() {
        let path = to.join(file.path());
        fs::write(&path, file.contents()).map_err(FolderError::at(&path))?;
    }
    for below in from.dirs() {
        folder::make(&to.join(below.path()))?;
        write_folder(below, to)?;
    }
    Ok(())
}
