//! Reads a file's lines one at a time, however long somebody else made them.

use std::io::{self, BufRead, Read as _};

/// The lines of a file. Only one is in memory at a time, and only if it has at most as many bytes as allowed.
#[derive(Debug)]
pub struct BoundedLines<R> {
    reader: R,
    most: u64,
    line: Vec<u8>,
}

/// A line of a file.
#[derive(Debug, PartialEq, Eq)]
pub struct BoundedLine<'a> {
    /// The line without its line break; `None` if it is too long.
    pub bytes: Option<&'a [u8]>,
    /// How many bytes it takes up in the file, including its line break.
    pub length: u64,
}

impl<R: BufRead> BoundedLines<R> {
    /// Reads lines of at most `most` bytes, not counting the line break.
    pub fn of(reader: R, most: u64) -> Self {
        Self {
            reader,
            most,
            line: Vec::new(),
        }
    }

    /// Returns the next line. `None` at the end of the file, or if the last line has no line break yet; one that is too
    /// long counts as a line.
    pub fn read(&mut self) -> io::Result<Option<BoundedLine<'_>>> {
        self.line.clear();
        let room = self.most.saturating_add(1);
        let mut length = self.reader.by_ref().take(room).read_until(b'\n', &mut self.line)? as u64;
        if let Some(bytes) = self.line.strip_suffix(b"\n") {
            let bytes = Some(bytes);
            return Ok(Some(BoundedLine { bytes, length }));
        }
        if length < room {
            return Ok(None);
        }
        length += self.reader.skip_until(b'\n')? as u64;
        Ok(Some(BoundedLine { bytes: None, length }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_passed_over_and_counted() {
        let text = b"abc\n\nabcd\nabcdefghijk\nxyz\nno";
        let mut lines = BoundedLines::of(&text[..], 3);
        let mut read = Vec::new();
        while let Some(line) = lines.read().unwrap() {
            read.push((line.bytes.map(<[u8]>::to_vec), line.length));
        }
        let whole = |text: &[u8], length| (Some(text.to_vec()), length);
        assert_eq!(
            read,
            [whole(b"abc", 4), whole(b"", 1), (None, 5), (None, 12), whole(b"xyz", 4)]
        );
    }

    #[test]
    fn a_long_line_without_an_end_is_not_kept_in_memory() {
        let endless = io::repeat(b'x').take(1 << 24);
        let mut lines = BoundedLines::of(io::BufReader::new(endless), 100);
        let line = lines.read().unwrap();
        assert_eq!(
            line,
            Some(BoundedLine {
                bytes: None,
                length: 1 << 24
            })
        );
        assert!(lines.line.capacity() < 1000, "{}", lines.line.capacity());
        assert_eq!(lines.read().unwrap(), None);
    }
}
