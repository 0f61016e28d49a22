//! A file to which only JSON lines are appended, such as a run's verdicts.

use std::path::PathBuf;

use franz_home::{AppendFile, DiskError, Home, cut_unterminated};
use serde::Serialize;

use crate::line::to_line;

/// Appends whole lines.
pub struct LineFile {
    path: PathBuf,
    file: AppendFile,
}

impl LineFile {
    /// Opens the file `name`, creating it if needed. If its last line is not terminated, the line is moved to the
    /// returned path.
    pub fn open(home: &Home, name: &str) -> Result<(Self, Option<PathBuf>), DiskError> {
        let path = home.path_of(name);
        let cut = cut_unterminated(home, name)?;
        let file = AppendFile::open(home, name).map_err(DiskError::when("open", &path))?;
        Ok((Self { path, file }, cut))
    }

    /// Appends `value` as one line of JSON.
    pub fn append(&mut self, value: &impl Serialize) -> Result<(), DiskError> {
        let line = to_line(value).and_then(|line| self.file.append(&line));
        line.map_err(DiskError::when("append to", &self.path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn appends_after_the_last_complete_line() {
        let directory = tempfile::tempdir().unwrap();
        let home = Home::claim(directory.path()).unwrap();
        let path = directory.path().join("verdicts.jsonl");
        let (mut lines, cut) = LineFile::open(&home, "verdicts.jsonl").unwrap();
        assert_eq!(cut, None);
        lines.append(&"one").unwrap();
        std::fs::write(&path, "\"one\"\n\"tw").unwrap();
        let (mut lines, cut) = LineFile::open(&home, "verdicts.jsonl").unwrap();
        lines.append(&"three").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "\"one\"\n\"three\"\n");
        assert_eq!(std::fs::read_to_string(cut.unwrap()).unwrap(), "\"tw\n");
    }
}
