//! The pictures of a run: their names, how they are stored, and how many are kept.

use std::collections::HashMap;
use std::fmt;

use franz_home::{DiskError, Home, LARGEST, View};

use crate::disk_usage::DiskUsage;

/// How many of the newest turns keep their pictures regardless of the limit, unless the limit is 0.
const KEPT_TURNS: u64 = 100;

/// The name of a picture in a run. Displayed as its file name: `turn_0001.png`, `turn_0001.plain.png` or
/// `turn_0001.beside_1.png`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PictureName {
    /// The turn, from 1.
    pub turn: u64,
    /// Which of the turn's pictures it is.
    pub kind: PictureKind,
}

/// The kind of picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PictureKind {
    /// The screen as the model saw it.
    Seen,
    /// The same picture without marks.
    Plain,
    /// A picture that the model saw in addition to the screen, numbered from 1.
    Beside(u8),
}

impl PictureName {
    /// Returns the name of the picture that the model saw in `turn`.
    pub fn seen(turn: u64) -> Self {
        let kind = PictureKind::Seen;
        Self { turn, kind }
    }

    /// Returns the name of the picture without marks in `turn`.
    pub fn plain(turn: u64) -> Self {
        let kind = PictureKind::Plain;
        Self { turn, kind }
    }

    /// Returns the name of a picture that the model saw in addition to the screen, numbered from 1.
    pub fn beside(turn: u64, number: u8) -> Self {
        let kind = PictureKind::Beside(number);
        Self { turn, kind }
    }

    /// Parses the name of a picture's file; `None` for any other file.
    pub fn parse(name: &str) -> Option<Self> {
        let stem = name.strip_prefix("turn_")?.strip_suffix(".png")?;
        let (digits, kind) = match stem.split_once('.') {
            None => (stem, PictureKind::Seen),
            Some((digits, "plain")) => (digits, PictureKind::Plain),
            Some((digits, kind)) => (digits, PictureKind::Beside(kind.strip_prefix("beside_")?.parse().ok()?)),
        };
        let picture = Self {
            turn: digits.parse().ok()?,
            kind,
        };
        (picture.to_string() == name).then_some(picture)
    }
}

/// Returns the bytes of the picture that a turn line names. `None` if the file is gone, or if this module does not
/// assign such names. The name is checked because the bytes go to the model server.
pub(crate) fn read(view: &View, file: &str) -> Option<Vec<u8>> {
    let name = PictureName::parse(file)?;
    view.read(&name.to_string(), LARGEST).ok()
}

impl fmt::Display for PictureName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "turn_{:04}", self.turn)?;
        match self.kind {
            PictureKind::Seen => f.write_str(".png"),
            PictureKind::Plain => f.write_str(".plain.png"),
            PictureKind::Beside(number) => write!(f, ".beside_{number}.png"),
        }
    }
}

/// The data to store under a name.
#[derive(Debug, Clone, Copy)]
pub enum PictureFile<'a> {
    /// The bytes of a PNG file.
    Png(&'a [u8]),
    /// The same picture as one that is already stored. Takes up no additional space.
    SameAs(PictureName),
    /// The same picture as one that should already be stored, along with its bytes in case that file is gone.
    Like(PictureName, &'a [u8]),
}

/// Stores pictures, and removes the oldest ones when pictures take up too much space.
pub(crate) struct Pictures {
    home: Home,
    durable: bool,
    limit_bytes: u64,
    usage: DiskUsage<PictureName>,
}

impl Pictures {
    /// Counts the pictures that already exist in `home`.
    pub(crate) fn open(home: &Home, limit_bytes: u64, durable: bool) -> Result<Self, DiskError> {
        let names = home.names()?;
        let mut usage = DiskUsage::new();
        let mut known = HashMap::new();
        for name in names.iter().filter_map(|name| PictureName::parse(name)) {
            let file = name.to_string();
            let entry = home
                .entry(&file)
                .map_err(DiskError::when("access", &home.path_of(&file)))?;
            match entry.identity.and_then(|file| known.insert(file, name)) {
                Some(other) => usage.share(name, other),
                None => usage.insert(name, entry.length),
            }
        }
        Ok(Self {
            home: home.clone(),
            durable,
            limit_bytes,
            usage,
        })
    }

    /// Stores `picture` under `name`, replacing any picture with that name, and removes old pictures to make room.
    pub(crate) fn store(&mut self, name: PictureName, picture: PictureFile<'_>) -> Result<(), DiskError> {
        match picture {
            PictureFile::Png(bytes) => self.write(name, bytes)?,
            PictureFile::SameAs(source) if source == name => {}
            PictureFile::SameAs(source) => self.link(name, source)?,
            PictureFile::Like(source, bytes) => {
                if source == name || self.link(name, source).is_err() {
                    self.write(name, bytes)?;
                }
            }
        }
        self.drop_oldest();
        Ok(())
    }

    fn write(&mut self, name: PictureName, bytes: &[u8]) -> Result<(), DiskError> {
        self.home.replace(&name.to_string(), bytes, self.durable)?;
        self.usage.insert(name, bytes.len() as u64);
        Ok(())
    }

    fn link(&mut self, name: PictureName, source: PictureName) -> Result<(), DiskError> {
        let (file, source_file) = (name.to_string(), source.to_string());
        let removed = self.home.remove_if_there(&file);
        removed.map_err(DiskError::when("replace", &self.home.path_of(&file)))?;
        if self.home.link(&source_file, &file).is_ok() {
            self.usage.share(name, source);
            return if self.durable { self.home.sync() } else { Ok(()) };
        }
        // Some file systems have no hard links, and others limit their number.
        let bytes = self.home.read(&source_file, LARGEST);
        let bytes = bytes.map_err(DiskError::when("read", &self.home.path_of(&source_file)))?;
        self.write(name, &bytes)
    }

    /// Returns how many of the newest turns keep their pictures regardless of the limit. Without any picture, the
    /// dashboard would have nothing to show.
    fn kept_turns(&self) -> u64 {
        if self.limit_bytes == 0 { 1 } else { KEPT_TURNS }
    }

    fn drop_oldest(&mut self) {
        while self.usage.total_bytes() > self.limit_bytes
            && let Some((oldest, newest)) = self.usage.ends()
            && oldest.turn <= newest.turn.saturating_sub(self.kept_turns())
        {
            // If a picture cannot be removed, forget it here, because retrying at every turn would not help. It is
            // found again when the run is next opened.
            let _ = self.home.remove_if_there(&oldest.to_string());
            self.usage.remove(oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    fn open(directory: &Path, limit_bytes: u64) -> Pictures {
        Pictures::open(&Home::claim(directory).unwrap(), limit_bytes, false).unwrap()
    }

    fn stored(directory: &Path) -> Vec<String> {
        let mut names = Home::claim(directory).unwrap().names().unwrap();
        names.sort_unstable();
        names
    }

    #[test]
    fn no_picture_name_leads_out_of_the_run() {
        let parent = tempfile::tempdir().unwrap();
        let run = parent.path().join("run");
        fs::create_dir(&run).unwrap();
        fs::write(parent.path().join("turn_0001.png"), b"private").unwrap();
        fs::write(run.join("turn_0001.png"), b"seen").unwrap();
        let view = View::open(&run).unwrap();
        fs::write(run.join("state.json"), b"{}").unwrap();
        assert_eq!(read(&view, "turn_0001.png").as_deref(), Some(b"seen".as_slice()));
        let elsewhere = parent.path().join("turn_0001.png");
        for file in [
            "../turn_0001.png",
            elsewhere.to_str().unwrap(),
            "state.json",
            "",
            "turn_0002.png",
        ] {
            assert_eq!(read(&view, file), None, "{file}");
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(&elsewhere, run.join("turn_0002.png")).unwrap();
            assert_eq!(read(&view, "turn_0002.png"), None);
        }
    }

    #[test]
    fn only_well_formed_names_are_read_back() {
        for turn in [1, 9999, 10_000, u64::MAX] {
            for name in [
                PictureName::seen(turn),
                PictureName::plain(turn),
                PictureName::beside(turn, 1),
                PictureName::beside(turn, u8::MAX),
            ] {
                assert_eq!(PictureName::parse(&name.to_string()), Some(name));
            }
        }
        assert_eq!(PictureName::seen(1).to_string(), "turn_0001.png");
        assert_eq!(PictureName::plain(12).to_string(), "turn_0012.plain.png");
        assert_eq!(PictureName::beside(12, 3).to_string(), "turn_0012.beside_3.png");
        for name in [
            "turn_1.png",
            "turn_0001.png.tmp",
            "turn_.png",
            "turn_+001.png",
            "canvas.png",
            "turn_0001.x.png",
            "turn_0001.beside_.png",
            "turn_0001.beside_01.png",
            "turn_0001.beside_256.png",
        ] {
            assert_eq!(PictureName::parse(name), None, "{name}");
        }
    }

    #[test]
    fn a_picture_may_be_replaced_or_repeated() {
        let directory = tempfile::tempdir().unwrap();
        let mut pictures = open(directory.path(), 1000);
        pictures
            .store(PictureName::seen(1), PictureFile::Png(b"first"))
            .unwrap();
        pictures
            .store(PictureName::seen(1), PictureFile::SameAs(PictureName::seen(1)))
            .unwrap();
        for _ in 0..2 {
            pictures
                .store(PictureName::plain(2), PictureFile::SameAs(PictureName::seen(1)))
                .unwrap();
        }
        assert_eq!(
            fs::read(directory.path().join("turn_0002.plain.png")).unwrap(),
            b"first"
        );
        assert_eq!(pictures.usage.total_bytes(), 5);

        pictures
            .store(PictureName::seen(1), PictureFile::Png(b"changed"))
            .unwrap();
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
            .store(PictureName::seen(2), PictureFile::SameAs(PictureName::seen(1)))
            .unwrap_err();
        assert!(error.to_string().starts_with("cannot read "), "{error}");
        assert!(stored(directory.path()).is_empty());
    }

    #[test]
    fn a_repeated_picture_takes_space_only_once_the_first_is_gone() {
        let directory = tempfile::tempdir().unwrap();
        let mut pictures = open(directory.path(), 1000);
        pictures
            .store(PictureName::seen(1), PictureFile::Png(b"first"))
            .unwrap();
        let like = PictureFile::Like(PictureName::seen(1), b"first");
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
    fn a_run_that_keeps_none_has_those_of_the_newest_turn() {
        let directory = tempfile::tempdir().unwrap();
        let mut pictures = open(directory.path(), 0);
        for turn in 1..=3 {
            let seen = PictureName::seen(turn);
            pictures.store(seen, PictureFile::Png(b"a picture")).unwrap();
            pictures
                .store(PictureName::plain(turn), PictureFile::SameAs(seen))
                .unwrap();
        }
        assert_eq!(stored(directory.path()), ["turn_0003.plain.png", "turn_0003.png"]);
    }

    #[test]
    fn the_oldest_are_dropped_but_never_the_newest_turns() {
        let directory = tempfile::tempdir().unwrap();
        let mut pictures = open(directory.path(), 10 * 150);
        for turn in 1..=200 {
            pictures
                .store(PictureName::seen(turn), PictureFile::Png(b"0123456789"))
                .unwrap();
        }
        assert_eq!(stored(directory.path())[0], "turn_0051.png");
        assert_eq!(stored(directory.path()).len(), 150);

        let mut pictures = open(directory.path(), 1);
        pictures
            .store(PictureName::seen(201), PictureFile::Png(b"0123456789"))
            .unwrap();
        assert_eq!(stored(directory.path())[0], "turn_0102.png");
        assert_eq!(stored(directory.path()).len(), KEPT_TURNS as usize);
    }

    #[cfg(unix)]
    #[test]
    fn linked_pictures_count_once_also_after_reopening() {
        let directory = tempfile::tempdir().unwrap();
        let mut pictures = open(directory.path(), 100);
        pictures
            .store(PictureName::seen(1), PictureFile::Png(&[0; 60]))
            .unwrap();
        for turn in 2..=300 {
            pictures
                .store(
                    PictureName::seen(turn),
                    PictureFile::SameAs(PictureName::seen(turn - 1)),
                )
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
