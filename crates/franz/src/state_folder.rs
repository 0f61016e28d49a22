//! The person's state folder, where FRANZ keeps its data besides the runs. Neither runs nor downloaded directories can
//! write to it.
//!
//! Commands examine the folder itself, not all of its contents: it also holds the runs of MCP hosts and, on macOS, the
//! person's settings, which can be links. They check each entry when they read it.

use std::path::PathBuf;

use franz_home::Home;

/// The variables that say where the folder is.
const VARIABLES: &str = if cfg!(windows) {
    "LOCALAPPDATA"
} else {
    "HOME or XDG_STATE_HOME"
};

/// The reason why the folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StateError {
    #[error("there is no folder for it; set {VARIABLES}")]
    Nowhere,
    #[error("{0}")]
    Unusable(String),
}

/// Returns the subfolder with this name in the state folder; creates it if it is missing.
pub(crate) fn make(name: &str) -> Result<Home, StateError> {
    let path = path().ok_or(StateError::Nowhere)?;
    let whole = if path.symlink_metadata().is_ok() {
        Home::claim_itself(&path)
    } else {
        Home::create(&path)
    };
    let whole = whole.map_err(unusable)?;
    let there = whole.path_of(name).symlink_metadata().is_ok();
    let folder = if there {
        whole.open_directory_itself(name)
    } else {
        whole.create_directory(name)
    };
    folder.map_err(unusable)
}

/// Returns the subfolder with this name in the state folder, if it exists and no other user could have written to it.
pub(crate) fn look(name: &str) -> Option<Home> {
    let whole = Home::claim_itself(&path()?).ok()?;
    whole.open_directory_itself(name).ok()
}

#[expect(clippy::needless_pass_by_value, reason = "map_err passes a value")]
pub(crate) fn unusable(error: impl ToString) -> StateError {
    StateError::Unusable(error.to_string())
}

/// Returns the path of the state folder. Ignores a relative path, which would mean a different folder in each working
/// directory.
fn path() -> Option<PathBuf> {
    let variable = |name: &str| {
        let path = std::env::var_os(name).map(PathBuf::from);
        path.filter(|path| path.is_absolute())
    };
    let state = if cfg!(windows) {
        variable("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        variable("XDG_STATE_HOME").or_else(|| variable("HOME").map(|home| home.join("Library/Application Support")))
    } else {
        variable("XDG_STATE_HOME").or_else(|| variable("HOME").map(|home| home.join(".local/state")))
    };
    Some(state?.join("franz"))
}
