//! The person's own configuration folder, and how to tell which files are in it.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use super::origin::FileKind;

/// Whether this process ignores settings files.
static IS_IGNORED: AtomicBool = AtomicBool::new(false);

/// Makes this process ignore the settings files in this folder and in the working directory.
pub(crate) fn ignore() {
    IS_IGNORED.store(true, Ordering::Relaxed);
}

pub(crate) fn is_ignored() -> bool {
    IS_IGNORED.load(Ordering::Relaxed)
}

/// Returns the path of `franz` in the platform's directory for configuration files, if there is one and it is not
/// ignored.
pub(crate) fn own() -> Option<PathBuf> {
    Some(platform()?.join("franz")).filter(|_| !is_ignored())
}

/// Returns the kind of a file: `Own` if it is in the person's folder, otherwise `otherwise`.
pub(crate) fn kind_of(file: &Path, otherwise: FileKind) -> FileKind {
    let is_own = own().is_some_and(|folder| is_in(file, &folder));
    if is_own { FileKind::Own } else { otherwise }
}

/// Checks whether a file is below a folder. Resolves links in the path to the file but not the file itself, so that a
/// person can keep the file elsewhere and link to it here.
fn is_in(file: &Path, folder: &Path) -> bool {
    let parent = match file.parent() {
        Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
        Some(parent) => parent,
        None => return false,
    };
    match (parent.canonicalize(), folder.canonicalize()) {
        (Ok(parent), Ok(folder)) => parent.starts_with(folder),
        _ => false,
    }
}

/// Returns the platform's directory. Ignores a relative path, which would mean a different directory in each working
/// directory.
fn platform() -> Option<PathBuf> {
    let variable = |name: &str| {
        let path = std::env::var_os(name).map(PathBuf::from);
        path.filter(|path| path.is_absolute())
    };
    if cfg!(windows) {
        variable("APPDATA")
    } else if cfg!(target_os = "macos") {
        variable("HOME").map(|home| home.join("Library/Application Support"))
    } else {
        variable("XDG_CONFIG_HOME").or_else(|| variable("HOME").map(|home| home.join(".config")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_with_dots_is_resolved_to_its_real_folder() {
        let directory = tempfile::tempdir().unwrap();
        let at = |path: &str| directory.path().join(path);
        std::fs::create_dir_all(at("own/profiles")).unwrap();
        std::fs::create_dir_all(at("other")).unwrap();
        for (file, own) in [
            ("own/franz.toml", true),
            ("own/profiles/mine.toml", true),
            ("other/franz.toml", false),
            ("own/../other/franz.toml", false),
            ("other/../own/franz.toml", true),
            ("missing/franz.toml", false),
        ] {
            assert_eq!(is_in(&at(file), &at("own")), own, "{file}");
        }
        assert!(!is_in(Path::new("franz.toml"), &at("own")));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_out_of_the_folder_does_not_count_as_inside() {
        let directory = tempfile::tempdir().unwrap();
        let at = |path: &str| directory.path().join(path);
        std::fs::create_dir_all(at("own")).unwrap();
        std::fs::create_dir_all(at("other")).unwrap();
        std::os::unix::fs::symlink(at("other"), at("own/linked")).unwrap();
        std::os::unix::fs::symlink(at("other/mine.toml"), at("own/mine.toml")).unwrap();
        assert!(!is_in(&at("own/linked/mine.toml"), &at("own")));
        assert!(is_in(&at("own/mine.toml"), &at("own")));
    }
}
