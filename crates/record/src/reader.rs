//! Reads a run back, even while it is being written. Never repairs anything.

use std::collections::VecDeque;
use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;
use std::vec;

use franz_home::{BoundedLines, DiskError, LARGEST, View};
use serde::de::Error as _;
use thiserror::Error;

use crate::turn::TurnLine;
use crate::turns::Batch;

/// Something that could not be read. Reading continues after it.
#[derive(Debug, Error)]
pub enum ReadError {
    /// A line is not a turn.
    #[error("{}, line {line}, is not a turn: {source}; skipping it", file.display())]
    BadLine {
        /// The file of turn lines.
        file: PathBuf,
        /// The line's number, from 1.
        line: u64,
        /// The error in the line.
        source: serde_json::Error,
    },
    /// A file or the directory cannot be read. The rest of it is skipped.
    #[error(transparent)]
    Disk(#[from] DiskError),
}

/// The turn lines of a run in the order in which they were written, one in memory at a time.
///
/// If the last line has no line break, it is not complete yet and is left out.
pub struct TurnLines {
    view: View,
    batches: vec::IntoIter<Batch>,
    current: Option<OpenBatch>,
}

impl TurnLines {
    /// Opens all turn lines of the run in `view` that exist now.
    pub fn open(view: &View) -> Result<Self, DiskError> {
        Ok(Self::of(view, Batch::list(view)?))
    }

    /// Returns the last `count` turn lines of the run in `view`, oldest first, and any errors in the files that it
    /// opened for this purpose. Does not open older files.
    pub fn newest(view: &View, count: usize) -> Result<(Vec<TurnLine>, Vec<ReadError>), DiskError> {
        let mut newest = VecDeque::new();
        let mut unreadable = Vec::new();
        let mut batches = Batch::list(view)?;
        while newest.len() < count
            && let Some(batch) = batches.pop()
        {
            let (lines, mut errors) = last_lines(view, batch, count - newest.len());
            lines.into_iter().rev().for_each(|line| newest.push_front(line));
            errors.append(&mut unreadable);
            unreadable = errors;
        }
        Ok((newest.into(), unreadable))
    }

    /// Opens only the turn lines in these `batches`.
    fn of(view: &View, batches: Vec<Batch>) -> Self {
        Self {
            view: view.clone(),
            batches: batches.into_iter(),
            current: None,
        }
    }

    fn next_batch(&mut self) -> Option<Result<(), DiskError>> {
        let name = self.batches.next()?.to_string();
        let opened = OpenBatch::open(&self.view, &name).map(|batch| self.current = Some(batch));
        Some(opened)
    }
}

impl Iterator for TurnLines {
    type Item = Result<TurnLine, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(current) = &mut self.current {
                match current.next_line() {
                    Ok(Some(turn)) => return Some(turn),
                    Ok(None) => self.current = None,
                    Err(error) => {
                        self.current = None;
                        return Some(Err(error.into()));
                    }
                }
            }
            if let Err(error) = self.next_batch()? {
                return Some(Err(error.into()));
            }
        }
    }
}

/// Returns the last `count` turn lines in one file, and all errors in that file.
fn last_lines(view: &View, batch: Batch, count: usize) -> (VecDeque<TurnLine>, Vec<ReadError>) {
    let mut last = VecDeque::new();
    let mut errors = Vec::new();
    for line in TurnLines::of(view, vec![batch]) {
        match line {
            Ok(line) => last.push_back(line),
            Err(error) => errors.push(error),
        }
        if last.len() > count {
            last.pop_front();
        }
    }
    (last, errors)
}

struct OpenBatch {
    path: PathBuf,
    lines: BoundedLines<BufReader<File>>,
    line: u64,
}

impl OpenBatch {
    fn open(view: &View, name: &str) -> Result<Self, DiskError> {
        let path = view.path_of(name);
        let file = view.open_file(name).map_err(DiskError::when("read", &path))?;
        Ok(Self {
            path,
            lines: BoundedLines::of(BufReader::new(file), LARGEST),
            line: 0,
        })
    }

    /// Returns the next turn. `None` at the end of the file, or if the next line is not complete.
    fn next_line(&mut self) -> Result<Option<Result<TurnLine, ReadError>>, DiskError> {
        let next = self.lines.read().map_err(DiskError::when("read", &self.path))?;
        let Some(line) = next else { return Ok(None) };
        self.line += 1;
        let turn = match line.bytes {
            Some(bytes) => serde_json::from_slice(bytes),
            None => Err(serde_json::Error::custom(format!("it is longer than {LARGEST} bytes"))),
        };
        Ok(Some(turn.map_err(|source| ReadError::BadLine {
            file: self.path.clone(),
            line: self.line,
            source,
        })))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write as _;

    use super::*;

    fn read(files: &[(&str, &[u8])]) -> Vec<Result<u64, String>> {
        let directory = tempfile::tempdir().unwrap();
        for (name, content) in files {
            fs::write(directory.path().join(name), content).unwrap();
        }
        let lines = TurnLines::open(&View::open(directory.path()).unwrap()).unwrap();
        lines
            .map(|line| line.map(|line| line.turn).map_err(|error| error.to_string()))
            .collect()
    }

    #[test]
    fn all_files_are_read_in_order() {
        let turns = read(&[
            ("turns_10001_20000.jsonl", b"{\"turn\":10001}\n"),
            ("turns_0001_5000.jsonl", b"{\"turn\":1}\n{\"turn\":2}\n"),
            ("turns_5001_10000.jsonl", b""),
            ("turns_0001_5000.jsonl.cut", b"{\"turn\":3}\n"),
        ]);
        assert_eq!(turns, [Ok(1), Ok(2), Ok(10_001)]);
    }

    #[test]
    fn the_newest_lines_are_read_from_as_few_files_as_hold_them() {
        let directory = tempfile::tempdir().unwrap();
        for (name, content) in [
            (
                "turns_0001_0003.jsonl",
                "bad\n{\"turn\":1}\n{\"turn\":2}\n{\"turn\":3}\n",
            ),
            ("turns_0004_0006.jsonl", "{\"turn\":4}\nbad\n{\"turn\":6}\n"),
            ("turns_0007_0009.jsonl", ""),
            (
                "turns_0010_0012.jsonl",
                "{\"turn\":10}\n{\"turn\":11}\nbad\n{\"turn\":12}",
            ),
        ] {
            fs::write(directory.path().join(name), content).unwrap();
        }
        // If this file were opened, that would fail and be reported.
        fs::create_dir(directory.path().join("turns_0000_0000.jsonl")).unwrap();
        let cases: [(usize, &[u64], usize); 9] = [
            (0, &[], 0),
            (1, &[11], 1),
            (2, &[10, 11], 1),
            (3, &[6, 10, 11], 2),
            (4, &[4, 6, 10, 11], 2),
            (5, &[3, 4, 6, 10, 11], 3),
            (7, &[1, 2, 3, 4, 6, 10, 11], 3),
            (8, &[1, 2, 3, 4, 6, 10, 11], 4),
            (usize::MAX, &[1, 2, 3, 4, 6, 10, 11], 4),
        ];
        for (count, turns, told) in cases {
            let (lines, unreadable) = TurnLines::newest(&View::open(directory.path()).unwrap(), count).unwrap();
            assert_eq!(lines.iter().map(|line| line.turn).collect::<Vec<_>>(), turns, "{count}");
            assert_eq!(unreadable.len(), told, "{count}: {unreadable:?}");
            assert_eq!(matches!(unreadable.first(), Some(ReadError::Disk(_))), told == 4);
        }
        let empty = tempfile::tempdir().unwrap();
        assert!(
            TurnLines::newest(&View::open(empty.path()).unwrap(), 3)
                .unwrap()
                .0
                .is_empty()
        );
        View::open(&empty.path().join("missing")).unwrap_err();
    }

    #[test]
    fn an_unterminated_line_is_ignored() {
        let turns = read(&[("turns_0001_1000.jsonl", b"{\"turn\":1}\n{\"turn\":2}")]);
        assert_eq!(turns, [Ok(1)]);
    }

    #[test]
    fn bad_lines_are_reported_and_skipped() {
        let hostile: &[&[u8]] = &[
            b"",
            b"{",
            b"{\"turn\":-1}",
            b"\xff\xfe",
            b"{\"story\":\"\xff\",\"turn\":1}",
            b"\0\0\0",
        ];
        for bad in hostile {
            let content = [b"{\"turn\":1}\n", *bad, b"\n{\"turn\":3}\n"].concat();
            let turns = read(&[("turns_0001_1000.jsonl", &content)]);
            assert_eq!((&turns[0], &turns[2], turns.len()), (&Ok(1), &Ok(3), 3));
            let message = turns[1].as_ref().unwrap_err();
            assert!(
                message.contains("turns_0001_1000.jsonl, line 2, is not a turn: "),
                "{message}"
            );
        }
    }

    #[test]
    fn a_line_that_is_longer_than_any_turn_is_reported_and_skipped() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("turns_0001_1000.jsonl");
        // A hole takes no space on the disk.
        fs::File::create(&path).unwrap().set_len(LARGEST + 1).unwrap();
        let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(b"\n{\"turn\":2}\n").unwrap();
        let lines = TurnLines::open(&View::open(directory.path()).unwrap()).unwrap();
        let read: Vec<_> = lines.collect();
        let message = read[0].as_ref().unwrap_err().to_string();
        let told = "turns_0001_1000.jsonl, line 1, is not a turn: it is longer than 268435456 bytes; skipping it";
        assert!(message.ends_with(told), "{message}");
        assert_eq!((read[1].as_ref().unwrap().turn, read.len()), (2, 2));
    }

    #[test]
    fn a_file_that_cannot_be_read_is_reported_and_skipped() {
        let directory = tempfile::tempdir().unwrap();
        fs::create_dir(directory.path().join("turns_0001_1000.jsonl")).unwrap();
        fs::write(directory.path().join("turns_1001_2000.jsonl"), "{\"turn\":1001}\n").unwrap();
        let mut lines = TurnLines::open(&View::open(directory.path()).unwrap()).unwrap();
        assert!(matches!(lines.next(), Some(Err(ReadError::Disk(_)))));
        assert_eq!(lines.next().unwrap().unwrap().turn, 1001);
        assert!(lines.next().is_none());
    }
}
