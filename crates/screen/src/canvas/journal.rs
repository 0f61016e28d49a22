//! `canvas.jsonl`: every action that changed the canvas, in order, each written before it is drawn.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::PathBuf;

use franz_action::{Action, Outcome};
use franz_home::torn_line::move_unterminated;
use franz_home::{AppendFile, BoundedLines, Home, LARGEST, View};
use serde::{Deserialize, Serialize};

use super::CanvasError;
use crate::screen::ActionId;

pub(super) const NAME: &str = "canvas.jsonl";
/// The file to which an unfinished line left by a crash is moved.
const TORN_NAME: &str = "canvas.jsonl.torn";

/// One line of the journal.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Entry {
    turn: u64,
    index: usize,
    /// The action's canonical text.
    action: String,
}

impl Entry {
    pub(super) fn new(at: ActionId, action: &Action) -> Entry {
        Entry {
            turn: at.turn,
            index: at.index,
            action: action.to_string(),
        }
    }

    pub(super) fn step(&self) -> ActionId {
        ActionId {
            turn: self.turn,
            index: self.index,
        }
    }
}

/// The open journal.
pub(super) struct Journal {
    /// The file, open for appending.
    appended: AppendFile,
    /// The same file, open for reading.
    read: File,
    path: PathBuf,
    /// Whether each line is synced to the disk before its action is drawn.
    pub(super) durable: bool,
    /// The bytes of the last line that was applied or written.
    last_line: Range<u64>,
}

/// The result of a replay.
#[derive(Debug, Default)]
pub(super) struct Replay {
    /// How many actions were drawn.
    pub(super) applied: usize,
    skipped: usize,
    first: Option<String>,
}

impl Replay {
    /// Describes the lines that could not be read, if any.
    pub(super) fn notice(&self) -> Option<String> {
        let first = self.first.as_ref()?;
        Some(format!(
            "{NAME}: {} unreadable lines were skipped, the first {first}",
            self.skipped
        ))
    }

    fn skip(&mut self, position: u64, why: &str) {
        self.skipped += 1;
        self.first.get_or_insert_with(|| format!("at byte {position}: {why}"));
    }
}

impl Journal {
    /// Opens or creates the journal. The returned string describes an unfinished last line, which is moved aside.
    pub(super) fn open(home: &Home) -> Result<(Journal, Option<String>), CanvasError> {
        open_whole(home).map_err(|source| CanvasError::Read {
            path: home.path_of(NAME),
            source,
        })
    }

    /// Returns the byte range of the last line that was drawn.
    pub(super) fn last_line(&self) -> Range<u64> {
        self.last_line.clone()
    }

    /// Returns the entry in this byte range, if the range is exactly one line.
    pub(super) fn entry_at(&mut self, line: Range<u64>) -> Option<Entry> {
        let length = line
            .end
            .checked_sub(line.start)
            .filter(|_| line.end <= self.appended.length())?;
        if length > LARGEST {
            return None;
        }
        let mut bytes = vec![0; usize::try_from(length).ok()?];
        self.read.seek(SeekFrom::Start(line.start)).ok()?;
        self.read.read_exact(&mut bytes).ok()?;
        let text = bytes.strip_suffix(b"\n")?;
        serde_json::from_slice(text).ok()
    }

    /// Appends one line in a single write.
    pub(super) fn append(&mut self, entry: &Entry) -> Result<(), CanvasError> {
        self.append_line(entry).map_err(|source| CanvasError::Write {
            path: self.path.clone(),
            source,
        })
    }

    fn append_line(&mut self, entry: &Entry) -> io::Result<()> {
        let mut line = serde_json::to_vec(entry)?;
        line.push(b'\n');
        let start = self.appended.length();
        self.appended.append(&line)?;
        if self.durable
            && let Err(error) = self.appended.sync()
        {
            self.appended.take_back(start);
            return Err(error);
        }
        self.last_line = start..self.appended.length();
        Ok(())
    }

    /// Calls `apply` with each action from `position` on. `apply` returns `None` for an action that was already drawn.
    pub(super) fn replay(
        &mut self,
        position: u64,
        apply: impl FnMut(ActionId, &Action) -> Option<Outcome>,
    ) -> Result<Replay, CanvasError> {
        self.replay_lines(position, apply).map_err(|source| CanvasError::Read {
            path: self.path.clone(),
            source,
        })
    }

    fn replay_lines(
        &mut self,
        mut position: u64,
        mut apply: impl FnMut(ActionId, &Action) -> Option<Outcome>,
    ) -> io::Result<Replay> {
        let mut replay = Replay::default();
        self.read.seek(SeekFrom::Start(position))?;
        let mut lines = BoundedLines::of(BufReader::new(&self.read), LARGEST);
        while let Some(line) = lines.read()? {
            match line.bytes.map_or_else(|| Err(too_long()), parsed) {
                Ok((step, action)) => {
                    if apply(step, &action).is_some() {
                        replay.applied += 1;
                        self.last_line = position..position + line.length;
                    }
                }
                Err(why) => replay.skip(position, &why),
            }
            position += line.length;
        }
        Ok(replay)
    }

    /// Makes this line the last one drawn; replay continues after it.
    pub(super) fn skip_to(&mut self, line: Range<u64>) {
        self.last_line = line;
    }
}

fn too_long() -> String {
    format!("it is longer than {LARGEST} bytes")
}

fn parsed(line: &[u8]) -> Result<(ActionId, Action), String> {
    let entry: Entry = serde_json::from_slice(line).map_err(|error| error.to_string())?;
    let action = entry.action.parse().map_err(|error| format!("{error}"))?;
    Ok((entry.step(), action))
}

/// Writes the actions up to and including those of `turn` to the journal of another run, which has none yet.
pub(super) fn copy(source: &View, home: &Home, turn: u64) -> io::Result<()> {
    let file = match source.open_file(NAME) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        opened => opened?,
    };
    let mut copied = BufWriter::new(home.append(NAME)?);
    let mut lines = BoundedLines::of(BufReader::new(file), LARGEST);
    while let Some(line) = lines.read()? {
        let Some(bytes) = line.bytes else { continue };
        if serde_json::from_slice::<Entry>(bytes).is_ok_and(|entry| entry.turn <= turn) {
            copied.write_all(bytes)?;
            copied.write_all(b"\n")?;
        }
    }
    copied.flush()
}

fn open_whole(home: &Home) -> io::Result<(Journal, Option<String>)> {
    let moved = move_unterminated(home, NAME, TORN_NAME)?;
    let journal = Journal {
        appended: AppendFile::open(home, NAME)?,
        read: home.open_file(NAME)?,
        path: home.path_of(NAME),
        durable: false,
        last_line: 0..0,
    };
    let notice = || format!("{NAME}: an unfinished last line of {moved} bytes was moved to {TORN_NAME}");
    Ok((journal, (moved > 0).then(notice)))
}
