//! The files of the log: the newest one, to which lines are appended, and older ones, which are compressed.

use std::io::{self, ErrorKind};
use std::path::PathBuf;
use std::thread::{self, JoinHandle};

use flate2::Compression;
use flate2::bufread::GzEncoder;
use franz_home::{AppendFile, DiskError, Home, cut_unterminated};

use super::{ExchangeOptions, LOG_FILE, older_names, read};

/// A log that begins a new file when the current one is full.
pub(super) struct RotatingLog {
    home: Home,
    pub(super) options: ExchangeOptions,
    file: AppendFile,
    /// The thread that compresses the last full file.
    compressing: Option<JoinHandle<()>>,
}

impl RotatingLog {
    /// Continues the log in `home`. Also returns the path to which an unterminated last line was moved.
    pub(super) fn open(home: &Home, options: ExchangeOptions) -> Result<(Self, Option<PathBuf>), DiskError> {
        let holds_lines = read::holds_lines(home, LOG_FILE);
        let cut = match holds_lines {
            Some(true) => cut_unterminated(home, LOG_FILE)?,
            _ => None,
        };
        let mut log = Self {
            home: home.clone(),
            options,
            file: open_log(home)?,
            compressing: None,
        };
        if holds_lines == Some(false) {
            log.rotate(u32::MAX)?;
        }
        Ok((log, cut))
    }

    pub(super) fn append(&mut self, line: &[u8]) -> Result<(), DiskError> {
        let full = self.file.length() + line.len() as u64 > self.options.max_bytes;
        if full && self.file.length() > 0 {
            self.rotate(self.options.files.saturating_sub(1))?;
        }
        self.file
            .append(line)
            .map_err(DiskError::when("append to", &self.path()))
    }

    pub(super) fn path(&self) -> PathBuf {
        self.home.path_of(LOG_FILE)
    }

    /// Renames each file to the next number, up to `last`, which is overwritten. Then begins a new file.
    fn rotate(&mut self, last: u32) -> Result<(), DiskError> {
        self.finish_compressing();
        let is_free = |number: &u32| older_names(*number).iter().all(|name| self.home.entry(name).is_err());
        let free = (1..=last).find(is_free).unwrap_or(last);
        for number in (2..=free).rev() {
            for (newer, older) in older_names(number - 1).iter().zip(older_names(number)) {
                self.put(newer, &older)?;
            }
        }
        if last == 0 {
            let removed = self.home.remove(LOG_FILE);
            removed.map_err(DiskError::when("rotate", &self.home.path_of(LOG_FILE)))?;
        } else {
            let [plain, compressed] = older_names(1);
            self.put(LOG_FILE, &plain)?;
            let removed = self.home.remove_if_there(&compressed);
            removed.map_err(DiskError::when("rotate", &self.home.path_of(&compressed)))?;
            let home = self.home.clone();
            // A file that cannot be compressed is kept uncompressed.
            self.compressing = Some(thread::spawn(move || drop(compress(&home, &plain, &compressed))));
        }
        self.drop_behind(last);
        self.file = open_log(&self.home)?;
        Ok(())
    }

    /// Removes the files after `last`, which are left over from a higher limit.
    fn drop_behind(&self, last: u32) {
        for number in last.saturating_add(1)..u32::MAX {
            let mut is_removed = false;
            for name in older_names(number) {
                is_removed |= self.home.entry(&name).is_ok() && self.home.remove(&name).is_ok();
            }
            if !is_removed {
                break;
            }
        }
    }

    /// Renames a file. If it does not exist, removes any file with the new name.
    fn put(&self, from: &str, to: &str) -> Result<(), DiskError> {
        let put = match self.home.rename(from, to) {
            Err(error) if error.kind() == ErrorKind::NotFound => self.home.remove_if_there(to),
            put => put,
        };
        put.map_err(DiskError::when("rotate", &self.home.path_of(from)))
    }

    fn finish_compressing(&mut self) {
        if let Some(compressing) = self.compressing.take() {
            let _ = compressing.join();
        }
    }
}

impl Drop for RotatingLog {
    fn drop(&mut self) {
        self.finish_compressing();
    }
}

/// Replaces a plain file with a compressed one. At every moment, at least one of the two is complete.
fn compress(home: &Home, plain: &str, compressed: &str) -> Result<(), DiskError> {
    let broken = |error| DiskError::when("compress", &home.path_of(plain))(error);
    let file = home.open_file(plain).map_err(broken)?;
    let mut bytes = Vec::new();
    let mut encoder = GzEncoder::new(io::BufReader::new(file), Compression::default());
    io::copy(&mut encoder, &mut bytes).map_err(broken)?;
    // Only once it is on the disk may the plain file go.
    home.replace(compressed, &bytes, true)?;
    home.remove(plain).map_err(broken)
}

fn open_log(home: &Home) -> Result<AppendFile, DiskError> {
    AppendFile::open(home, LOG_FILE).map_err(DiskError::when("open", &home.path_of(LOG_FILE)))
}
