//! Writes the files of a claimed directory.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write as _};
use std::ops::Deref;
use std::path::Path;

use crate::claim::{self, ClaimError};
use crate::error::DiskError;
use crate::handle::{Handle, OpenMode, make_private};
use crate::unfinished;
use crate::view::View;

/// A directory that this user owns, along with everything in it, unless only the directory [itself](Home::claim_itself)
/// was claimed. Nobody else can change which files its names refer to.
///
/// Files appear under their names in one step with [`Home::replace`], or grow in place with [`Home::append`]. A file
/// written in place has only one name, so that the write changes nothing outside the directory.
#[derive(Debug, Clone)]
pub struct Home {
    view: View,
    /// The repairs made while the directory was claimed, one sentence each.
    notices: Vec<String>,
}

/// Examines an open directory; returns a description of every repair.
type Examine = fn(&Handle, &Path) -> Result<Vec<String>, ClaimError>;

impl Deref for Home {
    type Target = View;

    fn deref(&self) -> &View {
        &self.view
    }
}

impl Home {
    /// Claims the directory at `path` and everything in it. If the directory is refused, the error says why and how to
    /// fix it.
    pub fn claim(path: &Path) -> Result<Self, ClaimError> {
        Self::examined(path, claim::open(path)?, claim::examine)
    }

    /// Claims the directory at `path`, but examines nothing in it. A folder with many entries is claimed at once, and
    /// may have entries that a run must not have. Its files are still opened by name and never through a link.
    pub fn claim_itself(path: &Path) -> Result<Self, ClaimError> {
        Self::examined(path, claim::open(path)?, claim::examine_itself)
    }

    /// Creates the directory at `path` and its missing parents, and claims it. Fails with [`ErrorKind::AlreadyExists`]
    /// if the directory exists.
    pub fn create(path: &Path) -> Result<Self, ClaimError> {
        claim::make_above(path)?;
        make_private(path).map_err(DiskError::when("create", path))?;
        Self::claim(path).inspect_err(|_| {
            // It is empty, and nobody can use it.
            let _ = fs::remove_dir(path);
        })
    }

    /// Creates the subdirectory `name`.
    pub fn create_directory(&self, name: &str) -> Result<Self, ClaimError> {
        let path = self.path_of(name);
        let made = self.handle().make_directory(name.as_ref());
        made.map_err(DiskError::when("create", &path))?;
        self.open_directory(name)
    }

    /// Opens the subdirectory `name`.
    pub fn open_directory(&self, name: &str) -> Result<Self, ClaimError> {
        self.opened(name, claim::examine)
    }

    /// Opens the subdirectory `name` like [`Home::claim_itself`].
    pub fn open_directory_itself(&self, name: &str) -> Result<Self, ClaimError> {
        self.opened(name, claim::examine_itself)
    }

    /// Returns the repairs made while the directory was claimed, one sentence each.
    pub fn notices(&self) -> &[String] {
        &self.notices
    }

    /// Opens the file `name` for reading and appending, creating it if it does not exist.
    pub fn append(&self, name: &str) -> io::Result<File> {
        self.open_in(name, OpenMode::Append)
    }

    /// Opens the file `name` for reading and truncating.
    pub fn edit(&self, name: &str) -> io::Result<File> {
        self.open_in(name, OpenMode::Edit)
    }

    /// Opens the file `name` for holding a lock, creating it if it does not exist.
    pub fn hold(&self, name: &str) -> io::Result<File> {
        self.open_in(name, OpenMode::Hold)
    }

    /// Replaces the contents of the file `name` with `bytes`. Readers see either the old file or the new one. If
    /// `durable` is set, the new content is on the disk when this returns.
    pub fn replace(&self, name: &str, bytes: &[u8], durable: bool) -> Result<(), DiskError> {
        let unfinished = unfinished::of(name);
        let outcome = self
            .write_new(&unfinished, bytes, durable)
            .and_then(|()| self.rename(&unfinished, name));
        if outcome.is_err() {
            // A half-written file would only waste scarce space. Ignore errors here, because the first error is the one
            // to report.
            let _ = self.remove(&unfinished);
        }
        outcome.map_err(DiskError::when("write", &self.path_of(name)))?;
        if durable { self.sync() } else { Ok(()) }
    }

    /// Renames the file `from` to `to`, replacing any existing entry.
    pub fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.handle().rename(from.as_ref(), to.as_ref())
    }

    /// Creates a hard link `to`, which must not exist, to the file `from`.
    pub fn link(&self, from: &str, to: &str) -> io::Result<()> {
        self.handle().link(from.as_ref(), to.as_ref())
    }

    /// Removes the file `name`, or any other entry with that name except a directory.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        self.handle().remove(name.as_ref())
    }

    /// Removes the file `name` if it exists.
    pub fn remove_if_there(&self, name: &str) -> io::Result<()> {
        match self.remove(name) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Removes this directory, which must be empty.
    pub fn remove_directory(self) -> io::Result<()> {
        let path = self.path().to_owned();
        // Windows does not remove a directory that is open.
        drop(self);
        fs::remove_dir(path)
    }

    /// Syncs the directory's entries to the disk.
    pub fn sync(&self) -> Result<(), DiskError> {
        self.handle().sync().map_err(DiskError::when("flush", self.path()))
    }

    /// Removes files left by an interrupted [`Home::replace`]. Files of running processes stay, because a panel and an
    /// agent write into the same directory; on Windows, every file of the last minute might be one.
    pub fn remove_unfinished(&self) -> Result<(), DiskError> {
        let names = self.names()?.into_iter();
        for name in names.filter(|name| unfinished::target(name).is_some()) {
            let written = self.entry(&name).ok().and_then(|entry| entry.modified);
            if unfinished::is_abandoned(&name, written) {
                self.remove_if_there(&name)
                    .map_err(DiskError::when("remove", &self.path_of(&name)))?;
            }
        }
        Ok(())
    }

    fn opened(&self, name: &str, examine: Examine) -> Result<Self, ClaimError> {
        let path = self.path_of(name);
        let opened = self.handle().open_directory(name.as_ref());
        Self::examined(&path, opened.map_err(DiskError::when("open", &path))?, examine)
    }

    fn examined(path: &Path, handle: Handle, examine: Examine) -> Result<Self, ClaimError> {
        let notices = examine(&handle, path)?;
        let view = View::of(path, handle);
        Ok(Self { view, notices })
    }

    fn write_new(&self, name: &str, bytes: &[u8], durable: bool) -> io::Result<()> {
        // An existing entry with that name is a leftover of an earlier process.
        self.remove_if_there(name)?;
        let mut file = self.open_in(name, OpenMode::New)?;
        file.write_all(bytes)?;
        if durable { file.sync_all() } else { Ok(()) }
    }

    fn open_in(&self, name: &str, mode: OpenMode) -> io::Result<File> {
        #[cfg(any(test, feature = "faults"))]
        if crate::faults::is_full(&self.path_of(name)) {
            return File::options().write(true).open("/dev/full");
        }
        self.handle().open_file(name.as_ref(), mode)
    }
}

impl From<Home> for View {
    fn from(home: Home) -> View {
        home.view
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn home() -> (tempfile::TempDir, Home) {
        let parent = tempfile::tempdir().unwrap();
        let home = Home::create(&parent.path().join("run")).unwrap();
        (parent, home)
    }

    #[test]
    fn replaces_in_one_step_and_leaves_nothing_behind() {
        let (_parent, home) = home();
        for (content, durable) in [("one", false), ("a longer one", true), ("", false)] {
            home.replace("state.json", content.as_bytes(), durable).unwrap();
            assert_eq!(home.read("state.json", 99).unwrap(), content.as_bytes());
        }
        assert_eq!(home.names().unwrap(), ["state.json"]);
    }

    #[test]
    fn two_writers_never_share_an_unfinished_file() {
        let (_parent, home) = home();
        let contents = ["a", "b"].map(|letter| letter.repeat(1 << 16));
        std::thread::scope(|scope| {
            for content in &contents {
                let home = &home;
                scope.spawn(move || {
                    for _ in 0..100 {
                        home.replace("state.json", content.as_bytes(), false).unwrap();
                        let read = String::from_utf8(home.read("state.json", 1 << 17).unwrap()).unwrap();
                        assert!(contents_are_whole(&read));
                    }
                });
            }
        });
        assert_eq!(home.names().unwrap(), ["state.json"]);
    }

    fn contents_are_whole(text: &str) -> bool {
        text.len() == 1 << 16 && text.bytes().all(|byte| byte == text.as_bytes()[0])
    }

    #[test]
    fn leftovers_are_removed_and_nothing_else() {
        let (_parent, home) = home();
        let live = unfinished::of("state.json");
        for name in ["state.json.tmp", "turn_0001.png.tmp", "turn_0001.png", "tmp", &live] {
            fs::write(home.path_of(name), name).unwrap();
        }
        home.remove_unfinished().unwrap();
        let mut left = home.names().unwrap();
        left.sort();
        assert_eq!(left, [&live, "tmp", "turn_0001.png"]);
    }

    #[test]
    fn a_file_is_read_whole_or_not_at_all() {
        let (_parent, home) = home();
        fs::write(home.path_of("state.json"), "12345").unwrap();
        fs::create_dir(home.path_of("directory")).unwrap();
        assert_eq!(home.read("state.json", 5).unwrap(), b"12345");
        assert_eq!(
            home.read("state.json", 4).unwrap_err().to_string(),
            "it is longer than 4 bytes"
        );
        assert_eq!(home.read("directory", 4).unwrap_err().to_string(), "it is not a file");
    }

    #[test]
    fn no_name_leads_out_of_the_directory() {
        let (parent, home) = home();
        let victim = parent.path().join("victim");
        fs::write(&victim, "mine").unwrap();
        for name in ["../victim", victim.to_str().unwrap(), "", ".", "..", "a/b", "a\0b"] {
            assert!(home.replace(name, b"changed", false).is_err(), "{name}");
            home.append(name).unwrap_err();
            home.read(name, 9).unwrap_err();
            home.remove(name).unwrap_err();
            home.rename("x", name).unwrap_err();
        }
        assert_eq!(fs::read(&victim).unwrap(), b"mine");
    }

    /// A link could appear after the directory was claimed.
    #[cfg(unix)]
    #[test]
    fn a_link_that_appears_later_is_not_followed() {
        let (parent, home) = home();
        let victim = parent.path().join("victim");
        fs::write(&victim, "mine").unwrap();
        std::os::unix::fs::symlink(&victim, home.path_of("file")).unwrap();
        let link = "it is a link, not a file";
        assert_eq!(home.append("file").unwrap_err().to_string(), link);
        assert_eq!(home.edit("file").unwrap_err().to_string(), link);
        assert_eq!(home.hold("file").unwrap_err().to_string(), link);
        assert_eq!(home.read("file", 9).unwrap_err().to_string(), link);
        assert_eq!(home.link("file", "other").unwrap_err().to_string(), link);
        fs::rename(home.path_of("file"), home.path_of("file.tmp")).unwrap();
        home.write_new("file.tmp", b"ours", false).unwrap();
        home.rename("file.tmp", "file").unwrap();
        std::os::unix::fs::symlink(&victim, home.path_of("link")).unwrap();
        home.replace("link", b"ours", false).unwrap();
        for name in ["file", "link"] {
            assert_eq!(home.read(name, 9).unwrap(), b"ours");
        }
        assert_eq!(fs::read(&victim).unwrap(), b"mine");
    }

    #[test]
    fn a_hard_link_that_appears_later_is_not_written() {
        let (parent, home) = home();
        let victim = parent.path().join("victim");
        fs::write(&victim, "mine").unwrap();
        fs::hard_link(&victim, home.path_of("file")).unwrap();
        for opened in [home.append("file"), home.edit("file"), home.hold("file")] {
            assert!(opened.unwrap_err().to_string().contains("second name"));
        }
        home.replace("file", b"ours", false).unwrap();
        assert_eq!(fs::read(&victim).unwrap(), b"mine");
    }

    /// Opening a pipe would block forever waiting for the other end.
    #[cfg(unix)]
    #[test]
    fn a_pipe_instead_of_a_file_is_refused_without_blocking() {
        let (_parent, home) = home();
        let made = std::process::Command::new("mkfifo")
            .arg(home.path_of("agent.lock"))
            .status();
        assert!(made.unwrap().success());
        let opened = [
            home.append("agent.lock"),
            home.edit("agent.lock"),
            home.hold("agent.lock"),
            home.open_file("agent.lock"),
        ];
        for opened in opened {
            assert_eq!(opened.unwrap_err().to_string(), "it is not a file");
        }
    }

    /// The system's own directories are in such file systems.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_directory_that_cannot_be_synced_is_no_failure() {
        let handle = Handle::open(Path::new("/proc"), false).unwrap();
        handle.sync().unwrap();
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_keeps_the_old_content() {
        let (_parent, home) = home();
        home.replace("state.json", b"old", false).unwrap();
        crate::faults::fill_disk(&home.path_of("state.json.tmp"));
        let error = home.replace("state.json", b"new", false).unwrap_err();
        assert!(matches!(error, DiskError::Full { .. }), "{error}");
        assert_eq!(home.read("state.json", 9).unwrap(), b"old");
        assert_eq!(home.names().unwrap(), ["state.json"]);
    }
}
