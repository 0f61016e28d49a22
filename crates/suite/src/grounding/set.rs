//! A grounding set: the items of its files, each with the size of its picture.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::format::{self, FormatError, GroundingFormat};
use super::item::GroundingItem;
use super::size::TargetSize;
use crate::folder::{self, FolderError, SuiteDigest};

/// The largest file in bytes.
const MOST_BYTES: u64 = 256 << 20;

/// The files of a set and their items.
#[derive(Clone, Debug, PartialEq)]
pub struct GroundingSet {
    /// The files, in the order given.
    pub files: Vec<SetFile>,
    /// The items that can be used.
    pub items: Vec<PicturedItem>,
    /// Why other items cannot be used, with their keys.
    pub faults: Vec<String>,
    /// The digest of the files' names and contents.
    pub digest: SuiteDigest,
}

/// A file of a set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetFile {
    /// Its name without the ending.
    pub name: String,
    /// Its format.
    pub format: GroundingFormat,
    /// The number of its items that can be used.
    pub items: usize,
}

/// An item with the size of its picture.
#[derive(Clone, Debug, PartialEq)]
pub struct PicturedItem {
    /// The item.
    pub item: GroundingItem,
    /// Its picture.
    pub pictured: PictureFacts,
}

/// The facts about a picture that are known without reading all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PictureFacts {
    /// The width and height in pixels.
    pub size: (u32, u32),
    /// The length of the file in bytes.
    pub bytes: u64,
}

/// Why a set cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum SetError {
    /// A file cannot be read.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// A file is not a grounding set.
    #[error("{file}: {problem}")]
    Format {
        /// The file.
        file: String,
        /// What is wrong with it.
        problem: FormatError,
    },
    /// Two files have the same name.
    #[error("two files are called {0}; rename one, because the answers to its items are kept under this name")]
    SameName(String),
    /// No item can be used.
    #[error("no item can be used; the first: {0}")]
    AllBad(String),
}

impl GroundingSet {
    /// Reads the files of a set. `look` returns the facts about a picture, or why it cannot be used.
    pub fn read(
        files: &[impl AsRef<Path>],
        mut look: impl FnMut(&str) -> Result<PictureFacts, String>,
    ) -> Result<GroundingSet, SetError> {
        let mut set = GroundingSet {
            files: Vec::new(),
            items: Vec::new(),
            faults: Vec::new(),
            digest: SuiteDigest::of_bytes(b""),
        };
        let mut seen = BTreeMap::new();
        let mut digest = Sha256::new();
        for file in files {
            set.add(file.as_ref(), &mut digest, &mut |picture| {
                let known = seen.entry(picture.to_owned()).or_insert_with(|| look(picture));
                known.clone()
            })?;
        }
        if set.items.is_empty() {
            return Err(SetError::AllBad(set.faults.first().cloned().unwrap_or_default()));
        }
        set.digest = SuiteDigest::of_bytes(&digest.finalize());
        Ok(set)
    }

    /// Returns the indices of at most `limit` items, in the order of the set. The same seed always chooses the same
    /// ones, and a lower limit some of those that a higher one chooses.
    pub fn choose(&self, limit: Option<usize>, seed: u64) -> Vec<usize> {
        let mut all: Vec<usize> = (0..self.items.len()).collect();
        if let Some(limit) = limit.filter(|limit| *limit < all.len()) {
            all.sort_by_cached_key(|&at| Sha256::digest(format!("{seed}\n{}", self.items[at].item.key)));
            all.truncate(limit);
            all.sort_unstable();
        }
        all
    }

    /// Returns the number of different pictures of some items.
    pub fn pictures(&self, chosen: &[usize]) -> usize {
        let names: BTreeSet<&str> = chosen.iter().map(|&at| self.items[at].item.picture.as_str()).collect();
        names.len()
    }

    fn add(
        &mut self,
        file: &Path,
        digest: &mut Sha256,
        look: &mut impl FnMut(&str) -> Result<PictureFacts, String>,
    ) -> Result<(), SetError> {
        let bytes = folder::read(file, MOST_BYTES)?;
        let text = String::from_utf8(bytes).map_err(|_| FolderError::NotText { path: file.to_owned() })?;
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if self.files.iter().any(|other| other.name == name) {
            return Err(SetError::SameName(name));
        }
        digest.update((name.len() as u64).to_be_bytes());
        digest.update(&name);
        digest.update((text.len() as u64).to_be_bytes());
        digest.update(&text);
        let (format, items) = format::read(&name, &text).map_err(|problem| SetError::Format {
            file: file.display().to_string(),
            problem,
        })?;
        let before = self.items.len();
        for item in items {
            match item
                .map_err(|error| format!("{name}, {error}"))
                .and_then(|item| pictured(item, look))
            {
                Ok(item) => self.items.push(item),
                Err(fault) => self.faults.push(fault),
            }
        }
        self.files.push(SetFile {
            name,
            format,
            items: self.items.len() - before,
        });
        Ok(())
    }
}

impl PicturedItem {
    /// Returns the class of its target by size.
    pub(crate) fn target_size(&self) -> TargetSize {
        TargetSize::of(&self.item.target, self.pictured.size)
    }

    /// Returns the name of its file.
    pub fn file(&self) -> &str {
        self.item.key.rsplit_once('/').map_or("", |(file, _)| file)
    }
}

fn pictured(
    item: GroundingItem,
    look: &mut impl FnMut(&str) -> Result<PictureFacts, String>,
) -> Result<PicturedItem, String> {
    let fault = |why: String| {
        let (file, number) = item.key.rsplit_once('/').unwrap_or_default();
        format!("{file}, item {number}: {}: {why}", item.picture)
    };
    let pictured = look(&item.picture).map_err(fault)?;
    item.fits(pictured.size).map_err(|error| fault(error.to_string()))?;
    Ok(PicturedItem { item, pictured })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(folder: &Path, name: &str, items: usize) -> std::path::PathBuf {
        let item = |at: usize| {
            format!(
                r#"{{"img_filename": "{at}.png", "bbox": [{at}, 2, 3, 4], "instruction": "i{at}", "data_type": "text", "data_source": "web"}}"#
            )
        };
        let lines: Vec<String> = (0..items).map(item).collect();
        let path = folder.join(name);
        std::fs::write(&path, lines.join("\n")).unwrap();
        path
    }

    fn look(picture: &str) -> Result<PictureFacts, String> {
        if picture == "gone.png" {
            return Err("it is gone".to_owned());
        }
        Ok(PictureFacts {
            size: (20, 20),
            bytes: 7,
        })
    }

    #[test]
    fn a_choice_is_repeatable_and_grows_with_its_limit() {
        let folder = tempfile::tempdir().unwrap();
        let set = GroundingSet::read(&[file(folder.path(), "a.jsonl", 12)], look).unwrap();
        let few = set.choose(Some(4), 1);
        assert_eq!(few.len(), 4);
        assert_eq!(few, set.choose(Some(4), 1));
        assert!(few.iter().all(|at| set.choose(Some(8), 1).contains(at)));
        assert!((2..9).any(|seed| set.choose(Some(4), seed) != few));
        assert_eq!(set.choose(Some(99), 1), set.choose(None, 1));
        assert_eq!(set.choose(None, 1), (0..12).collect::<Vec<_>>());
    }

    #[test]
    fn faults_name_the_file_and_the_item() {
        let folder = tempfile::tempdir().unwrap();
        // The boxes of items 18 and later reach beyond a picture of 20 pixels.
        let set = GroundingSet::read(&[file(folder.path(), "a.json", 21)], |picture| match picture {
            "2.png" => look("gone.png"),
            _ => look(picture),
        })
        .unwrap();
        assert_eq!((set.items.len(), set.files[0].items), (18, 18));
        assert_eq!(set.faults[0], "a, item 3: 2.png: it is gone");
        assert!(
            set.faults[1].starts_with("a, item 20: 19.png: the box from (19, 2)"),
            "{}",
            set.faults[1]
        );
        let all_bad = GroundingSet::read(&[file(folder.path(), "b.json", 2)], |_| look("gone.png"));
        assert!(matches!(all_bad, Err(SetError::AllBad(why)) if why == "b, item 1: 0.png: it is gone"));
    }

    #[test]
    fn the_digest_covers_names_and_contents_and_no_picture() {
        let folder = tempfile::tempdir().unwrap();
        let of = |files: &[(&str, usize)], look: fn(&str) -> Result<PictureFacts, String>| {
            let files = files.iter().map(|(name, items)| file(folder.path(), name, *items));
            GroundingSet::read(&files.collect::<Vec<_>>(), look).unwrap().digest
        };
        let base = of(&[("a.json", 3)], look);
        assert_eq!(of(&[("a.json", 3)], look), base);
        for other in [&[("a.json", 4)][..], &[("b.json", 3)], &[("a.json", 3), ("b.json", 3)]] {
            assert_ne!(of(other, look), base, "{other:?}");
        }
        // A measurement goes on if a picture turns out to be bad and is left out.
        let skipped = of(&[("a.json", 3)], |picture| {
            if picture == "0.png" {
                Err("cut".to_owned())
            } else {
                look(picture)
            }
        });
        assert_eq!(skipped, base);
    }

    #[test]
    fn files_keep_their_items_apart() {
        let folder = tempfile::tempdir().unwrap();
        let (a, b) = (file(folder.path(), "a.json", 2), file(folder.path(), "b.json", 1));
        let set = GroundingSet::read(&[&a, &b], look).unwrap();
        let keys: Vec<&str> = set.items.iter().map(|item| item.item.key.as_str()).collect();
        assert_eq!(keys, ["a/1", "a/2", "b/1"]);
        assert_eq!((set.items[2].file(), set.pictures(&[0, 1, 2])), ("b", 2));
        assert!(matches!(GroundingSet::read(&[&a, &a], look), Err(SetError::SameName(name)) if name == "a"));
    }
}
