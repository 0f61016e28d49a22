//! The end of the turn lines, from which a run continues.

use franz_home::{DiskError, Home, cut_unterminated};

use crate::reader::{ReadError, TurnLines};
use crate::turn::TurnLine;
use crate::turns::Batch;

/// Returns the two newest turn lines, oldest first, because the story of the second can be the reply in the first.
/// Moves an unterminated last line aside.
pub(crate) fn newest_two(home: &Home, notices: &mut Vec<String>) -> Result<Vec<TurnLine>, DiskError> {
    if let Some(newest) = Batch::list(home)?.last()
        && let Some(cut) = cut_unterminated(home, &newest.to_string())?
    {
        notices.push(format!(
            "an unterminated last turn line was moved aside to {}",
            cut.display()
        ));
    }
    let (newest, unreadable) = TurnLines::newest(home, 2)?;
    let mut bad = Vec::new();
    for error in unreadable {
        match error {
            ReadError::Disk(error) => return Err(error),
            ReadError::BadLine { .. } => bad.push(error),
        }
    }
    if let Some(first) = bad.first() {
        notices.push(format!("{first} (bad lines in the newest files: {})", bad.len()));
    }
    Ok(newest)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// The files' names and contents.
    type Files<'a> = &'a [(&'a str, &'a str)];

    fn newest(files: Files<'_>) -> (Vec<u64>, Vec<String>) {
        let directory = tempfile::tempdir().unwrap();
        for (name, content) in files {
            fs::write(directory.path().join(name), content).unwrap();
        }
        let mut notices = Vec::new();
        let lines = newest_two(&Home::claim(directory.path()).unwrap(), &mut notices).unwrap();
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
    fn lines_that_are_not_turns_are_skipped_and_reported() {
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
        assert!(
            notices[1].ends_with("(bad lines in the newest files: 2)"),
            "{notices:?}"
        );
    }
}
