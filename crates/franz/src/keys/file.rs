//! A key in a file that nobody but its owner may read.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use anyhow::Result;

use crate::config::settings_file;
use crate::exit::Unusable;

/// The maximum size of a key in bytes.
const MOST: u64 = 4096;

/// Returns the text of the file at `path`, which Windows PowerShell may have written; `what` names its contents.
pub(super) fn read(what: &str, path: &Path) -> Result<String> {
    let trouble = |why: &dyn std::fmt::Display| Unusable::usage(format!("{what} in {}: {why}", path.display()));
    let mut bytes = Vec::new();
    let file = open(path).map_err(|error| trouble(&error))?;
    check(&file, path).map_err(|why| trouble(&why))?;
    file.take(MOST + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| trouble(&error))?;
    if bytes.len() as u64 > MOST {
        return Err(trouble(&format!("it has more than {MOST} bytes; put nothing else in it")).into());
    }
    let text = settings_file::decode(bytes).map_err(|error| trouble(&error))?;
    Ok(text.trim_start_matches('\u{feff}').to_owned())
}

/// Opens only a regular file, because opening a pipe would block until its other end is opened.
#[expect(
    clippy::disallowed_methods,
    reason = "it is the person's own file, and none of a run"
)]
fn open(path: &Path) -> io::Result<File> {
    if path.metadata()?.is_file() {
        File::open(path)
    } else {
        Err(io::Error::other("it is not a file"))
    }
}

/// Checks that nobody but the owner may read the opened file.
#[cfg(unix)]
fn check(file: &File, path: &Path) -> Result<(), String> {
    use std::os::unix::fs::MetadataExt as _;

    let metadata = file.metadata().map_err(|error| error.to_string())?;
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        return Err(format!(
            "it is owned by another user; take ownership of it: chown $USER {}",
            path.display()
        ));
    }
    if metadata.mode() & 0o077 != 0 {
        return Err(format!("other users can read it; run: chmod 600 {}", path.display()));
    }
    Ok(())
}

/// Does nothing, because on other systems the file's directory decides who may read the file.
#[cfg(not(unix))]
fn check(_: &File, _: &Path) -> Result<(), String> {
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_key_file_that_others_can_read_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("key");
        let said = |mode: u32, text: &[u8]| {
            std::fs::write(&path, text).unwrap();
            std::fs::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
            read("the API key", &path).map_err(|error| error.to_string())
        };
        assert_eq!(said(0o600, b"sk-1\n").unwrap(), "sk-1\n");
        assert_eq!(said(0o400, b"sk-1").unwrap(), "sk-1");
        assert_eq!(said(0o600, b"\xef\xbb\xbfsk-1\r\n").unwrap(), "sk-1\r\n");
        assert_eq!(said(0o600, b"\xff\xfes\0k\0-\x001\0\r\0\n\0").unwrap(), "sk-1\r\n");
        assert!(said(0o600, b"\xff\xfes").unwrap_err().contains("save it as UTF-8"));
        for mode in [0o640, 0o604, 0o620, 0o666] {
            assert!(said(mode, b"sk-1").unwrap_err().contains("chmod 600"), "{mode:o}");
            std::fs::set_permissions(&path, PermissionsExt::from_mode(0o600)).unwrap();
        }
        assert!(
            said(0o600, "x".repeat(5000).as_bytes())
                .unwrap_err()
                .contains("more than 4096 bytes")
        );
        assert!(
            read("the API key", directory.path()).is_err()
                && read("the API key", &directory.path().join("none")).is_err()
        );
    }
}
