//! Follows a file to which another process appends lines.

use std::io::{ErrorKind, Read as _, Seek as _, SeekFrom};
use std::sync::Arc;

use franz_home::{DiskError, View};
use memchr::memchr;

use super::place::HistoryFile;

/// The maximum length of a line to read. The longest line that an agent writes contains a reply of at most 64 MB.
const LONGEST_LINE: usize = 128 << 20;

const CHUNK: usize = 1 << 20;

/// Yields each complete line once. If the last line has no line break, it is not complete yet.
#[derive(Debug)]
pub(super) struct Tail {
    file: Arc<HistoryFile>,
    /// How many bytes have been processed.
    taken: u64,
    /// Whether `taken` is in the middle of a line that is too long.
    passing_over: bool,
}

/// A line without its line break, and its position.
pub(super) struct TailLine<'a> {
    pub(super) offset: u64,
    /// The line; `None` if it is too long.
    pub(super) bytes: Option<&'a [u8]>,
}

impl Tail {
    pub(super) fn of(view: &View, name: String) -> Self {
        let view = view.clone();
        Self {
            file: Arc::new(HistoryFile { view, name }),
            taken: 0,
            passing_over: false,
        }
    }

    pub(super) fn file(&self) -> &Arc<HistoryFile> {
        &self.file
    }

    /// Passes on the lines that have been completed since the last call. If the file does not exist, there are no lines
    /// yet.
    pub(super) fn read(&mut self, mut each: impl FnMut(TailLine<'_>)) -> Result<(), DiskError> {
        let HistoryFile { view, name } = &*Arc::clone(&self.file);
        let failed = || DiskError::when("read", &view.path_of(name));
        let mut file = match view.open_file(name) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(failed()(error)),
        };
        // A file can be cut back to its last complete line, which ends at `taken`. If it is shorter than that, somebody
        // has tampered with it.
        if file.metadata().map_err(failed())?.len() <= self.taken {
            return Ok(());
        }
        file.seek(SeekFrom::Start(self.taken)).map_err(failed())?;
        let mut buffer = Vec::new();
        loop {
            let searched = buffer.len();
            let read = file.by_ref().take(CHUNK as u64).read_to_end(&mut buffer);
            if read.map_err(failed())? == 0 {
                return Ok(());
            }
            self.lines(&mut buffer, searched, &mut each);
        }
    }

    /// Passes on the complete lines in `buffer`, which begins at the offset `taken`, and leaves the rest in the buffer.
    fn lines(&mut self, buffer: &mut Vec<u8>, searched: usize, each: &mut impl FnMut(TailLine<'_>)) {
        let mut start = 0;
        let mut from = searched;
        while let Some(found) = buffer.get(from..).and_then(|rest| memchr(b'\n', rest)) {
            let end = from + found;
            each(TailLine {
                offset: self.taken,
                bytes: buffer.get(start..end).filter(|_| !self.passing_over),
            });
            self.passing_over = false;
            self.taken += (end + 1 - start) as u64;
            (start, from) = (end + 1, end + 1);
        }
        buffer.drain(..start);
        if buffer.len() > LONGEST_LINE || self.passing_over {
            self.passing_over = true;
            self.taken += buffer.len() as u64;
            buffer.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, OpenOptions};
    use std::io::Write as _;

    use proptest::prelude::*;

    use super::*;

    fn lines(tail: &mut Tail) -> Vec<(u64, String)> {
        let mut lines = Vec::new();
        tail.read(|line| {
            let text = line.bytes.map(|bytes| String::from_utf8_lossy(bytes).into_owned());
            lines.push((line.offset, text.unwrap_or_else(|| "too long".to_owned())));
        })
        .unwrap();
        lines
    }

    #[test]
    fn each_complete_line_comes_once() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("lines");
        let mut tail = Tail::of(&View::open(directory.path()).unwrap(), "lines".to_owned());
        assert_eq!(lines(&mut tail), []);
        fs::write(&path, "one\n\ntw").unwrap();
        assert_eq!(lines(&mut tail), [(0, "one".into()), (4, String::new())]);
        assert_eq!(lines(&mut tail), []);
        fs::write(&path, "one\n\n").unwrap();
        assert_eq!(lines(&mut tail), []);
        fs::write(&path, "one\n\n2\nthree\n").unwrap();
        assert_eq!(lines(&mut tail), [(5, "2".into()), (7, "three".into())]);
        fs::write(&path, "").unwrap();
        assert_eq!(lines(&mut tail), []);
    }

    #[test]
    fn a_line_that_is_too_long_is_passed_over() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("lines");
        let file = fs::File::create(&path).unwrap();
        // Leave a hole in the file, because writing a hole takes neither time nor space.
        file.set_len(LONGEST_LINE as u64 + 5).unwrap();
        let mut tail = Tail::of(&View::open(directory.path()).unwrap(), "lines".to_owned());
        assert_eq!(lines(&mut tail), []);
        let mut file = OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(b"the end\nnext\n").unwrap();
        let found = lines(&mut tail);
        assert_eq!(found[0].1, "too long");
        assert_eq!(found[1], (LONGEST_LINE as u64 + 13, "next".into()));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn a_line_is_read_whole_however_it_arrives(text in "[ab\n]{0,60}", cuts in prop::collection::vec(0_usize..60, 0..6)) {
            let directory = tempfile::tempdir().unwrap();
            let path = directory.path().join("lines");
            let mut tail = Tail::of(&View::open(directory.path()).unwrap(), "lines".to_owned());
            let mut cuts = cuts;
            cuts.sort_unstable();
            let mut seen = Vec::new();
            for cut in cuts.into_iter().chain([text.len()]) {
                fs::write(&path, &text[..cut.min(text.len())]).unwrap();
                seen.extend(lines(&mut tail).into_iter().map(|(_, line)| line));
            }
            let mut expected: Vec<&str> = text.split('\n').collect();
            expected.pop();
            prop_assert_eq!(seen, expected);
        }
    }
}
