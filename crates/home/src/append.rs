//! A file to which only whole entries are appended.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write};

use crate::home::Home;

/// A file to which whole entries are appended. A failed append leaves its length unchanged.
pub struct AppendFile<F = File> {
    file: F,
    length: u64,
    /// Whether part of a failed entry might still follow the first `length` bytes.
    torn: bool,
    /// Whether a crash cut the last line short, so that the next entry has to end it.
    unterminated: bool,
}

impl AppendFile {
    /// Opens the file `name`, creating it if needed.
    pub fn open(home: &Home, name: &str) -> io::Result<Self> {
        let mut file = home.append(name)?;
        let length = file.metadata()?.len();
        let mut last = [b'\n'];
        if length > 0 {
            file.seek(SeekFrom::End(-1))?;
            file.read_exact(&mut last)?;
        }
        Ok(Self {
            file,
            length,
            torn: false,
            unterminated: last != [b'\n'],
        })
    }

    /// Flushes all appended entries to disk.
    pub fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }
}

impl<F: Write + Truncate> AppendFile<F> {
    /// Returns the size of the file in bytes.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Empties the file.
    pub fn clear(&mut self) -> io::Result<()> {
        self.file.truncate(0)?;
        self.length = 0;
        (self.torn, self.unterminated) = (false, false);
        Ok(())
    }

    /// Appends `entry` as a whole, in one write. If that fails, appends nothing.
    pub fn append(&mut self, entry: &[u8]) -> io::Result<()> {
        self.mend()?;
        let ended;
        let entry = if self.unterminated {
            ended = [b"\n", entry].concat();
            &ended
        } else {
            entry
        };
        let outcome = self.file.write_all(entry);
        if outcome.is_ok() {
            self.length += entry.len() as u64;
            self.unterminated = false;
        } else {
            self.torn = true;
            // If this fails too, the next append retries it before writing. The first error is the one to report.
            let _ = self.mend();
        }
        outcome
    }

    /// Takes back everything after the first `length` bytes.
    pub fn take_back(&mut self, length: u64) {
        (self.length, self.torn) = (length, true);
        // If this fails, the next append retries it before writing.
        let _ = self.mend();
    }

    fn mend(&mut self) -> io::Result<()> {
        if self.torn {
            self.file.truncate(self.length)?;
            self.torn = false;
        }
        Ok(())
    }
}

/// A file that can be truncated.
pub trait Truncate {
    /// Cuts the file off after `length` bytes.
    fn truncate(&mut self, length: u64) -> io::Result<()>;
}

impl Truncate for File {
    fn truncate(&mut self, length: u64) -> io::Result<()> {
        self.set_len(length)
    }
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;

    use super::*;

    /// A disk with space for `room` bytes. It refuses the first `refusals` requests to truncate a file.
    struct SmallDisk {
        content: Vec<u8>,
        room: usize,
        refusals: usize,
    }

    impl Write for SmallDisk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let fits = bytes.len().min(self.room - self.content.len());
            self.content.extend(&bytes[..fits]);
            if fits == 0 {
                Err(ErrorKind::StorageFull.into())
            } else {
                Ok(fits)
            }
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Truncate for SmallDisk {
        fn truncate(&mut self, length: u64) -> io::Result<()> {
            if self.refusals > 0 {
                self.refusals -= 1;
                return Err(ErrorKind::Other.into());
            }
            self.content.truncate(length as usize);
            Ok(())
        }
    }

    fn on_small_disk(room: usize, refusals: usize) -> AppendFile<SmallDisk> {
        let file = SmallDisk {
            content: Vec::new(),
            room,
            refusals,
        };
        AppendFile {
            file,
            length: 0,
            torn: false,
            unterminated: false,
        }
    }

    #[test]
    fn no_partial_line_remains_on_a_full_disk() {
        for room in 4..8 {
            let mut file = on_small_disk(room, 0);
            file.append(b"one\n").unwrap();
            assert_eq!(file.append(b"two\n").unwrap_err().kind(), ErrorKind::StorageFull);
            assert_eq!(file.file.content, b"one\n");
            file.file.room = 8;
            file.append(b"2nd\n").unwrap();
            assert_eq!(file.file.content, b"one\n2nd\n");
            assert_eq!(file.length(), 8);
        }
    }

    #[test]
    fn an_entry_can_be_taken_back() {
        for refusals in 0..2 {
            let mut file = on_small_disk(20, refusals);
            file.append(b"one\n").unwrap();
            file.append(b"two\n").unwrap();
            file.take_back(4);
            assert_eq!(file.length(), 4);
            file.append(b"2nd\n").unwrap();
            assert_eq!(file.file.content, b"one\n2nd\n");
        }
    }

    #[test]
    fn a_failed_truncation_is_repeated_before_the_next_entry() {
        let mut file = on_small_disk(6, 2);
        file.append(b"one\n").unwrap();
        file.append(b"two\n").unwrap_err();
        assert_eq!(file.file.content, b"one\ntw");
        file.file.room = 20;
        file.append(b"two\n").unwrap_err();
        assert_eq!(file.file.content, b"one\ntw");
        file.append(b"two\n").unwrap();
        assert_eq!(file.file.content, b"one\ntwo\n");
    }

    #[test]
    fn an_existing_file_grows() {
        let directory = tempfile::tempdir().unwrap();
        let home = Home::claim(directory.path()).unwrap();
        for entry in ["one\n", "two\n"] {
            let mut file = AppendFile::open(&home, "lines").unwrap();
            file.append(entry.as_bytes()).unwrap();
        }
        assert_eq!(std::fs::read_to_string(home.path_of("lines")).unwrap(), "one\ntwo\n");
    }

    #[test]
    fn a_line_that_a_crash_cut_short_does_not_swallow_the_next() {
        let directory = tempfile::tempdir().unwrap();
        let home = Home::claim(directory.path()).unwrap();
        std::fs::write(directory.path().join("lines"), "one\ntw").unwrap();
        let mut file = AppendFile::open(&home, "lines").unwrap();
        for entry in ["three\n", "four\n"] {
            file.append(entry.as_bytes()).unwrap();
        }
        let lines = std::fs::read_to_string(home.path_of("lines")).unwrap();
        assert_eq!(lines, "one\ntw\nthree\nfour\n");
        assert_eq!(file.length(), lines.len() as u64);
    }
}
