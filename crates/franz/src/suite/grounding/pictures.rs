//! The folder of a set's pictures. Refuses paths that lead out of it, and pictures that are too large.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::Result;
use franz_frame::{Frame, png};
use franz_suite::folder;
use franz_suite::grounding::PictureFacts;

use crate::exit::Unusable;

/// The number of bytes to read to find the picture's size. PNG files begin with it, but may have other data before the
/// pixels.
const BEGINNING: u64 = 1 << 20;

/// The largest picture, in bytes of its file and in pixels.
const MOST_BYTES: u64 = 256 << 20;
const MOST_PIXELS: u64 = 100_000_000;

/// A folder of pictures.
pub(crate) struct PictureFolder {
    folder: PathBuf,
    /// Whether to read pictures to their ends when they are looked at.
    is_thorough: bool,
}

impl PictureFolder {
    /// Opens a folder. If `is_thorough`, damage anywhere in a picture is found before anything is asked, which takes a
    /// while.
    pub(crate) fn open(folder: &Path, is_thorough: bool) -> Result<PictureFolder> {
        let wrong = |why: String| {
            Unusable::usage(format!(
                "{}: {why}; name the folder of the set's pictures with --pictures DIR",
                folder.display()
            ))
        };
        let whole = folder.canonicalize().map_err(|error| wrong(error.to_string()))?;
        if !whole.is_dir() {
            return Err(wrong("it is not a folder".to_owned()).into());
        }
        Ok(PictureFolder {
            folder: whole,
            is_thorough,
        })
    }

    /// Returns the facts about a picture, or why it cannot be used. Reads only its beginning, unless thorough.
    pub(crate) fn look(&self, name: &str) -> Result<PictureFacts, String> {
        let path = self.path(name)?;
        let (beginning, bytes) = beginning(&path).map_err(|error| error.to_string())?;
        if bytes > MOST_BYTES {
            return Err(format!("the file has {bytes} bytes; at most {MOST_BYTES} are allowed"));
        }
        if !beginning.starts_with(b"\x89PNG\r\n\x1a\n") {
            return Err(not_png(&beginning));
        }
        let size = png::size(&beginning).map_err(|error| format!("{error}; download it again"))?;
        if u64::from(size.0) * u64::from(size.1) > MOST_PIXELS {
            return Err(format!(
                "{}x{} pixels are too many; at most {MOST_PIXELS} are allowed",
                size.0, size.1
            ));
        }
        let facts = PictureFacts { size, bytes };
        if self.is_thorough {
            self.read(name, facts)?;
        }
        Ok(facts)
    }

    /// Reads a picture whose facts are known.
    pub(crate) fn read(&self, name: &str, known: PictureFacts) -> Result<Frame, String> {
        let bytes = folder::read(&self.path(name)?, MOST_BYTES).map_err(|error| error.to_string())?;
        if bytes.len() as u64 != known.bytes || png::size(&bytes).ok() != Some(known.size) {
            return Err("it has changed since the measurement began; start again".to_owned());
        }
        png::decode(&bytes).map_err(|error| format!("{error}; download it again"))
    }

    /// Returns the path of a picture, which is inside the folder even if it is a link.
    fn path(&self, name: &str) -> Result<PathBuf, String> {
        let path = self.folder.join(name);
        let whole = path.canonicalize().map_err(|error| {
            format!(
                "{error}; is {} the folder of the pictures? --pictures DIR names another",
                self.folder.display()
            )
        })?;
        if !whole.starts_with(&self.folder) {
            return Err(format!(
                "it is a link that leads out of {}; put the picture itself there",
                self.folder.display()
            ));
        }
        Ok(whole)
    }
}

#[expect(clippy::disallowed_methods, reason = "the pictures of a set belong to no run")]
fn beginning(path: &Path) -> std::io::Result<(Vec<u8>, u64)> {
    if !path.is_file() {
        return Err(std::io::Error::other("it is not a file"));
    }
    let file = File::open(path)?;
    let length = file.metadata()?.len();
    let mut bytes = Vec::new();
    file.take(BEGINNING).read_to_end(&mut bytes)?;
    Ok((bytes, length))
}

/// Names the actual type of the picture.
fn not_png(beginning: &[u8]) -> String {
    let kind = match beginning {
        [] => return "the file is empty; download it again".to_owned(),
        [0xff, 0xd8, ..] => "JPEG",
        [b'R', b'I', b'F', b'F', ..] => "WebP",
        [b'G', b'I', b'F', ..] => "GIF",
        text if text.starts_with(b"version https://git-lfs") => {
            return "it is a Git LFS pointer, not the picture; fetch it with: git lfs pull".to_owned();
        }
        _ => return "it is not a PNG picture; download it again".to_owned(),
    };
    format!("it is a {kind} picture; convert it to PNG without changing its size, and update its img_filename")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use franz_frame::PixelFormat;

    use super::*;

    fn folder() -> (tempfile::TempDir, PictureFolder) {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("pictures");
        fs::create_dir(&folder).unwrap();
        let frame = Frame::black(40, 30, PixelFormat::Rgb8).unwrap();
        fs::write(folder.join("good.png"), png::encode(&frame).unwrap()).unwrap();
        fs::write(place.path().join("outside.png"), png::encode(&frame).unwrap()).unwrap();
        let opened = PictureFolder::open(&folder, false).unwrap();
        (place, opened)
    }

    #[test]
    fn a_picture_is_looked_at_and_read() {
        let (_place, folder) = folder();
        let facts = folder.look("good.png").unwrap();
        assert_eq!(facts.size, (40, 30));
        let frame = folder.read("good.png", facts).unwrap();
        assert_eq!((frame.width(), frame.height()), (40, 30));
        let other = PictureFacts { bytes: 3, ..facts };
        assert!(folder.read("good.png", other).unwrap_err().contains("has changed"));
    }

    #[test]
    fn what_is_no_picture_is_refused_with_advice() {
        let (_place, folder) = folder();
        let whole = fs::read(folder.folder.join("good.png")).unwrap();
        let half = &whole[..whole.len() / 2];
        for (name, bytes, told) in [
            ("empty.png", &b""[..], "is empty"),
            ("photo.png", b"\xff\xd8\xff\xe0", "is a JPEG picture; convert it to PNG"),
            ("web.png", b"RIFF1234WEBP", "is a WebP picture"),
            (
                "lfs.png",
                b"version https://git-lfs.github.com/spec/v1\n",
                "git lfs pull",
            ),
            ("text.png", b"hello", "not a PNG picture"),
            ("cut.png", &whole[..12], "download it again"),
        ] {
            fs::write(folder.folder.join(name), bytes).unwrap();
            let error = folder.look(name).unwrap_err();
            assert!(error.contains(told), "{name}: {error}");
        }
        assert!(folder.look("missing.png").unwrap_err().contains("--pictures DIR"));
        fs::create_dir(folder.folder.join("folder.png")).unwrap();
        assert!(folder.look("folder.png").unwrap_err().contains("not a file"));
        // The beginning is whole, so the damage shows only when all of it is read.
        fs::write(folder.folder.join("half.png"), half).unwrap();
        let facts = folder.look("half.png").unwrap();
        assert!(
            folder
                .read("half.png", facts)
                .unwrap_err()
                .contains("download it again")
        );
    }

    #[cfg(unix)]
    #[test]
    fn no_link_leads_out_of_the_folder() {
        use std::os::unix::fs::symlink;

        let (place, folder) = folder();
        symlink(place.path().join("outside.png"), folder.folder.join("out.png")).unwrap();
        symlink(place.path(), folder.folder.join("up")).unwrap();
        symlink(folder.folder.join("good.png"), folder.folder.join("in.png")).unwrap();
        for name in ["out.png", "up/outside.png", "../outside.png"] {
            let error = folder.look(name).unwrap_err();
            assert!(error.contains("leads out of"), "{name}: {error}");
        }
        assert_eq!(folder.look("in.png").unwrap().size, (40, 30));
        let fifo = folder.folder.join("fifo.png");
        rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        assert!(folder.look("fifo.png").unwrap_err().contains("not a file"));
    }
}
