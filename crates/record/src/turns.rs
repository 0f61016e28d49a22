//! The files of turn lines: their names, and a writer that appends to the newest one.

use std::fmt;
use std::num::NonZeroU64;

use franz_home::{AppendFile, DiskError, Home, View};

/// A range of turns that are stored in one file, both ends included. Displayed as the file's name,
/// `turns_0001_1000.jsonl`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Batch {
    /// The first turn.
    pub first: u64,
    /// The last turn.
    pub last: u64,
}

impl Batch {
    /// Parses the name of a file of turn lines; `None` for any other file.
    pub fn parse(name: &str) -> Option<Self> {
        let (first, last) = name.strip_prefix("turns_")?.strip_suffix(".jsonl")?.split_once('_')?;
        let batch = Self {
            first: first.parse().ok()?,
            last: last.parse().ok()?,
        };
        (batch.to_string() == name).then_some(batch)
    }

    /// Returns the batches of the run in `view`, in the order in which they were written.
    pub fn list(view: &View) -> Result<Vec<Self>, DiskError> {
        let mut batches: Vec<Self> = view.names()?.iter().filter_map(|name| Self::parse(name)).collect();
        batches.sort_unstable();
        Ok(batches)
    }

    /// Returns the batch for `turn`, given the `newest` one so far. A batch that has been started is filled to its end
    /// and never overlaps another, even if the run continues with a different `size`.
    fn of(turn: u64, size: NonZeroU64, newest: Option<Self>) -> Self {
        if let Some(newest) = newest.filter(|newest| turn <= newest.last) {
            return newest;
        }
        let index = turn.saturating_sub(1) / size;
        let first = index.saturating_mul(size.get()).saturating_add(1);
        let free = newest.map_or(1, |newest| newest.last.saturating_add(1));
        Self {
            first: first.max(free),
            last: index.saturating_add(1).saturating_mul(size.get()),
        }
    }
}

impl fmt::Display for Batch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "turns_{:04}_{:04}.jsonl", self.first, self.last)
    }
}

/// Appends turn lines to the newest batch and begins new ones.
pub(crate) struct TurnFiles {
    home: Home,
    size: NonZeroU64,
    durable: bool,
    newest: Option<Batch>,
    /// The file of `newest`, opened when a line is first appended to it.
    file: Option<AppendFile>,
}

impl TurnFiles {
    /// Continues after the batches in `home`.
    pub(crate) fn open(home: &Home, size: NonZeroU64, durable: bool) -> Result<Self, DiskError> {
        let newest = Batch::list(home)?.pop();
        Ok(Self {
            home: home.clone(),
            size,
            durable,
            newest,
            file: None,
        })
    }

    /// Appends the `line` of `turn` as a whole, or not at all.
    pub(crate) fn append(&mut self, turn: u64, line: &[u8]) -> Result<(), DiskError> {
        let batch = Batch::of(turn, self.size, self.newest);
        let name = batch.to_string();
        if self.newest != Some(batch) {
            self.file = None;
        }
        let failed = || DiskError::when("append to", &self.home.path_of(&name));
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(begin(&self.home, &name, self.durable)?),
        };
        self.newest = Some(batch);
        file.append(line).map_err(failed())?;
        if self.durable {
            file.sync().map_err(failed())
        } else {
            Ok(())
        }
    }
}

fn begin(home: &Home, name: &str, durable: bool) -> Result<AppendFile, DiskError> {
    let file = AppendFile::open(home, name).map_err(DiskError::when("open", &home.path_of(name)))?;
    if durable {
        home.sync()?;
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn size(turns: u64) -> NonZeroU64 {
        NonZeroU64::new(turns).unwrap()
    }

    #[test]
    fn only_well_formed_names_are_read_back() {
        for (first, last) in [(1, 1000), (9001, 10_000), (1, u64::MAX)] {
            let batch = Batch { first, last };
            assert_eq!(Batch::parse(&batch.to_string()), Some(batch));
        }
        assert_eq!(Batch { first: 1, last: 1000 }.to_string(), "turns_0001_1000.jsonl");
        for name in [
            "turns_0001_1000.jsonl.cut",
            "turns_1_1000.jsonl",
            "turns_0001.jsonl",
            "turns_+001_1000.jsonl",
            "",
        ] {
            assert_eq!(Batch::parse(name), None, "{name}");
        }
    }

    #[test]
    fn batches_never_overlap() {
        let old = |first, last| Some(Batch { first, last });
        let cases = [
            (1, 1000, None, (1, 1000)),
            (1000, 1000, None, (1, 1000)),
            (1001, 1000, old(1, 1000), (1001, 2000)),
            (600, 500, old(1, 1000), (1, 1000)),
            (1001, 500, old(1, 1000), (1001, 1500)),
            (501, 1000, old(1, 500), (501, 1000)),
            (1, 1, None, (1, 1)),
            (u64::MAX, 10, None, (u64::MAX - 4, u64::MAX)),
        ];
        for (turn, turns, newest, (first, last)) in cases {
            assert_eq!(
                Batch::of(turn, size(turns), newest),
                Batch { first, last },
                "turn {turn} by {turns}"
            );
        }
    }

    #[test]
    fn a_run_continues_in_order_with_another_batch_size() {
        let directory = tempfile::tempdir().unwrap();
        let home = Home::claim(directory.path()).unwrap();
        for (turns, by) in [(1..=5, 2), (6..=9, 3), (10..=12, 100)] {
            let mut files = TurnFiles::open(&home, size(by), false).unwrap();
            for turn in turns {
                files.append(turn, format!("{turn}\n").as_bytes()).unwrap();
            }
        }
        let batches = Batch::list(&home).unwrap();
        let lines: String = batches
            .iter()
            .map(|batch| fs::read_to_string(home.path_of(&batch.to_string())).unwrap())
            .collect();
        assert_eq!(lines, "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n");
        assert_eq!(batches.len(), 5, "{batches:?}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_named() {
        let directory = tempfile::tempdir().unwrap();
        let batch = Batch { first: 1, last: 10 };
        let home = Home::claim(directory.path()).unwrap();
        franz_home::faults::fill_disk(&home.path_of(&batch.to_string()));
        let mut files = TurnFiles::open(&home, size(10), false).unwrap();
        let error = files.append(1, b"{}\n").unwrap_err().to_string();
        assert!(
            error.contains("turns_0001_0010.jsonl: the disk is full; free some space"),
            "{error}"
        );
    }
}
