//! What programs show to the X server: a secret that only this user can read.

use std::fs::{File, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

const METHOD: &[u8] = b"MIT-MAGIC-COOKIE-1";

/// The family of addresses that means any (Xauthority's `FamilyWild`).
const ANY: u16 = 0xffff;

/// A secret, in a file in a directory of its own, which is gone when this is dropped.
pub(super) struct Cookie {
    bytes: [u8; 16],
    directory: TempDir,
}

impl Cookie {
    pub(super) fn new() -> io::Result<Cookie> {
        let mut bytes = [0; 16];
        File::open("/dev/urandom")?.read_exact(&mut bytes)?;
        // Both are this user's alone from the beginning.
        let own = Permissions::from_mode(0o700);
        let directory = tempfile::Builder::new()
            .prefix("franz-desktop-")
            .permissions(own)
            .tempdir()?;
        let cookie = Cookie { bytes, directory };
        let mut file = tempfile::NamedTempFile::new_in(cookie.directory.path())?;
        file.write_all(&entry(&bytes))?;
        file.persist(cookie.path())?;
        Ok(cookie)
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) fn path(&self) -> PathBuf {
        self.directory().join("Xauthority")
    }

    /// Where else the desktop may keep something.
    pub(super) fn directory(&self) -> &Path {
        self.directory.path()
    }
}

/// An entry of an Xauthority file, for any address and display: the display's number is not known before the server runs.
fn entry(cookie: &[u8]) -> Vec<u8> {
    let mut entry = ANY.to_be_bytes().to_vec();
    for field in [&b""[..], b"", METHOD, cookie] {
        entry.extend((field.len() as u16).to_be_bytes());
        entry.extend(field);
    }
    entry
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_secret_is_one_that_nobody_else_can_read() {
        let (one, other) = (Cookie::new().unwrap(), Cookie::new().unwrap());
        assert_ne!(one.bytes(), other.bytes());
        let file = std::fs::metadata(one.path()).unwrap();
        assert_eq!(file.permissions().mode() & 0o777, 0o600);
        let directory = std::fs::metadata(one.directory()).unwrap();
        assert_eq!(directory.permissions().mode() & 0o777, 0o700);
        let written = std::fs::read(one.path()).unwrap();
        assert_eq!(written, entry(one.bytes()));
        assert_eq!(written.len(), 2 + 2 + 2 + 2 + METHOD.len() + 2 + 16);
        let path = one.path();
        drop(one);
        assert!(!path.exists());
    }
}
