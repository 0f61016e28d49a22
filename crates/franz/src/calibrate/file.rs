//! Writes a calibration's picture to a file in the working directory. Never overwrites a file that FRANZ did not make.
#![expect(
    clippy::disallowed_methods,
    reason = "a file that the person asked for in their own directory, and no file of a run"
)]

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use franz_frame::png;

use super::drawing::COMMENT;

/// The file's name, and how many other names to try if it is taken.
const NAME: &str = "calibration";
const MOST_NAMES: u32 = 99;
/// The maximum size of a picture that FRANZ could have drawn.
const MOST_BYTES: u64 = 64 << 20;

/// Writes a picture in one step, replacing an earlier one that FRANZ drew. Returns its path.
pub(super) fn write(bytes: &[u8], directory: &Path) -> Result<PathBuf> {
    let free = |path: &PathBuf| !path.symlink_metadata().is_ok_and(|_| !is_ours(path));
    let names = (1..=MOST_NAMES).map(|number| match number {
        1 => directory.join(format!("{NAME}.png")),
        number => directory.join(format!("{NAME}-{number}.png")),
    });
    let path = { names }
        .find(free)
        .context("calibration.png is taken by other files")?;
    let unfinished = path.with_extension(format!("{}.tmp", std::process::id()));
    let written = whole(bytes, &unfinished).and_then(|()| fs::rename(&unfinished, &path));
    if let Err(error) = written {
        let _ = fs::remove_file(&unfinished);
        return Err(error).with_context(|| format!("cannot write {}", path.display()));
    }
    Ok(path)
}

fn whole(bytes: &[u8], path: &Path) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(bytes)
}

/// Checks whether FRANZ drew this file.
fn is_ours(path: &Path) -> bool {
    let is_file = path
        .symlink_metadata()
        .is_ok_and(|about| about.is_file() && about.len() <= MOST_BYTES);
    if !is_file {
        return false;
    }
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MOST_BYTES).read_to_end(&mut bytes));
    read.is_ok()
        && png::decode_with(&bytes, COMMENT.keyword).is_ok_and(|(_, said)| said.as_deref() == Some(COMMENT.text))
}

#[cfg(test)]
mod tests {
    use franz_frame::{Frame, PixelFormat};

    use super::*;

    #[test]
    fn only_our_own_picture_is_replaced() {
        let place = tempfile::tempdir().unwrap();
        let frame = Frame::black(8, 8, PixelFormat::Rgb8).unwrap();
        let ours = png::encode_with(&frame, Some(COMMENT)).unwrap();
        let first = write(&ours, place.path()).unwrap();
        assert_eq!(first, place.path().join("calibration.png"));
        assert_eq!(write(&ours, place.path()).unwrap(), first);
        for theirs in [png::encode(&frame).unwrap(), b"notes".to_vec()] {
            fs::write(&first, &theirs).unwrap();
            assert_eq!(
                write(&ours, place.path()).unwrap(),
                place.path().join("calibration-2.png")
            );
            assert_eq!(fs::read(&first).unwrap(), theirs);
        }
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 2);
    }
}
