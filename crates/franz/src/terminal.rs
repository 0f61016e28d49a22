//! Text for a terminal. Text from a model or a server is displayed but never interpreted.

use std::io::{self, IsTerminal as _, Write};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, Result};
use franz_record::output::{acts, inert};
use indicatif::MultiProgress;
use serde::Serialize;

/// The block at the bottom of the terminal, while there is one.
static FOOT: Mutex<Option<MultiProgress>> = Mutex::new(None);

/// Sets the block above which all other output is written.
pub(crate) fn set_foot(block: Option<MultiProgress>) {
    *FOOT.lock().unwrap_or_else(PoisonError::into_inner) = block;
}

/// Writes to the terminal, above the block at the bottom.
pub(crate) fn above_foot<T>(write: impl FnOnce() -> T) -> T {
    let foot = FOOT.lock().unwrap_or_else(PoisonError::into_inner).clone();
    match foot {
        Some(block) => block.suspend(write),
        None => write(),
    }
}

/// Returns whether stderr is a terminal in which a line can be written again. The terminals of some editors and build
/// services cannot move their cursor.
pub(crate) fn can_rewrite() -> bool {
    io::stderr().is_terminal() && !console::is_dumb()
}

/// Stderr, above the block at the bottom of the terminal.
pub(crate) struct StderrAboveFoot;

impl Write for StderrAboveFoot {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        above_foot(|| io::stderr().write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

/// Replaces each character that a terminal would act on, or that reorders text, with U+FFFD. Line breaks and tabs stay.
pub(crate) fn printable(text: &str) -> String {
    text.chars()
        .map(|c| if acts(c) { char::REPLACEMENT_CHARACTER } else { c })
        .collect()
}

/// Returns the text as a single line that a terminal only displays. Used for text that could otherwise imitate FRANZ's
/// own lines.
pub(crate) fn one_line(text: &str) -> String {
    printable(text).replace(['\n', '\t'], " ")
}

/// Writes a line to stderr. A failure is ignored: if stderr is closed, nobody is left to tell.
pub(crate) fn complain(text: &str) {
    above_foot(|| {
        let _ = writeln!(io::stderr(), "franz: {}", printable(text));
    });
}

/// Writes a line about progress to stderr, so that it stays out of what a command prints. A failure is ignored.
pub(crate) fn progress(line: &str) {
    above_foot(|| {
        let _ = writeln!(io::stderr(), "{}", one_line(line));
    });
}

/// Writes a line to stdout. A failure is ignored: if stdout is closed, nobody is left to tell.
pub(crate) fn say(line: &str) {
    above_foot(|| {
        let _ = writeln!(io::stdout(), "{}", one_line(line));
    });
}

/// Writes a value to `out` as a line of JSON without control characters that a terminal would act on.
pub(crate) fn write_json(out: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    let line = serde_json::to_vec(value)?;
    out.write_all(&inert(&line))?;
    writeln!(out)
}

/// A thread that prints lines for those who must not wait. If the terminal is stopped or nobody reads the pipe, it drops
/// lines instead of blocking.
pub(crate) struct Printer {
    /// `None` only while this is being dropped.
    lines: Option<SyncSender<Line>>,
    /// Closed when the thread has printed all lines. Locked so that threads can share this.
    ended: Mutex<Receiver<()>>,
}

enum Line {
    Out(String),
    Err(String),
}

impl Printer {
    /// How many lines can be queued.
    const WAITING: usize = 1024;
    /// How long it may take to print the last lines.
    const PATIENCE: Duration = Duration::from_secs(1);

    pub(crate) fn new() -> Result<Printer> {
        let (sender, lines) = sync_channel(Printer::WAITING);
        let (ending, ended) = sync_channel(0);
        let started = std::thread::Builder::new().name("printer".to_owned()).spawn(move || {
            let _ending: SyncSender<()> = ending;
            for line in lines {
                let _ = above_foot(|| match line {
                    Line::Out(line) => writeln!(io::stdout(), "{}", printable(&line)),
                    Line::Err(line) => writeln!(io::stderr(), "{}", printable(&line)),
                });
            }
        });
        started.context("cannot start the output thread")?;
        Ok(Printer {
            lines: Some(sender),
            ended: Mutex::new(ended),
        })
    }

    /// Prints a line to stdout.
    pub(crate) fn say(&self, line: &str) {
        self.print(Line::Out(line.to_owned()));
    }

    /// Prints a line to stderr.
    pub(crate) fn complain(&self, line: &str) {
        self.print(Line::Err(line.to_owned()));
    }

    fn print(&self, line: Line) {
        if let Some(lines) = &self.lines {
            let _ = lines.try_send(line);
        }
    }
}

impl Drop for Printer {
    /// Waits for the last lines to be printed, unless nobody reads them.
    fn drop(&mut self) {
        self.lines = None;
        let ended = self.ended.get_mut().unwrap_or_else(PoisonError::into_inner);
        let _ = ended.recv_timeout(Printer::PATIENCE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_are_shown_and_not_obeyed() {
        assert_eq!(
            printable("a\x1b[2Jb\r\u{9b}1m\u{202e}c\u{2028}d\n\té 家"),
            "a\u{fffd}[2Jb\u{fffd}\u{fffd}1m\u{fffd}c\u{fffd}d\n\té 家"
        );
    }

    #[test]
    fn a_report_obeys_no_character_that_the_terminal_hides() {
        for c in ('\0'..=char::MAX).filter(|c| !matches!(c, '\n' | '\t')) {
            assert_eq!(franz_suite::report::acts(c), acts(c), "{c:?}");
        }
    }
}
