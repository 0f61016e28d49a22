//! The folder in which attempts run, on this machine's own disk. It is removed at the end; the next process removes
//! folders that a killed process left.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};

use crate::exit::Unusable;
use crate::terminal::complain;

/// How the folders' names begin.
const PREFIX: &str = "franz-suite-";

/// The number of hexadecimal digits after that.
const ID_LENGTH: usize = 32;

/// How the name of a folder's lock ends. The file beside the folder is locked before there is a folder, and for as long
/// as the folder is in use.
const LOCK: &str = "lock";

/// The variable that names the folder for temporary files.
const VARIABLE: &str = if cfg!(windows) { "TMP" } else { "TMPDIR" };

/// A folder of this process.
pub(crate) struct Scratch {
    folder: PathBuf,
    _lock: File,
}

impl Scratch {
    /// Creates a folder, and removes those that nobody uses any more.
    pub(crate) fn new(id: &str) -> Result<Scratch, Unusable> {
        let parent = std::env::temp_dir();
        Scratch::below(&parent, id).map_err(|error| {
            let words = format!(
                "cannot use {} for temporary files: {error}; set {VARIABLE} to a folder on this machine's own disk that you \
                 may write to",
                parent.display()
            );
            match error.kind() {
                ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Unusable::incomplete(words),
                _ => Unusable::usage(words),
            }
        })
    }

    #[expect(clippy::disallowed_methods, reason = "folders of attempts belong to no run yet")]
    fn below(parent: &Path, id: &str) -> io::Result<Scratch> {
        let parent = parent.canonicalize()?;
        remove_unused(&parent);
        let folder = parent.join(format!("{PREFIX}{id}"));
        let lock = locked(&folder.with_extension(LOCK))?;
        #[cfg_attr(not(unix), expect(unused_mut, reason = "a folder has no mode here"))]
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&folder)?;
        Ok(Scratch { folder, _lock: lock })
    }

    /// Returns the folder.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Creates an empty folder in it.
    #[expect(clippy::disallowed_methods, reason = "folders of attempts belong to no run yet")]
    pub(crate) fn make(&self, name: &str) -> io::Result<PathBuf> {
        let folder = self.folder.join(name);
        fs::create_dir(&folder)?;
        Ok(folder)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        remove_with_lock(&self.folder);
    }
}

#[expect(clippy::disallowed_methods, reason = "only our own locks are removed")]
fn remove_with_lock(folder: &Path) {
    remove(folder);
    let _ = fs::remove_file(folder.with_extension(LOCK));
}

/// Removes a folder of an attempt. If anything in it stays, the person learns where.
pub(crate) fn remove(folder: &Path) {
    if let Err(error) = remove_all(folder) {
        complain(&format!(
            "cannot remove {}: {error}; remove it yourself to free the space",
            folder.display()
        ));
    }
}

/// Removes a folder, whatever permissions programs took from it and however deep they nested it. Folders below it are
/// first moved to its top, so that no path becomes too long. Returns the first error after removing what it can.
#[expect(clippy::disallowed_methods, reason = "folders of attempts belong to no run yet")]
fn remove_all(top: &Path) -> io::Result<()> {
    let mut result = Ok(());
    let mut note = |done: io::Result<()>| match done {
        Err(error) if error.kind() != ErrorKind::NotFound && result.is_ok() => result = Err(error),
        _ => {}
    };
    let mut folders = vec![top.to_owned()];
    let (mut at, mut moved) = (0, 0_u64);
    while let Some(folder) = folders.get(at).cloned() {
        at += 1;
        // Moving a folder changes its `..`, so it must be writable, too.
        open_up(&folder);
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) => {
                note(Err(error));
                continue;
            }
        };
        for entry in entries.flatten() {
            let path = entry.path();
            if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                note(fs::remove_file(&path));
                continue;
            }
            if folder == top {
                folders.push(path);
                continue;
            }
            open_up(&path);
            let free = loop {
                let free = top.join(format!(".removed-{moved}"));
                moved += 1;
                if free.symlink_metadata().is_err() {
                    break free;
                }
            };
            match fs::rename(&path, &free) {
                Ok(()) => folders.push(free),
                Err(error) => note(Err(error)),
            }
        }
    }
    for folder in folders.iter().rev() {
        note(fs::remove_dir(folder));
    }
    result
}

/// Gives a folder's owner all permissions on it.
#[cfg(unix)]
#[expect(clippy::disallowed_methods, reason = "folders of attempts belong to no run yet")]
fn open_up(folder: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    let is_closed = |status: &fs::Metadata| status.is_dir() && status.permissions().mode() & 0o700 != 0o700;
    if folder.symlink_metadata().is_ok_and(|status| is_closed(&status)) {
        // If this fails, so does reading the folder, which is reported.
        let _ = fs::set_permissions(folder, fs::Permissions::from_mode(0o700));
    }
}

#[cfg(not(unix))]
fn open_up(_: &Path) {}

/// Creates a folder that only this user can read, and its parents.
#[expect(clippy::disallowed_methods, reason = "folders of attempts belong to no run yet")]
pub(crate) fn make(folder: &Path) -> Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    let made = builder.recursive(true).create(folder);
    made.with_context(|| format!("cannot create {}", folder.display()))
}

/// Creates a file.
#[expect(clippy::disallowed_methods, reason = "files of attempts belong to no run")]
pub(crate) fn file(path: &Path) -> io::Result<File> {
    File::create(path)
}

/// Makes a command write everything that it prints to a new file, in order.
#[expect(clippy::disallowed_methods, reason = "files of attempts belong to no run")]
pub(crate) fn print_to(command: &mut Command, path: &Path) -> io::Result<()> {
    file(path)?;
    // Otherwise, each stream would overwrite the other.
    let printed = File::options().append(true).open(path)?;
    command.stdout(printed.try_clone()?).stderr(printed);
    Ok(())
}

/// Creates and locks a file. Another process may remove it before it is locked; then there is another one.
#[expect(clippy::disallowed_methods, reason = "only our own locks are created")]
fn locked(path: &Path) -> io::Result<File> {
    loop {
        let lock = File::create(path)?;
        lock.lock()?;
        if is_at(&lock, path) {
            return Ok(lock);
        }
    }
}

/// Returns whether this is the name of a folder that a process made for itself. A person may also call a folder
/// `franz-suite-july`.
fn is_ours(folder: &Path) -> bool {
    let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let is_digit = |digit: u8| matches!(digit, b'0'..=b'9' | b'a'..=b'f');
    name.strip_prefix(PREFIX)
        .is_some_and(|id| id.len() == ID_LENGTH && id.bytes().all(is_digit))
}

/// Removes the folders and the locks of processes that have ended.
#[expect(clippy::disallowed_methods, reason = "only the locks of our own folders are opened")]
fn remove_unused(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        let folder = entry.path().with_extension("");
        if !is_ours(&folder) || !is_owned(&entry.path()) {
            continue;
        }
        // Until this lock is dropped, nobody else removes or uses the folder.
        let lock = File::open(folder.with_extension(LOCK));
        let is_used = lock.as_ref().is_ok_and(|lock| lock.try_lock().is_err());
        if !is_used {
            remove_with_lock(&folder);
        }
    }
}

/// Returns whether an open file is still the one at a path.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let id = |status: fs::Metadata| (status.dev(), status.ino());
    let (open, there) = (file.metadata().map(id), path.symlink_metadata().map(id));
    open.ok().is_some_and(|open| there.is_ok_and(|there| there == open))
}

/// Elsewhere, no open file is removed.
#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}

#[cfg(unix)]
fn is_owned(folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let own = rustix::process::geteuid().as_raw();
    folder.symlink_metadata().is_ok_and(|status| status.uid() == own)
}

#[cfg(not(unix))]
fn is_owned(_: &Path) -> bool {
    true
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn both_streams_of_a_program_are_kept_in_order() {
        let place = tempfile::tempdir().unwrap();
        let printed = place.path().join("printed");
        fs::write(&printed, "from before").unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", "echo a long warning >&2; echo told; echo more >&2; echo end"]);
        print_to(&mut command, &printed).unwrap();
        assert!(command.status().unwrap().success());
        assert_eq!(
            fs::read_to_string(&printed).unwrap(),
            "a long warning\ntold\nmore\nend\n"
        );
    }

    #[test]
    fn only_folders_of_ended_processes_are_removed_at_the_next_start() {
        let place = tempfile::tempdir().unwrap();
        let below = |name: &str| place.path().join(name);
        let [left, named, near] = [
            "0123456789abcdef0123456789abcdef",
            "july",
            "0123456789ABCDEF0123456789ABCDEF",
        ]
        .map(|id| below(&format!("{PREFIX}{id}")));
        for folder in [&left, &named, &near] {
            fs::create_dir(folder).unwrap();
            fs::write(folder.join("file"), "text").unwrap();
        }
        fs::write(left.with_extension(LOCK), "").unwrap();
        fs::write(named.with_extension(LOCK), "").unwrap();
        let used = Scratch::below(place.path(), &crate::random().unwrap()).unwrap();
        let next = Scratch::below(place.path(), &crate::random().unwrap()).unwrap();
        assert!(!left.exists() && !left.with_extension(LOCK).exists());
        assert!(named.join("file").exists() && near.join("file").exists());
        assert!(named.with_extension(LOCK).exists());
        assert!(used.folder().exists() && next.folder().exists());
    }

    #[test]
    fn nothing_stays_of_a_folder_whatever_programs_did_to_it() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("attempt");
        for (name, mode) in [("read-only", 0o555), ("closed", 0o000), ("open", 0o755)] {
            let below = folder.join(name).join("below");
            fs::create_dir_all(&below).unwrap();
            fs::write(below.join("file"), "text").unwrap();
            fs::set_permissions(&below, fs::Permissions::from_mode(mode)).unwrap();
            fs::set_permissions(folder.join(name), fs::Permissions::from_mode(mode)).unwrap();
        }
        let outside = place.path().join("outside");
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("file"), "text").unwrap();
        std::os::unix::fs::symlink(&outside, folder.join("link")).unwrap();
        // No single path is long enough for this: each half is built on its own.
        let (mut inner, half) = (None::<PathBuf>, "d/".repeat(1500));
        for name in ["one", "two"] {
            let whole = folder.join(name).join(&half);
            fs::create_dir_all(&whole).unwrap();
            if let Some(inner) = inner.take() {
                fs::rename(inner, whole.join("d")).unwrap();
            }
            inner = Some(folder.join(name));
        }
        remove_all(&folder).unwrap();
        assert!(!folder.exists() && outside.join("file").exists());
        remove_all(&folder).unwrap();
    }
}
