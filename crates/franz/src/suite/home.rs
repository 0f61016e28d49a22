//! Copies of a home. Even if programs left links, pipes or huge files, the copy has only plain files, and copying ends
//! soon.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;

/// The most bytes and files in a copy.
const MOST_BYTES: u64 = 1 << 30;
const MOST_FILES: u64 = 50_000;

/// How deep folders may be nested.
const DEEPEST: usize = 64;

/// The remaining allowance.
struct Left {
    bytes: u64,
    files: u64,
}

/// Returns whether an error is one that only the files of a home can cause: they exceed a limit, or their paths are too
/// long.
pub(crate) fn is_of_home(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::Other | io::ErrorKind::InvalidFilename)
}

/// Copies the plain files of a home. Links, pipes and sockets are left out. An error says which limit it exceeds, or
/// that the home is closed or gone: its programs can do that, too.
pub(crate) fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let closed = [
        io::ErrorKind::PermissionDenied,
        io::ErrorKind::NotFound,
        io::ErrorKind::NotADirectory,
    ];
    if let Err(error) = fs::read_dir(from)
        && closed.contains(&error.kind())
    {
        return Err(io::Error::other(error));
    }
    let mut left = Left {
        bytes: MOST_BYTES,
        files: MOST_FILES,
    };
    copy_folder(from, to, DEEPEST, &mut left)
}

#[expect(clippy::disallowed_methods, reason = "homes of attempts belong to no run")]
fn copy_folder(from: &Path, to: &Path, depth: usize, left: &mut Left) -> io::Result<()> {
    if depth == 0 {
        return Err(io::Error::other(format!(
            "its folders are nested more than {DEEPEST} deep"
        )));
    }
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        left.files = left
            .files
            .checked_sub(1)
            .ok_or_else(|| io::Error::other(format!("it has more than {MOST_FILES} files")))?;
        let (source, copy) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type()?;
        if kind.is_dir() {
            // A folder that cannot be read is left out like a link.
            match copy_folder(&source, &copy, depth - 1, left) {
                Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {}
                other => other?,
            }
        } else if kind.is_file() {
            match copy_file(&source, &copy, left) {
                Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {}
                other => other?,
            }
        }
    }
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "homes of attempts belong to no run")]
fn copy_file(from: &Path, to: &Path, left: &mut Left) -> io::Result<()> {
    let source = File::open(from)?;
    let permissions = source.metadata()?.permissions();
    let mut copy = File::create(to)?;
    let written = io::copy(&mut source.take(left.bytes + 1), &mut copy)?;
    left.bytes = left
        .bytes
        .checked_sub(written)
        .ok_or_else(|| io::Error::other(format!("it holds more than {} MB", MOST_BYTES >> 20)))?;
    copy.set_permissions(permissions)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_has_the_plain_files_only() {
        let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::create_dir_all(from.path().join("a/b")).unwrap();
        fs::write(from.path().join("a/b/c"), "text").unwrap();
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("/etc/passwd", from.path().join("link")).unwrap();
            rustix::fs::mkfifoat(rustix::fs::CWD, from.path().join("pipe"), rustix::fs::Mode::RWXU).unwrap();
        }
        copy(from.path(), &to.path().join("home")).unwrap();
        let copied = to.path().join("home");
        assert_eq!(fs::read_to_string(copied.join("a/b/c")).unwrap(), "text");
        let names: Vec<_> = fs::read_dir(&copied)
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        assert_eq!(names, ["a"]);
    }

    #[test]
    fn a_home_that_is_too_large_is_refused() {
        let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        // A sparse file needs no disk.
        File::create(from.path().join("huge"))
            .unwrap()
            .set_len(MOST_BYTES + 1)
            .unwrap();
        let mut left = Left { bytes: 1000, files: 10 };
        let error = copy_folder(from.path(), &to.path().join("home"), DEEPEST, &mut left).unwrap_err();
        assert!(
            error.to_string().contains("it holds more than") && is_of_home(&error),
            "{error}"
        );
        let mut left = Left { bytes: 1000, files: 0 };
        let error = copy_folder(from.path(), &to.path().join("other"), DEEPEST, &mut left).unwrap_err();
        assert!(error.to_string().contains("files") && is_of_home(&error), "{error}");
    }

    #[test]
    fn a_home_that_its_programs_removed_is_its_own_fault() {
        let place = tempfile::tempdir().unwrap();
        let (gone, file) = (place.path().join("gone"), place.path().join("file"));
        fs::write(&file, "").unwrap();
        for home in [gone, file] {
            let error = copy(&home, &place.path().join("copy")).unwrap_err();
            assert!(is_of_home(&error), "{error:?}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_disk_that_fails_is_not_the_homes_fault() {
        use rustix::io::Errno;

        for (errno, expected) in [
            (Errno::NAMETOOLONG, true),
            (Errno::IO, false),
            (Errno::MFILE, false),
            (Errno::NOSPC, false),
            (Errno::DQUOT, false),
        ] {
            assert_eq!(is_of_home(&errno.into()), expected, "{errno}");
        }
    }
}
