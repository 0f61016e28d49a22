//! The pictures of a run, looked up by hash. Only names in turn lines and turn numbers are used to open files.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::time::SystemTime;

use franz_home::{EntryKind, View};
use franz_record::digest::sha256_hex;
use franz_record::{Image, PictureName, TurnLine};

use super::History;
use super::detail::{MissingPicture, images};
use crate::hash::{Hash, digits, hash};
use crate::lock::lock;

/// The maximum size of a picture in bytes. Real pictures are a few megabytes in size, so a larger file is not from
/// FRANZ.
const LARGEST: u64 = 64 << 20;

/// How many hashes of pictures without marks to remember.
const REMEMBERED: usize = 8192;

/// The hashes of pictures without marks, which no line records. Each hash is computed when its turn is first viewed.
#[derive(Debug, Default)]
pub(super) struct Plain {
    turns: HashMap<u64, (Version, Hash)>,
    hashes: HashMap<Hash, u64>,
    order: VecDeque<u64>,
}

/// A file's size and modification time, which show whether it is still the file that was hashed.
type Version = (u64, Option<SystemTime>);

impl History {
    /// Returns the picture with this hash, which is 64 lowercase hexadecimal digits. `None` if no turn has such a
    /// picture, or if it was deleted to make room.
    pub fn picture(&self, sha256: &str) -> Option<Vec<u8>> {
        let hash = hash(sha256)?;
        let seen = self.up_to_date().picture(&hash);
        let plain = || lock(&self.plain).hashes.get(&hash).copied();
        let name = seen.or_else(|| plain().map(PictureName::plain))?;
        self.picture_file(name).map(|(bytes, _)| bytes)
    }

    /// Returns the hashes of all pictures that begin with one of these digits, by those digits. `pending` is the turn in
    /// progress, whose pictures are not in a turn line yet.
    pub(crate) fn pictures_named(
        &self,
        beginnings: &BTreeSet<&str>,
        pending: Option<&TurnLine>,
    ) -> BTreeMap<String, String> {
        let Some(length) = beginnings.first().map(|digits| digits.len()) else {
            return BTreeMap::new();
        };
        let index = self.up_to_date();
        let under_way = pending.into_iter().flat_map(images).map(|image| image.sha256.clone());
        let named = index.pictures().map(digits).chain(under_way).filter_map(|whole| {
            let beginning = *beginnings.get(whole.get(..length)?)?;
            Some((beginning.to_owned(), whole))
        });
        named.collect()
    }

    /// Describes what is left if this picture's file is missing.
    pub(super) fn missing(&self, image: &Image) -> Option<MissingPicture> {
        let name = PictureName::parse(&image.file)?;
        if version(&self.view, &name.to_string()).is_some() {
            return None;
        }
        let names = self.view.names().unwrap_or_default();
        let turns = names.iter().filter_map(|name| Some(PictureName::parse(name)?.turn));
        Some(MissingPicture { kept_from: turns.min() })
    }

    /// Returns the hash of the picture of `turn` without marks; `None` if there is no such picture.
    pub(super) fn plain(&self, turn: u64) -> Option<String> {
        let name = PictureName::plain(turn);
        let version = version(&self.view, &name.to_string())?;
        let known = lock(&self.plain).turns.get(&turn).copied();
        if let Some((then, hash)) = known
            && then == version
        {
            return Some(digits(&hash));
        }
        let (bytes, version) = self.picture_file(name)?;
        let sha256 = sha256_hex(&bytes);
        let hash = hash(&sha256)?;
        lock(&self.plain).remember(turn, version, hash);
        Some(sha256)
    }

    /// Returns the contents of a picture's file, if it is a regular file and not a link.
    pub(super) fn picture_file(&self, name: PictureName) -> Option<(Vec<u8>, Version)> {
        let file = name.to_string();
        let version = version(&self.view, &file)?;
        let bytes = self.view.read(&file, LARGEST).ok()?;
        Some((bytes, version))
    }
}

impl Plain {
    fn remember(&mut self, turn: u64, version: Version, hash: Hash) {
        if let Some((_, old)) = self.turns.insert(turn, (version, hash)) {
            self.hashes.remove(&old);
        } else {
            self.order.push_back(turn);
        }
        self.hashes.insert(hash, turn);
        if self.order.len() > REMEMBERED
            && let Some(oldest) = self.order.pop_front()
            && let Some((_, hash)) = self.turns.remove(&oldest)
            && self.hashes.get(&hash) == Some(&oldest)
        {
            self.hashes.remove(&hash);
        }
    }
}

fn version(view: &View, file: &str) -> Option<Version> {
    let entry = view.entry(file).ok()?;
    let fits = entry.kind == EntryKind::File && entry.length <= LARGEST;
    fits.then_some((entry.length, entry.modified))
}
