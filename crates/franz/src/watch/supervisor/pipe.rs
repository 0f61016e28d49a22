//! Lines to and from another process.

use std::time::Duration;

use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::ChildStdin;
use tokio::time::timeout;

/// The maximum length of a line. Longer ones are dropped; an event carries at most two stories.
const LONGEST_LINE: u64 = 64 << 20;

/// How long to wait while a pipe is full.
const PATIENCE: Duration = Duration::from_secs(1);

/// Reads the lines of a pipe as they arrive.
pub(super) struct PipeLines {
    pipe: Option<BufReader<Box<dyn AsyncRead + Send + Unpin>>>,
    line: Vec<u8>,
    /// Whether the current line is too long to keep.
    too_long: bool,
}

impl PipeLines {
    pub(super) fn of(pipe: Option<impl AsyncRead + Send + Unpin + 'static>) -> PipeLines {
        PipeLines {
            pipe: pipe.map(|pipe| BufReader::new(Box::new(pipe) as Box<dyn AsyncRead + Send + Unpin>)),
            line: Vec::new(),
            too_long: false,
        }
    }

    /// Checks whether more lines can come.
    pub(super) fn is_open(&self) -> bool {
        self.pipe.is_some()
    }

    /// Returns the next line without its line break; `None` if there are no more lines. Dropping the unfinished future
    /// loses no data.
    pub(super) async fn next(&mut self) -> Option<String> {
        loop {
            let pipe = self.pipe.as_mut()?;
            let room = LONGEST_LINE.saturating_sub(self.line.len() as u64).max(1);
            let read = pipe.take(room).read_until(b'\n', &mut self.line).await;
            if !matches!(read, Ok(1..)) {
                self.pipe = None;
            }
            let complete = self.line.ends_with(b"\n");
            if !complete && self.line.len() as u64 >= LONGEST_LINE {
                self.too_long = true;
                self.line.clear();
            } else if complete || (self.pipe.is_none() && !self.line.is_empty()) {
                let line = std::mem::take(&mut self.line);
                if !std::mem::take(&mut self.too_long) {
                    return Some(String::from_utf8_lossy(line.trim_ascii_end()).into_owned());
                }
            }
        }
    }
}

/// Writes a line. If the process no longer reads, closes its stdin, so that it gets no further lines.
pub(super) async fn write_line(stdin: &mut Option<ChildStdin>, line: &str) {
    let Some(pipe) = stdin else { return };
    let line = format!("{line}\n");
    let written = timeout(PATIENCE, pipe.write_all(line.as_bytes())).await;
    if !matches!(written, Ok(Ok(()))) {
        *stdin = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn lines_arrive_one_by_one_and_the_last_needs_no_newline() {
        let mut lines = PipeLines::of(Some(&b"one\r\n\ntwo\xff\nthree"[..]));
        for line in ["one", "", "two\u{fffd}", "three"] {
            assert_eq!(lines.next().await.as_deref(), Some(line));
        }
        assert_eq!(lines.next().await, None);
        assert!(!lines.is_open());
    }
}
