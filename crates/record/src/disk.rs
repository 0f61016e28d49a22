//! Files of a run: private to their owner and never half written under their final name.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};

use thiserror::Error;

/// The suffix of a file that is not complete yet; one that is left over belongs to nobody.
pub const UNFINISHED: &str = "tmp";

/// The most that is read of a file which holds a story or two, in bytes: a reply has 64 MB at most, and escapes make it longer.
pub const LARGEST: u64 = 256 << 20;

const NO_FILE: &str = "it is not a file";

/// A file or directory of the run could not be used.
#[derive(Debug, Error)]
pub enum DiskError {
    /// No space left, or the quota is used up.
    #[error("cannot {doing} {}: the disk is full; free some space, or lower record.keep_pictures", path.display())]
    Full {
        /// What was tried, an infinitive.
        doing: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file system takes no changes.
    #[error("cannot {doing} {}: the file system is read-only; choose another place with --run-dir or record.dir", path.display())]
    ReadOnly {
        /// What was tried, an infinitive.
        doing: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The user may not do this.
    #[error("cannot {doing} {}: permission denied; check who owns it, or choose another place with --run-dir or record.dir", path.display())]
    Denied {
        /// What was tried, an infinitive.
        doing: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Anything else.
    #[error("cannot {doing} {}: {source}; check the disk and the path", path.display())]
    Other {
        /// What was tried, an infinitive.
        doing: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl DiskError {
    /// For `map_err`: the error of `doing` something to `path`, sorted by what a person can do about it.
    pub fn when(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| match source.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Self::Full { doing, path, source },
            ErrorKind::ReadOnlyFilesystem => Self::ReadOnly { doing, path, source },
            ErrorKind::PermissionDenied => Self::Denied { doing, path, source },
            _ => Self::Other { doing, path, source },
        }
    }
}

/// Makes one directory that only its owner may enter; an existing one is an error.
pub(crate) fn create_private_dir(path: &Path) -> io::Result<()> {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "only Unix has modes"))]
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Options under which a new file can be read and written by its owner only.
pub(crate) fn private() -> OpenOptions {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "only Unix has modes"))]
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Opens a file to read. What is none, such as a pipe that nobody writes to, is not waited for.
pub fn open(path: &Path) -> io::Result<File> {
    if fs::metadata(path)?.is_file() {
        File::open(path)
    } else {
        Err(io::Error::other(NO_FILE))
    }
}

/// All of a file, which may have `most` bytes: one that somebody else put there shall not fill the memory.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::other(format!("it has more than {most} bytes")));
    }
    Ok(bytes)
}

/// Refuses a pipe before it is opened to be written: that would wait for somebody to read it.
pub(crate) fn refuse_pipe(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    if fs::metadata(path).is_ok_and(|metadata| std::os::unix::fs::FileTypeExt::is_fifo(&metadata.file_type())) {
        return Err(io::Error::other(NO_FILE));
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

/// Replaces the file at `path` by `bytes`, in one step for every reader. With `durable` the new content is on the
/// medium when this returns.
pub fn replace(path: &Path, bytes: &[u8], durable: bool) -> Result<(), DiskError> {
    let unfinished = unfinished(path);
    let outcome = write_new(&unfinished, bytes, durable).and_then(|()| fs::rename(&unfinished, path));
    if outcome.is_err() {
        // A half written file would only use up space that is already short; the first error is the one to tell.
        let _ = fs::remove_file(&unfinished);
    }
    outcome.map_err(DiskError::when("write", path))?;
    if durable { sync_parent(path) } else { Ok(()) }
}

/// Brings the directory entry of `path` onto the medium.
pub(crate) fn sync_parent(path: &Path) -> Result<(), DiskError> {
    // Only Unix opens a directory as a file; elsewhere the file system orders its own entries.
    if cfg!(unix)
        && let Some(parent) = path.parent()
    {
        let synced = File::open(parent).and_then(|directory| directory.sync_all());
        synced.map_err(DiskError::when("flush", parent))?;
    }
    Ok(())
}

/// Deletes what an interrupted [`replace`] left in `directory`.
pub(crate) fn remove_unfinished(directory: &Path) -> Result<(), DiskError> {
    for name in names(directory)? {
        if Path::new(&name).extension().is_some_and(|suffix| suffix == UNFINISHED) {
            let path = directory.join(name);
            fs::remove_file(&path).map_err(DiskError::when("remove", &path))?;
        }
    }
    Ok(())
}

/// The names in `directory` that are text; ours always are.
pub(crate) fn names(directory: &Path) -> Result<Vec<String>, DiskError> {
    let list = || -> io::Result<Vec<String>> {
        let entries = fs::read_dir(directory)?.collect::<io::Result<Vec<_>>>()?;
        Ok(entries
            .into_iter()
            .filter_map(|entry| entry.file_name().into_string().ok())
            .collect())
    };
    list().map_err(DiskError::when("list", directory))
}

fn unfinished(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(UNFINISHED);
    name.into()
}

fn write_new(path: &Path, bytes: &[u8], durable: bool) -> io::Result<()> {
    refuse_pipe(path)?;
    let mut file = private().write(true).create(true).truncate(true).open(path)?;
    file.write_all(bytes)?;
    if durable { file.sync_all() } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_in_one_step_and_leaves_nothing_behind() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("state.json");
        for (content, durable) in [("one", false), ("a longer one", true), ("", false)] {
            replace(&path, content.as_bytes(), durable).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), content);
        }
        assert_eq!(names(directory.path()).unwrap(), ["state.json"]);
    }

    #[test]
    fn leftovers_are_removed_and_nothing_else() {
        let directory = tempfile::tempdir().unwrap();
        for name in ["state.json.tmp", "turn_0001.png.tmp", "turn_0001.png", "tmp"] {
            fs::write(directory.path().join(name), name).unwrap();
        }
        remove_unfinished(directory.path()).unwrap();
        let mut left = names(directory.path()).unwrap();
        left.sort();
        assert_eq!(left, ["tmp", "turn_0001.png"]);
    }

    #[test]
    fn errors_say_what_to_do() {
        let cases = [
            (
                ErrorKind::StorageFull,
                "cannot write a/b: the disk is full; free some space",
            ),
            (
                ErrorKind::QuotaExceeded,
                "cannot write a/b: the disk is full; free some space",
            ),
            (
                ErrorKind::ReadOnlyFilesystem,
                "cannot write a/b: the file system is read-only; choose another place",
            ),
            (
                ErrorKind::PermissionDenied,
                "cannot write a/b: permission denied; check who owns it",
            ),
            (
                ErrorKind::NotADirectory,
                "cannot write a/b: not a directory; check the disk and the path",
            ),
        ];
        for (kind, message) in cases {
            let error = DiskError::when("write", Path::new("a/b"))(kind.into());
            assert!(error.to_string().starts_with(message), "{error}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_keeps_the_old_content() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("state.json");
        replace(&path, b"old", false).unwrap();
        std::os::unix::fs::symlink("/dev/full", unfinished(&path)).unwrap();

        let error = replace(&path, b"new", false).unwrap_err();
        assert!(matches!(error, DiskError::Full { .. }), "{error}");
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(names(directory.path()).unwrap(), ["state.json"]);
    }

    #[test]
    fn a_file_is_read_whole_or_not_at_all() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("state.json");
        fs::write(&path, "12345").unwrap();
        assert_eq!(read(&path, 5).unwrap(), b"12345");
        assert_eq!(read(&path, 4).unwrap_err().to_string(), "it has more than 4 bytes");
        assert_eq!(read(directory.path(), 4).unwrap_err().to_string(), NO_FILE);
    }

    /// Opened, it would wait for the other end for ever.
    #[cfg(unix)]
    #[test]
    fn a_pipe_in_place_of_a_file_is_refused_and_not_waited_for() {
        let directory = tempfile::tempdir().unwrap();
        let pipe = directory.path().join("agent.lock");
        assert!(
            std::process::Command::new("mkfifo")
                .arg(&pipe)
                .status()
                .unwrap()
                .success()
        );
        let errors = [
            open(&pipe).err(),
            read(&pipe, 9).err(),
            crate::append::AppendFile::open(&pipe).err(),
            write_new(&pipe, b"", false).err(),
        ];
        for error in errors {
            assert_eq!(error.unwrap().to_string(), NO_FILE);
        }
        crate::cut::cut_unterminated(&pipe).unwrap_err();
        crate::lock::Lock::acquire(directory.path(), "agent.lock").unwrap_err();
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_may_look() {
        use std::os::unix::fs::PermissionsExt as _;

        let parent = tempfile::tempdir().unwrap();
        let directory = parent.path().join("run");
        create_private_dir(&directory).unwrap();
        let path = directory.join("state.json");
        replace(&path, b"{}", false).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&directory), mode(&path)), (0o700, 0o600));
    }
}
