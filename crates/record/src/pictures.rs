//! The pictures of a run: their names, how they are stored, and how many are kept.

use std::collections::HashMap;
use std::fmt;
use std::fs::{self, Metadata};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::disk::{self, DiskError};
use crate::usage::Usage;

/// The pictures of this many newest turns stay, whatever the limit says.
pub const KEPT_TURNS: u64 = 100;

/// Names one picture of a run. It prints as the name of its file: `turn_0001.png` or `turn_0001.plain.png`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PictureName {
    /// The turn, from 1.
    pub turn: u64,
    /// Whether it is the picture without marks.
    pub plain: bool,
}

impl PictureName {
    /// What the model saw in `turn`.
    pub fn seen(turn: u64) -> Self {
        Self { turn, plain: false }
    }

    /// The frame of `turn` without marks.
    pub fn plain(turn: u64) -> Self {
        Self { turn, plain: true }
    }

    /// Reads the name of a picture's file; `None` for any other file.
    pub fn parse(name: &str) -> Option<Self> {
        let stem = name.strip_prefix("turn_")?.strip_suffix(".png")?;
        let (digits, plain) = stem
            .strip_suffix(".plain")
            .map_or((stem, false), |digits| (digits, true));
        let picture = Self {
            turn: digits.parse().ok()?,
            plain,
        };
        (picture.to_string() == name).then_some(picture)
    }
}

/// The bytes of the picture that a turn line of the run in `directory` names; `None` where it is gone, and where the name is none that is
/// given here or leads elsewhere: what is read goes to the model server.
pub(crate) fn read(directory: &Path, file: &str) -> Option<Vec<u8>> {
    let path = directory.join(PictureName::parse(file)?.to_string());
    let own = fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_file());
    own.then(|| disk::read(&path, disk::LARGEST).ok()).flatten()
}

impl fmt::Display for PictureName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "turn_{:04}{}.png", self.turn, if self.plain { ".plain" } else { "" })
    }
}

/// What is stored under a name.
#[derive(Debug, Clone, Copy)]
pub enum Picture<'a> {
    /// The bytes of a PNG file.
    Png(&'a [u8]),
    /// The same picture as one that is already stored; it takes no space of its own.
    SameAs(PictureName),
    /// The same picture as one that should be stored already; its bytes in case it is not there any more.
    Like(PictureName, &'a [u8]),
}

/// Stores pictures and drops the oldest when they take too much space.
pub(crate) struct Pictures {
    directory: PathBuf,
    durable: bool,
    limit_bytes: u64,
    usage: Usage<PictureName>,
}

impl Pictures {
    /// Counts the pictures that are in `directory`, once.
    pub(crate) fn open(directory: &Path, limit_bytes: u64, durable: bool) -> Result<Self, DiskError> {
        let names = disk::names(directory)?;
        let mut usage = Usage::new();
        let mut known = HashMap::new();
        for name in names.iter().filter_map(|name| PictureName::parse(name)) {
            let path = directory.join(name.to_string());
            let metadata = path.metadata().map_err(DiskError::when("look at", &path))?;
            match identity(&metadata).and_then(|file| known.insert(file, name)) {
                Some(other) => usage.share(name, other),
                None => usage.insert(name, metadata.len()),
            }
        }
        Ok(Self {
            directory: directory.to_owned(),
            durable,
            limit_bytes,
            usage,
        })
    }

    /// Stores `picture` under `name`, replacing what was there, and makes room for it by dropping old ones.
    pub(crate) fn store(&mut self, name: PictureName, picture: Picture<'_>) -> Result<(), DiskError> {
        match picture {
            Picture::Png(bytes) => self.write(name, bytes)?,
            Picture::SameAs(source) if source == name => {}
            Picture::SameAs(source) => self.link(name, source)?,
            Picture::Like(source, bytes) => {
                if source == name || self.link(name, source).is_err() {
                    self.write(name, bytes)?;
                }
            }
        }
        self.drop_oldest();
        Ok(())
    }

    fn write(&mut self, name: PictureName, bytes: &[u8]) -> Result<(), DiskError> {
        disk::replace(&self.path(name), bytes, self.durable)?;
        self.usage.insert(name, bytes.len() as u64);
        Ok(())
    }

    fn link(&mut self, name: PictureName, source: PictureName) -> Result<(), DiskError> {
        let (path, source_path) = (self.path(name), self.path(source));
        remove_if_there(&path).map_err(DiskError::when("replace", &path))?;
        if fs::hard_link(&source_path, &path).is_ok() {
            self.usage.share(name, source);
            return if self.durable { disk::sync_parent(&path) } else { Ok(()) };
        }
        // Some file systems have no hard links, others limit their number.
        let bytes = disk::read(&source_path, disk::LARGEST).map_err(DiskError::when("read", &source_path))?;
        self.write(name, &bytes)
    }

    fn drop_oldest(&mut self) {
        while self.usage.total_bytes() > self.limit_bytes
            && let Some((oldest, newest)) = self.usage.ends()
            && oldest.turn <= newest.turn.saturating_sub(KEPT_TURNS)
        {
            // One that cannot be removed is forgotten here and met again when the run is opened the next time:
            // trying it at every turn would help nobody.
            let _ = remove_if_there(&self.path(oldest));
            self.usage.remove(oldest);
        }
    }

    fn path(&self, name: PictureName) -> PathBuf {
        self.directory.join(name.to_string())
    }
}

fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// What two names of one file have in common: device and inode.
#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "other platforms have none")]
fn identity(metadata: &Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt as _;

    Some((metadata.dev(), metadata.ino()))
}

/// The standard library tells no file identity here, so linked pictures of earlier invocations count in full.
#[cfg(not(unix))]
fn identity(_: &Metadata) -> Option<(u64, u64)> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(directory: &Path, limit_bytes: u64) -> Pictures {
        Pictures::open(directory, limit_bytes, false).unwrap()
    }

    fn stored(directory: &Path) -> Vec<String> {
        let mut names = disk::names(directory).unwrap();
        names.sort_unstable();
        names
    }

    #[test]
    fn no_name_in_a_turn_line_leads_out_of_the_run() {
        let parent = tempfile::tempdir().unwrap();
        let run = parent.path().join("run");
        fs::create_dir(&run).unwrap();
        fs::write(parent.path().join("turn_0001.png"), b"private").unwrap();
        fs::write(run.join("turn_0001.png"), b"seen").unwrap();
        fs::write(run.join("state.json"), b"{}").unwrap();
        assert_eq!(read(&run, "turn_0001.png").as_deref(), Some(b"seen".as_slice()));
        let elsewhere = parent.path().join("turn_0001.png");
        for file in [
            "../turn_0001.png",
            elsewhere.to_str().unwrap(),
            "state.json",
            "",
            "turn_0002.png",
        ] {
            assert_eq!(read(&run, file), None, "{file}");
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(&elsewhere, run.join("turn_0002.png")).unwrap();
            assert_eq!(read(&run, "turn_0002.png"), None);
        }
    }

    #[test]
    fn names_are_read_back_and_others_are_not() {
        for turn in [1, 9999, 10_000, u64::MAX] {
            for name in [PictureName::seen(turn), PictureName::plain(turn)] {
                assert_eq!(PictureName::parse(&name.to_string()), Some(name));
            }
        }
        assert_eq!(PictureName::seen(1).to_string(), "turn_0001.png");
        assert_eq!(PictureName::plain(12).to_string(), "turn_0012.plain.png");
        for name in [
            "turn_1.png",
            "turn_0001.png.tmp",
            "turn_.png",
            "turn_+001.png",
            "canvas.png",
            "turn_0001.x.png",
        ] {
            assert_eq!(PictureName::parse(name), None, "{name}");
        }
    }

    #[test]
    fn a_picture_may_be_replaced_or_repeated() {
        let directory = tempfile::tempdir().unwrap();
        let mut pictures = open(directory.path(), 1000);
        pictures.store(PictureName::seen(1), Picture::Png(b"first")).unwrap();
        pictures
            .store(PictureName::seen(1), Picture::SameAs(PictureName::seen(1)))
            .unwrap();
        for _ in 0..2 {
            pictures
                .store(PictureName::plain(2), Picture::SameAs(PictureName::seen(1)))
                .unwrap();
        }
        assert_eq!(
            fs::read(directory.path().join("turn_0002.plain.png")).unwrap(),
            b"first"
        );
        assert_eq!(pictures.usage.total_bytes(), 5);

        pictures.store(PictureName::seen(1), Picture::Png(b"changed")).unwrap();
        assert_eq!(
            fs::read(directory.path().join("turn_0002.plain.png")).unwrap(),
            b"first"
        );
        assert_eq!(stored(directory.path()), ["turn_0001.png", "turn_0002.plain.png"]);
        assert_eq!(pictures.usage.total_bytes(), 12);
    }

    #[test]
    fn a_missing_original_is_an_error() {
        let directory = tempfile::tempdir().unwrap();
        let mut pictures = open(directory.path(), 1000);
        let error = pictures
            .store(PictureName::seen(2), Picture::SameAs(PictureName::seen(1)))
            .unwrap_err();
        assert!(error.to_string().starts_with("cannot read "), "{error}");
        assert!(stored(directory.path()).is_empty());
    }

    #[test]
    fn a_repeated_picture_takes_no_space_and_is_stored_anew_where_the_first_is_gone() {
        let directory = tempfile::tempdir().unwrap();
        let mut pictures = open(directory.path(), 1000);
        pictures.store(PictureName::seen(1), Picture::Png(b"first")).unwrap();
        let like = Picture::Like(PictureName::seen(1), b"first");
        pictures.store(PictureName::seen(2), like).unwrap();
        assert_eq!(pictures.usage.total_bytes(), 5);
        fs::remove_file(directory.path().join("turn_0001.png")).unwrap();
        pictures.store(PictureName::seen(3), like).unwrap();
        assert_eq!(fs::read(directory.path().join("turn_0003.png")).unwrap(), b"first");
        pictures.store(PictureName::seen(1), like).unwrap();
        assert_eq!(
            stored(directory.path()),
            ["turn_0001.png", "turn_0002.png", "turn_0003.png"]
        );
    }

    #[test]
    fn the_oldest_are_dropped_but_never_the_newest_turns() {
        let directory = tempfile::tempdir().unwrap();
        let mut pictures = open(directory.path(), 10 * 150);
        for turn in 1..=200 {
            pictures
                .store(PictureName::seen(turn), Picture::Png(b"0123456789"))
                .unwrap();
        }
        assert_eq!(stored(directory.path())[0], "turn_0051.png");
        assert_eq!(stored(directory.path()).len(), 150);

        let mut pictures = open(directory.path(), 0);
        pictures
            .store(PictureName::seen(201), Picture::Png(b"0123456789"))
            .unwrap();
        assert_eq!(stored(directory.path())[0], "turn_0102.png");
        assert_eq!(stored(directory.path()).len(), KEPT_TURNS as usize);
    }

    #[cfg(unix)]
    #[test]
    fn linked_pictures_count_once_also_after_reopening() {
        let directory = tempfile::tempdir().unwrap();
        let mut pictures = open(directory.path(), 100);
        pictures.store(PictureName::seen(1), Picture::Png(&[0; 60])).unwrap();
        for turn in 2..=300 {
            pictures
                .store(PictureName::seen(turn), Picture::SameAs(PictureName::seen(turn - 1)))
                .unwrap();
        }
        assert_eq!(
            (pictures.usage.total_bytes(), stored(directory.path()).len()),
            (60, 300)
        );
        let reopened = open(directory.path(), 100);
        assert_eq!(reopened.usage.total_bytes(), 60);
    }
}
