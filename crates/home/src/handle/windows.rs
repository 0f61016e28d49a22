//! Accesses directories and files by path, below a directory that nobody can rename or remove while it is open.

use std::ffi::{OsStr, OsString};
use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io;
use std::os::windows::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use winapi_util::file::{Information, information};

use super::{OpenMode, check_name};
use crate::entry::{Entry, EntryKind};

// Constants of the Windows API.
const FILE_ATTRIBUTE_REPARSE_POINT: u32 = 0x400;
const FILE_FLAG_BACKUP_SEMANTICS: u32 = 0x0200_0000;
const FILE_FLAG_OPEN_REPARSE_POINT: u32 = 0x0020_0000;
const FILE_SHARE_READ_WRITE: u32 = 0x3;

const ERROR_ACCESS_DENIED: i32 = 5;
const ERROR_SHARING_VIOLATION: i32 = 32;
const ERROR_LOCK_VIOLATION: i32 = 33;

/// The errors of opening a file that another program does not share.
const UNSHARED: [i32; 1] = [ERROR_SHARING_VIOLATION];

/// The errors of renaming or removing a file that another program does not share.
const UNMOVABLE: [i32; 3] = [ERROR_ACCESS_DENIED, ERROR_SHARING_VIOLATION, ERROR_LOCK_VIOLATION];

/// The pauses between attempts to access a file that another program has open, in milliseconds.
const PAUSES: [u64; 7] = [1, 5, 20, 50, 100, 200, 400];

const LINK: &str = "it is a link, not a file";

/// An open directory. It is not shared for removal, so its path stays valid while the handle is open.
#[derive(Debug)]
pub(crate) struct Handle {
    path: PathBuf,
    _held: File,
}

impl Handle {
    /// Opens the directory at `path`. If `itself` is set, refuses a link there.
    pub(crate) fn open(path: &Path, itself: bool) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        let link = if itself { FILE_FLAG_OPEN_REPARSE_POINT } else { 0 };
        let options = options.read(true).share_mode(FILE_SHARE_READ_WRITE);
        let held = options.custom_flags(FILE_FLAG_BACKUP_SEMANTICS | link).open(path)?;
        let metadata = held.metadata()?;
        if !metadata.is_dir() || is_link(&metadata) {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        Ok(Self {
            path: path.to_owned(),
            _held: held,
        })
    }

    /// Opens the subdirectory `name`.
    pub(crate) fn open_directory(&self, name: &OsStr) -> io::Result<Self> {
        Self::open(&self.below(name)?, true)
    }

    /// Returns the state of this directory.
    pub(crate) fn status(&self) -> io::Result<Entry> {
        Ok(entry(&fs::symlink_metadata(&self.path)?))
    }

    /// Returns the entry called `name`.
    pub(crate) fn entry(&self, name: &OsStr) -> io::Result<Entry> {
        let path = self.below(name)?;
        let mut options = OpenOptions::new();
        // Without access to the contents, the file opens even if another program does not share it.
        let options = options.access_mode(0);
        let options = options.custom_flags(FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT);
        let Ok(opened) = options.open(&path) else {
            return Ok(entry(&fs::symlink_metadata(path)?));
        };
        let mut entry = entry(&opened.metadata()?);
        if let (EntryKind::File, Ok(file)) = (entry.kind, information(&opened)) {
            let links = file.number_of_links();
            // Some network drives number no files, and have no hard links either.
            entry.identity = Some(identity(&file)).filter(|_| links > 1);
            entry.links = Some(links);
        }
        Ok(entry)
    }

    /// Returns the names of everything in the directory.
    pub(crate) fn names(&self) -> io::Result<Vec<OsString>> {
        fs::read_dir(&self.path)?.map(|entry| Ok(entry?.file_name())).collect()
    }

    /// Opens the file `name`.
    pub(crate) fn open_file(&self, name: &OsStr, mode: OpenMode) -> io::Result<File> {
        let mut options = OpenOptions::new();
        let options = match mode {
            OpenMode::Read => options.read(true),
            OpenMode::Append => options.read(true).append(true).create(true),
            OpenMode::Edit => options.read(true).write(true),
            OpenMode::Hold => options.read(true).write(true).create(true).truncate(false),
            OpenMode::New => options.write(true).create_new(true),
        };
        let path = self.below(name)?;
        let options = options.custom_flags(FILE_FLAG_OPEN_REPARSE_POINT);
        let file = patiently(&UNSHARED, || options.open(&path))?;
        let metadata = file.metadata()?;
        if is_link(&metadata) {
            return Err(io::Error::other(LINK));
        }
        if !metadata.is_file() {
            return Err(io::Error::other("it is not a file"));
        }
        if mode.is_in_place() && information(&file)?.number_of_links() != 1 {
            let why = "it has a second name (a hard link), which would be written to as well";
            return Err(io::Error::other(why));
        }
        if metadata.file_attributes() & FILE_ATTRIBUTE_REPARSE_POINT == 0 {
            return Ok(file);
        }
        // OneDrive fetches a file that it keeps only in the cloud for programs that do not open the reparse point.
        let fetched = options.custom_flags(0).open(&path)?;
        if identity(&information(&fetched)?) != identity(&information(&file)?) {
            return Err(io::Error::other(LINK));
        }
        Ok(fetched)
    }

    /// Renames `from` to `to`, replacing any existing entry.
    pub(crate) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        let (from, to) = (self.below(from)?, self.below(to)?);
        patiently(&UNMOVABLE, || fs::rename(&from, &to))
    }

    /// Gives the file `from` a second name; links are refused.
    pub(crate) fn link(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        match self.entry(from)?.kind.is_no_file() {
            Some(why) => Err(io::Error::other(why)),
            None => fs::hard_link(self.below(from)?, self.below(to)?),
        }
    }

    /// Removes an entry that is not a directory.
    pub(crate) fn remove(&self, name: &OsStr) -> io::Result<()> {
        let path = self.below(name)?;
        patiently(&UNMOVABLE, || fs::remove_file(&path))
    }

    /// Creates a subdirectory.
    pub(crate) fn make_directory(&self, name: &OsStr) -> io::Result<()> {
        make_private(&self.below(name)?)
    }

    /// Does nothing, because Windows file systems order the changes to a directory's entries.
    #[expect(
        clippy::unnecessary_wraps,
        clippy::unused_self,
        reason = "other platforms do something"
    )]
    pub(crate) fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    fn below(&self, name: &OsStr) -> io::Result<PathBuf> {
        check_name(name)?;
        Ok(self.path.join(name))
    }
}

/// Creates the directory at `path`, which inherits the permissions of its parent.
pub(crate) fn make_private(path: &Path) -> io::Result<()> {
    DirBuilder::new().create(path)
}

/// Tries again after one of these errors, because virus scanners, indexers and the like often open a new file briefly
/// and keep others from renaming, removing or opening it in the meantime.
fn patiently<T>(errors: &[i32], mut act: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    for pause in PAUSES {
        match act() {
            Err(error) if error.raw_os_error().is_some_and(|code| errors.contains(&code)) => {
                std::thread::sleep(Duration::from_millis(pause));
            }
            done => return done,
        }
    }
    act()
}

/// Checks whether this leads elsewhere, as symbolic links and junctions do. Other reparse points do not, such as the files
/// and directories that a cloud drive keeps in step.
fn is_link(metadata: &Metadata) -> bool {
    metadata.file_type().is_symlink()
}

/// Returns the volume and the number of a file, which are the same for all its names.
fn identity(file: &Information) -> (u64, u64) {
    (file.volume_serial_number(), file.file_index())
}

fn entry(metadata: &Metadata) -> Entry {
    let kind = match metadata {
        link if is_link(link) => EntryKind::Link,
        directory if directory.is_dir() => EntryKind::Directory,
        file if file.is_file() => EntryKind::File,
        _ => EntryKind::Other,
    };
    Entry {
        kind,
        length: metadata.len(),
        modified: metadata.modified().ok(),
        identity: None,
        access: None,
        links: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_another_program_has_open_is_awaited() {
        for (code, failures, attempts) in [
            (ERROR_SHARING_VIOLATION, 0, 1),
            (ERROR_SHARING_VIOLATION, 3, 4),
            (ERROR_LOCK_VIOLATION, 1, 2),
            (ERROR_ACCESS_DENIED, 1000, 8),
            // ERROR_FILE_NOT_FOUND
            (2, 1000, 1),
        ] {
            let mut made = 0;
            let done = patiently(&UNMOVABLE, || {
                made += 1;
                if made > failures {
                    Ok(())
                } else {
                    Err(io::Error::from_raw_os_error(code))
                }
            });
            assert_eq!(
                (made, done.is_ok()),
                (attempts, attempts > failures),
                "{code}, {failures}"
            );
        }
    }

    #[test]
    fn the_names_of_one_file_are_known() {
        let parent = tempfile::tempdir().unwrap();
        for name in ["one", "alone"] {
            fs::write(parent.path().join(name), name).unwrap();
        }
        let directory = Handle::open(parent.path(), true).unwrap();
        directory.link("one".as_ref(), "other".as_ref()).unwrap();
        let [one, other, alone] = ["one", "other", "alone"].map(|name| directory.entry(name.as_ref()).unwrap());
        assert_eq!((one.links, other.links, alone.links), (Some(2), Some(2), Some(1)));
        assert!(one.identity.is_some());
        assert_eq!((other.identity, alone.identity), (one.identity, None));
        let missing = directory.entry("missing".as_ref()).unwrap_err();
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn a_new_version_replaces_a_file_once_another_program_closes_it() {
        let parent = tempfile::tempdir().unwrap();
        let directory = Handle::open(parent.path(), true).unwrap();
        let [new, old] = ["state.json.tmp", "state.json"].map(|name| parent.path().join(name));
        fs::write(&new, "new").unwrap();
        fs::write(&old, "old").unwrap();
        let others = OpenOptions::new()
            .read(true)
            .share_mode(FILE_SHARE_READ_WRITE)
            .open(&old)
            .unwrap();
        assert!(fs::rename(&new, &old).is_err(), "it is in the way");
        std::thread::scope(|scope| {
            scope.spawn(move || {
                // This takes longer than the first attempts, and much less time than all of them together.
                std::thread::sleep(Duration::from_millis(30));
                drop(others);
            });
            let renamed = directory.rename("state.json.tmp".as_ref(), "state.json".as_ref());
            renamed.unwrap();
        });
        assert_eq!(fs::read_to_string(&old).unwrap(), "new");
    }
}
