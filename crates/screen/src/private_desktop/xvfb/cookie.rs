//! The secret that programs present to the X server; only this user can read it.

use std::fs::{File, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

const METHOD: &[u8] = b"MIT-MAGIC-COOKIE-1";

/// The address family that matches any address (Xauthority's `FamilyWild`).
const ANY: u16 = 0xffff;

/// The family of this machine's own addresses, which are its names (Xauthority's `FamilyLocal`).
const LOCAL: u16 = 256;

/// A secret, in a file in its own directory, which is deleted when this is dropped.
pub(super) struct Cookie {
    bytes: [u8; 16],
    directory: TempDir,
}

impl Cookie {
    #[expect(clippy::disallowed_methods, reason = "it is a device of the system")]
    pub(super) fn new() -> io::Result<Cookie> {
        let mut bytes = [0; 16];
        File::open("/dev/urandom")?.read_exact(&mut bytes)?;
        // Both are accessible only to this user from the start.
        let own = Permissions::from_mode(0o700);
        let directory = tempfile::Builder::new()
            .prefix("franz-desktop-")
            .permissions(own)
            .tempdir()?;
        let cookie = Cookie { bytes, directory };
        let mut file = tempfile::NamedTempFile::new_in(cookie.directory.path())?;
        file.write_all(&entry(ANY, b"", "", &bytes))?;
        file.persist(cookie.path())?;
        Ok(cookie)
    }

    /// Adds the names of the machine and the display, once known, for programs that do not understand "any", such as
    /// those using Python's Xlib.
    #[expect(clippy::disallowed_methods, reason = "it is in a directory that was made at random")]
    pub(super) fn name(&self, display: &str) -> io::Result<()> {
        let number = display.trim_start_matches(':');
        let machine = rustix::system::uname();
        let named = entry(LOCAL, machine.nodename().to_bytes(), number, &self.bytes);
        File::options().append(true).open(self.path())?.write_all(&named)
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) fn path(&self) -> PathBuf {
        self.directory().join("Xauthority")
    }

    /// Returns a directory for other files of the desktop.
    pub(super) fn directory(&self) -> &Path {
        self.directory.path()
    }
}

/// Builds an entry of an Xauthority file. Without a number, the entry is for any display, because the number is unknown
/// until the server runs.
fn entry(family: u16, address: &[u8], number: &str, cookie: &[u8]) -> Vec<u8> {
    let mut entry = family.to_be_bytes().to_vec();
    for field in [address, number.as_bytes(), METHOD, cookie] {
        entry.extend((field.len() as u16).to_be_bytes());
        entry.extend(field);
    }
    entry
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cookie_is_random_and_private() {
        let (one, other) = (Cookie::new().unwrap(), Cookie::new().unwrap());
        assert_ne!(one.bytes(), other.bytes());
        let file = std::fs::metadata(one.path()).unwrap();
        assert_eq!(file.permissions().mode() & 0o777, 0o600);
        let directory = std::fs::metadata(one.directory()).unwrap();
        assert_eq!(directory.permissions().mode() & 0o777, 0o700);
        let written = std::fs::read(one.path()).unwrap();
        assert_eq!(written, entry(ANY, b"", "", one.bytes()));
        assert_eq!(written.len(), 2 + 2 + 2 + 2 + METHOD.len() + 2 + 16);
        one.name(":57").unwrap();
        let both = std::fs::read(one.path()).unwrap();
        let named = both.strip_prefix(written.as_slice()).unwrap();
        let machine = rustix::system::uname().nodename().to_bytes().to_vec();
        assert_eq!(named, entry(LOCAL, &machine, "57", one.bytes()));
        let path = one.path();
        drop(one);
        assert!(!path.exists());
    }
}
