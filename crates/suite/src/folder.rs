//! A suite's folder: its files, the digest of them all, and copies.

use std::fmt;
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// The most files that a suite may have.
const MOST_FILES: usize = 100_000;

/// How deep folders may be nested.
const DEEPEST: usize = 32;

/// The SHA-256 over the files of a suite: 64 lower-case hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SuiteDigest(String);

impl SuiteDigest {
    /// Returns the digest as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn of_bytes(bytes: &[u8]) -> SuiteDigest {
        SuiteDigest(hex(&Sha256::digest(bytes)))
    }
}

impl fmt::Display for SuiteDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<SuiteDigest> for String {
    fn from(digest: SuiteDigest) -> String {
        digest.0
    }
}

impl TryFrom<String> for SuiteDigest {
    type Error = String;

    fn try_from(text: String) -> Result<SuiteDigest, String> {
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        if text.len() == 64 && text.bytes().all(is_digit) {
            return Ok(SuiteDigest(text));
        }
        Err(format!(
            "{text:?} is not a digest; it has 64 lower-case hexadecimal digits"
        ))
    }
}

impl std::str::FromStr for SuiteDigest {
    type Err = String;

    fn from_str(text: &str) -> Result<SuiteDigest, String> {
        SuiteDigest::try_from(text.to_owned())
    }
}

/// Why a suite's folder cannot be read or copied.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// A file or folder cannot be read or written.
    #[error("{}: {error}", path.display())]
    Disk {
        /// The file or folder.
        path: PathBuf,
        /// The error that the system returned.
        error: io::Error,
    },
    /// The file is not text.
    #[error("{} is not valid UTF-8; save it as UTF-8", path.display())]
    NotText {
        /// The file.
        path: PathBuf,
    },
    /// Something in the folder is neither a file nor a folder.
    #[error("{} is neither a file nor a folder; a suite has no links, pipes or devices, because a digest cannot cover their targets", path.display())]
    NoFile {
        /// The entry.
        path: PathBuf,
    },
    /// The folder is too large to be a suite.
    #[error("{} has more than {MOST_FILES} files or folders nested deeper than {DEEPEST}; is it a suite?", path.display())]
    TooLarge {
        /// The folder.
        path: PathBuf,
    },
}

impl FolderError {
    pub(crate) fn at(path: &Path) -> impl FnOnce(io::Error) -> FolderError {
        let path = path.to_owned();
        move |error| FolderError::Disk { path, error }
    }
}

/// Reads a file of at most `most` bytes.
#[expect(clippy::disallowed_methods, reason = "a suite's files belong to no run")]
pub fn read(path: &Path, most: u64) -> Result<Vec<u8>, FolderError> {
    let mut bytes = Vec::new();
    let too_long = || io::Error::other(format!("it is longer than {most} bytes"));
    let whole = || -> io::Result<bool> {
        // Opening a pipe would wait for its writer.
        if !path.metadata()?.is_file() {
            return Err(io::Error::other("it is not a file"));
        }
        let file = fs::File::open(path)?;
        Ok(file.take(most + 1).read_to_end(&mut bytes)? as u64 > most)
    }()
    .map_err(FolderError::at(path))?;
    if whole {
        return Err(FolderError::at(path)(too_long()));
    }
    Ok(bytes)
}

/// Returns whether a path from a suite's file stays in the suite's folder.
pub(crate) fn is_inside(path: &str) -> bool {
    let mut parts = Path::new(path).components();
    !path.is_empty() && parts.all(|part| matches!(part, Component::Normal(_)))
}

/// What a folder holds.
#[derive(Debug, Default)]
struct Contents {
    files: Vec<Entry>,
    /// The paths of all folders below it, also of empty ones.
    folders: Vec<String>,
}

/// A file in a folder: its path below the folder, with `/` between the parts, and whether it is executable.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    path: String,
    is_executable: bool,
}

/// Returns the digest of all files in `folder`, except those whose paths below it are in `without`. It covers each
/// file's path, contents and permission to execute; the order in which the system lists them does not matter.
pub fn digest(folder: &Path, without: &[PathBuf]) -> Result<SuiteDigest, FolderError> {
    let mut whole = Sha256::new();
    for entry in contents(folder)?.files {
        if without.iter().any(|other| *other == Path::new(&entry.path)) {
            continue;
        }
        let path = folder.join(&entry.path);
        let (length, hash) = hashed(&path).map_err(FolderError::at(&path))?;
        let mark = if entry.is_executable { "x" } else { "-" };
        whole.update(format!("{} {mark} {length} {hash}\n", entry.path.len()));
        whole.update(entry.path.as_bytes());
        whole.update(b"\n");
    }
    Ok(SuiteDigest(hex(&whole.finalize())))
}

/// Copies all files and folders in `from` to the folder `to`, which is created. Files and folders of `to` stay.
pub fn copy(from: &Path, to: &Path) -> Result<(), FolderError> {
    copy_without(from, to, &[])
}

/// Copies them, except the files whose paths below `from` are in `without`.
pub(crate) fn copy_without(from: &Path, to: &Path, without: &[PathBuf]) -> Result<(), FolderError> {
    make(to)?;
    let contents = contents(from)?;
    for folder in contents.folders {
        make(&to.join(folder))?;
    }
    for entry in contents.files {
        if without.iter().any(|other| *other == Path::new(&entry.path)) {
            continue;
        }
        let (source, copy) = (from.join(&entry.path), to.join(&entry.path));
        copy_file(&source, &copy).map_err(FolderError::at(&copy))?;
    }
    Ok(())
}

/// Creates a folder and its parents.
#[expect(
    clippy::disallowed_methods,
    reason = "folders of suites and results belong to no run"
)]
pub fn make(folder: &Path) -> Result<(), FolderError> {
    fs::create_dir_all(folder).map_err(FolderError::at(folder))
}

/// Writes a file in one step, or replaces it: a full disk leaves the old one, and a link is replaced, not followed.
/// The `id` distinguishes concurrent writers.
#[expect(clippy::disallowed_methods, reason = "files of suites and results belong to no run")]
pub fn replace(file: &Path, bytes: &[u8], id: &str) -> Result<(), FolderError> {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let unfinished = file.with_file_name(format!(".{name}.{id}"));
    let written = write(&unfinished, bytes).and_then(|()| match fs::rename(&unfinished, file) {
        // A network file system may report an error although it renamed the file.
        Err(_) if file.exists() && !unfinished.exists() => Ok(()),
        renamed => renamed,
    });
    if written.is_err() {
        // The first error is the one to report.
        let _ = fs::remove_file(&unfinished);
    }
    written.map_err(FolderError::at(file))
}

/// Writes a file to the disk.
#[expect(clippy::disallowed_methods, reason = "files of suites and results belong to no run")]
fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = fs::File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Removes a file, or a folder with everything in it.
#[expect(clippy::disallowed_methods, reason = "files of suites and results belong to no run")]
pub(crate) fn remove(path: &Path) -> Result<(), FolderError> {
    let removed = if path.is_dir() {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    };
    removed.map_err(FolderError::at(path))
}

/// Copies a file with its permissions.
#[expect(clippy::disallowed_methods, reason = "a suite's files belong to no run")]
fn copy_file(from: &Path, to: &Path) -> io::Result<()> {
    fs::copy(from, to).map(drop)
}

#[expect(clippy::disallowed_methods, reason = "a suite's files belong to no run")]
fn hashed(path: &Path) -> io::Result<(u64, String)> {
    let mut file = fs::File::open(path)?;
    let (mut hash, mut length, mut part) = (Sha256::new(), 0, vec![0; 1 << 16]);
    loop {
        let count = file.read(&mut part)?;
        if count == 0 {
            return Ok((length, hex(&hash.finalize())));
        }
        length += count as u64;
        hash.update(part.get(..count).unwrap_or_default());
    }
}

/// Returns the paths of all files below a folder, sorted, with `/` between the parts.
pub(crate) fn paths(folder: &Path) -> Result<Vec<String>, FolderError> {
    Ok(contents(folder)?.files.into_iter().map(|entry| entry.path).collect())
}

/// Returns everything below a folder, the files sorted by path.
fn contents(folder: &Path) -> Result<Contents, FolderError> {
    let mut found = Contents::default();
    collect(folder, "", 0, &mut found)?;
    found.files.sort();
    Ok(found)
}

fn collect(folder: &Path, below: &str, depth: usize, found: &mut Contents) -> Result<(), FolderError> {
    let here = folder.join(below);
    let failed = |error| FolderError::at(&here)(error);
    if depth > DEEPEST {
        return Err(FolderError::TooLarge {
            path: folder.to_owned(),
        });
    }
    for entry in fs::read_dir(&here).map_err(failed)? {
        let entry = entry.map_err(FolderError::at(&here))?;
        let name = entry.file_name();
        let Some(name) = name.to_str() else {
            return Err(FolderError::at(&entry.path())(io::Error::other(
                "its name is not valid UTF-8",
            )));
        };
        let path = if below.is_empty() {
            name.to_owned()
        } else {
            format!("{below}/{name}")
        };
        let kind = entry.file_type().map_err(FolderError::at(&entry.path()))?;
        if kind.is_dir() {
            collect(folder, &path, depth + 1, found)?;
            found.folders.push(path);
        } else if kind.is_file() {
            let status = entry.metadata().map_err(FolderError::at(&entry.path()))?;
            found.files.push(Entry {
                path,
                is_executable: is_executable(&status),
            });
        } else {
            return Err(FolderError::NoFile { path: entry.path() });
        }
        if found.files.len().max(found.folders.len()) > MOST_FILES {
            return Err(FolderError::TooLarge {
                path: folder.to_owned(),
            });
        }
    }
    Ok(())
}

#[cfg(unix)]
fn is_executable(status: &fs::Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&status.permissions()) & 0o100 != 0
}

/// Windows has no such permission.
#[cfg(not(unix))]
fn is_executable(_: &fs::Metadata) -> bool {
    false
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(u32::from(value), 16).unwrap_or('0');
    bytes
        .iter()
        .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
    }

    #[test]
    fn the_digest_covers_paths_contents_and_permissions_in_any_order() {
        let of = |files: &[(&str, &str)]| digest(folder(files).path(), &[]).unwrap();
        let base = of(&[("a", "1"), ("b/c", "2")]);
        assert_eq!(of(&[("b/c", "2"), ("a", "1")]), base);
        for other in [
            &[("a", "1"), ("b/c", "3")][..],
            &[("a", "1"), ("bc", "2")],
            &[("a", "1"), ("b/c", "2"), ("d", "")],
            &[("a", "12"), ("b/c", "")],
            &[("a", "1")],
        ] {
            assert_ne!(of(other), base, "{other:?}");
        }
        #[cfg(unix)]
        {
            let folder = folder(&[("a", "1"), ("b/c", "2")]);
            let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
            fs::set_permissions(folder.path().join("a"), executable).unwrap();
            assert_ne!(digest(folder.path(), &[]).unwrap(), base);
        }
    }

    #[test]
    fn a_servers_own_file_may_change() {
        let with = |text: &str| {
            let folder = folder(&[("a", "1"), ("server.txt", text)]);
            digest(folder.path(), &[PathBuf::from("server.txt")]).unwrap()
        };
        assert_eq!(with("one:1"), with("two:2"));
    }

    #[test]
    fn a_copy_has_the_same_digest_and_the_empty_folders() {
        let from = folder(&[("a", "1"), ("b/c", "2")]);
        let before = digest(from.path(), &[]).unwrap();
        fs::create_dir_all(from.path().join("d/e")).unwrap();
        assert_eq!(digest(from.path(), &[]).unwrap(), before);
        let to = tempfile::tempdir().unwrap();
        copy(from.path(), &to.path().join("x/y")).unwrap();
        assert_eq!(
            digest(&to.path().join("x/y"), &[]).unwrap(),
            digest(from.path(), &[]).unwrap()
        );
        assert!(to.path().join("x/y/d/e").is_dir());
    }

    #[cfg(unix)]
    #[test]
    fn links_are_refused() {
        let folder = folder(&[("a", "1")]);
        std::os::unix::fs::symlink("/etc/passwd", folder.path().join("b")).unwrap();
        let error = digest(folder.path(), &[]).unwrap_err().to_string();
        assert!(error.contains("b is neither a file nor a folder"), "{error}");
    }

    #[test]
    fn paths_that_leave_the_folder_are_recognised() {
        for good in ["a", "a/b.sh", "a..b"] {
            assert!(is_inside(good), "{good}");
        }
        for bad in ["", "/a", "../a", "a/../../b", "./a"] {
            assert!(!is_inside(bad), "{bad}");
        }
    }
}
