//! Moves an unterminated last line aside, so that the next line does not continue it.

use std::fs::File;
use std::io::{self, ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::PathBuf;

use crate::error::DiskError;
use crate::home::Home;

/// How many bytes to search at a time for the last line break. This is enough for several typical turn lines.
const CHUNK_BYTES: u64 = 64 * 1024;

/// Moves everything after the last line break of the file `name` to `name.cut`, and returns that path. `None` if there
/// is nothing to move.
pub fn cut_unterminated(home: &Home, name: &str) -> Result<Option<PathBuf>, DiskError> {
    let cut = format!("{name}.cut");
    match move_unterminated(home, name, &cut) {
        Ok(moved) => Ok((moved > 0).then(|| home.path_of(&cut))),
        Err(error) => Err(DiskError::when(
            "move the unterminated last line of",
            &home.path_of(name),
        )(error)),
    }
}

/// Moves everything after the last line break of the file `name`, if it exists, to the end of the file `aside`. Returns
/// the number of bytes. A crash in between can leave the line in both files, but it is always in at least one.
pub fn move_unterminated(home: &Home, name: &str, aside: &str) -> io::Result<u64> {
    let mut file = match home.edit(name) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(0),
        opened => opened?,
    };
    let length = file.metadata()?.len();
    let terminated = terminated_length(&mut file, length)?;
    if terminated == length {
        return Ok(0);
    }
    file.seek(SeekFrom::Start(terminated))?;
    let mut aside = home.append(aside)?;
    let moved = io::copy(&mut file, &mut aside)?;
    aside.write_all(b"\n")?;
    aside.sync_data()?;
    file.set_len(terminated)?;
    Ok(moved)
}

/// Returns the length of the file up to and including its last line break.
fn terminated_length(file: &mut File, length: u64) -> io::Result<u64> {
    let mut end = length;
    let mut chunk = Vec::new();
    while end > 0 {
        let start = end.saturating_sub(CHUNK_BYTES);
        file.seek(SeekFrom::Start(start))?;
        chunk.clear();
        (&*file).take(end - start).read_to_end(&mut chunk)?;
        if let Some(position) = chunk.iter().rposition(|&byte| byte == b'\n') {
            return Ok(start + position as u64 + 1);
        }
        end = start;
    }
    Ok(0)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn only_the_unterminated_line_moves() {
        let long = "x".repeat(3 * CHUNK_BYTES as usize);
        let cases = [
            ("", "", ""),
            ("one\n", "one\n", ""),
            ("one\ntw", "one\n", "tw"),
            ("on", "", "on"),
            ("\n\n", "\n\n", ""),
            (&format!("one\n{long}"), "one\n", &long),
            (&format!("{long}\n"), &format!("{long}\n"), ""),
        ];
        for (before, kept, moved) in cases {
            let directory = tempfile::tempdir().unwrap();
            let home = Home::claim(directory.path()).unwrap();
            let path = directory.path().join("lines.jsonl");
            fs::write(&path, before).unwrap();
            let cut = cut_unterminated(&home, "lines.jsonl").unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), kept);
            assert_eq!(cut.is_some(), !moved.is_empty());
            if let Some(cut) = cut {
                assert_eq!(fs::read_to_string(cut).unwrap(), format!("{moved}\n"));
            }
        }
    }

    #[test]
    fn earlier_cuts_are_kept() {
        let directory = tempfile::tempdir().unwrap();
        let home = Home::claim(directory.path()).unwrap();
        let path = directory.path().join("lines.jsonl");
        for tail in ["first", "second"] {
            fs::write(&path, tail).unwrap();
            cut_unterminated(&home, "lines.jsonl").unwrap();
        }
        assert_eq!(
            fs::read_to_string(directory.path().join("lines.jsonl.cut")).unwrap(),
            "first\nsecond\n"
        );
    }
}
