//! The end of the turn lines, which is where a run goes on.

use std::collections::VecDeque;
use std::path::Path;

use crate::cut::cut_unterminated;
use crate::disk::DiskError;
use crate::reader::{ReadError, TurnLines};
use crate::turn::TurnLine;
use crate::turns::Batch;

/// The two newest turn lines, oldest first: the story of one may be the reply of the other.
/// An unterminated last line is moved aside.
pub(crate) fn newest_two(directory: &Path, notices: &mut Vec<String>) -> Result<Vec<TurnLine>, DiskError> {
    let batches = Batch::list(directory)?;
    if let Some(newest) = batches.last()
        && let Some(cut) = cut_unterminated(&newest.path(directory))?
    {
        notices.push(format!(
            "an unterminated last turn line was moved aside to {}",
            cut.display()
        ));
    }
    newest(directory, batches, 2, notices)
}

/// The `count` newest turn lines of these batches, oldest first; only as many files are read as have them.
pub(crate) fn newest(
    directory: &Path,
    batches: Vec<Batch>,
    count: usize,
    notices: &mut Vec<String>,
) -> Result<Vec<TurnLine>, DiskError> {
    let mut newest: VecDeque<TurnLine> = VecDeque::new();
    for batch in batches.into_iter().rev() {
        let missing = count - newest.len();
        if missing == 0 {
            break;
        }
        for line in last_lines(directory, batch, missing, notices)?.into_iter().rev() {
            newest.push_front(line);
        }
    }
    Ok(newest.into())
}

/// The last `count` turn lines of one file, with a notice about lines that are none.
fn last_lines(
    directory: &Path,
    batch: Batch,
    count: usize,
    notices: &mut Vec<String>,
) -> Result<Vec<TurnLine>, DiskError> {
    let mut last = VecDeque::new();
    let mut bad = Vec::new();
    for line in TurnLines::of(directory, vec![batch]) {
        match line {
            Ok(line) => last.push_back(line),
            Err(ReadError::Disk(error)) => return Err(error),
            Err(error @ ReadError::BadLine { .. }) => bad.push(error),
        }
        if last.len() > count {
            last.pop_front();
        }
    }
    if let Some(first) = bad.first() {
        notices.push(format!("{first} (bad lines in this file: {})", bad.len()));
    }
    Ok(last.into())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Names and contents.
    type Files<'a> = &'a [(&'a str, &'a str)];

    fn newest(files: Files<'_>) -> (Vec<u64>, Vec<String>) {
        let directory = tempfile::tempdir().unwrap();
        for (name, content) in files {
            fs::write(directory.path().join(name), content).unwrap();
        }
        let mut notices = Vec::new();
        let lines = newest_two(directory.path(), &mut notices).unwrap();
        (lines.iter().map(|line| line.turn).collect(), notices)
    }

    #[test]
    fn two_lines_are_found_across_files() {
        let first = ("turns_0001_0003.jsonl", "{\"turn\":1}\n{\"turn\":2}\n{\"turn\":3}\n");
        let cases: [(Files<'_>, &[u64]); 5] = [
            (&[], &[]),
            (&[("turns_0001_0003.jsonl", "{\"turn\":1}\n")], &[1]),
            (&[first], &[2, 3]),
            (&[first, ("turns_0004_0006.jsonl", "{\"turn\":4}\n")], &[3, 4]),
            (&[first, ("turns_0004_0006.jsonl", "")], &[2, 3]),
        ];
        for (files, turns) in cases {
            assert_eq!(newest(files), (turns.to_vec(), vec![]));
        }
    }

    #[test]
    fn as_many_as_are_wanted_come_oldest_first() {
        let directory = tempfile::tempdir().unwrap();
        for (name, content) in [
            ("turns_0001_0002.jsonl", "{\"turn\":1}\n{\"turn\":2}\n"),
            ("turns_0003_0004.jsonl", "{\"turn\":3}\nbad\n{\"turn\":4}\n"),
            ("turns_0005_0006.jsonl", "{\"turn\":5}\n{\"turn\":"),
        ] {
            fs::write(directory.path().join(name), content).unwrap();
        }
        let newest = |count| {
            let lines = TurnLines::newest(directory.path(), count).unwrap();
            lines.iter().map(|line| line.turn).collect::<Vec<_>>()
        };
        assert!(newest(0).is_empty());
        assert_eq!(newest(4), [2, 3, 4, 5]);
        assert_eq!(newest(100), [1, 2, 3, 4, 5]);
    }

    #[test]
    fn what_is_no_turn_is_passed_over_and_said() {
        let (turns, notices) = newest(&[(
            "turns_0001_0003.jsonl",
            "{\"turn\":1}\nbad\n\0\n{\"turn\":2}\n{\"turn\"",
        )]);
        assert_eq!(turns, [1, 2]);
        assert!(
            notices[0].starts_with("an unterminated last turn line was moved aside"),
            "{notices:?}"
        );
        assert!(notices[1].contains("line 2, is not a turn"), "{notices:?}");
        assert!(notices[1].ends_with("(bad lines in this file: 2)"), "{notices:?}");
    }
}
