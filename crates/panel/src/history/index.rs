//! The index that says where everything is stored: turns by their numbers, and pictures by their hashes.

use std::collections::{BTreeMap, HashMap};
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::{Duration, Instant};

use franz_home::{DiskError, View};
use franz_record::{Batch, Image, PictureName};

use super::Extent;
use super::marks::{Marks, Task};
use super::outline::{Outline, Totals};
use super::place::{HistoryFile, LinePosition};
use super::tail::{Tail, TailLine};
use super::verdicts::VerdictIndex;
use crate::hash::{Hash, hash};
use crate::verdict::VerdictKind;

/// How often to list the directory to look for unexpected batches. Listing a directory that contains the pictures of
/// 100,000 turns is slow, and should not take up more than a hundredth of the time.
const LIST_EVERY: Duration = Duration::from_secs(5);
const LIST_SHARE: u32 = 100;

/// The positions of lines in files, and not much else: about 200 bytes per turn.
#[derive(Debug)]
pub(super) struct Index {
    view: View,
    batches: Vec<(Batch, Tail)>,
    /// When the directory can be listed again.
    list_again: Option<Instant>,
    turns: BTreeMap<u64, Entry>,
    /// The newest line, whichever turn it is from.
    newest: Option<Slot>,
    pictures: HashMap<Hash, PictureName>,
    verdicts: VerdictIndex,
    totals: Totals,
    /// The goal and mode in the newest line.
    task: Task,
    bad: u64,
}

/// The position of a line in a compact form. An `Option` of it takes up no more memory.
#[derive(Debug, Clone, Copy)]
struct Slot {
    batch: u32,
    length: NonZeroU32,
    offset: u64,
}

#[derive(Debug)]
struct Entry {
    slot: Slot,
    /// The previous line, whose reply might be this line's story.
    before: Option<Slot>,
    marks: Marks,
}

/// Where a turn's records are stored.
#[derive(Debug, Clone)]
pub(super) struct Known {
    pub(super) turn: u64,
    pub(super) place: LinePosition,
    pub(super) before: Option<LinePosition>,
    pub(super) verdict: Option<VerdictKind>,
}

impl Index {
    pub(super) fn new(view: &View) -> Self {
        Self {
            view: view.clone(),
            batches: Vec::new(),
            list_again: None,
            turns: BTreeMap::new(),
            newest: None,
            pictures: HashMap::new(),
            verdicts: VerdictIndex::of(view),
            totals: Totals::default(),
            task: Task::default(),
            bad: 0,
        }
    }

    /// Reads all lines that have been completed since the last call.
    pub(super) fn take_in(&mut self) -> Result<(), DiskError> {
        let mut from = self.batches.len().saturating_sub(1);
        self.list_batches()?;
        loop {
            // Lines might have been added to the newest batch just before the next one began.
            for number in from..self.batches.len() {
                self.take_batch(number)?;
            }
            let there = |next: &Batch| self.view.has_file(&next.to_string());
            let Some(next) = self.expected().filter(there) else {
                return self.verdicts.take_in();
            };
            from = self.batches.len();
            self.add_batch(next);
        }
    }

    pub(super) fn extent(&self) -> Extent {
        let turn = |entry: Option<(&u64, &Entry)>| entry.map_or(0, |(&turn, _)| turn);
        Extent {
            first: turn(self.turns.first_key_value()),
            last: turn(self.turns.last_key_value()),
            count: self.turns.len() as u64,
        }
    }

    /// Returns the hashes of all pictures in turn lines.
    pub(super) fn pictures(&self) -> impl Iterator<Item = &Hash> {
        self.pictures.keys()
    }

    pub(super) fn totals(&self) -> Totals {
        self.totals
    }

    pub(super) fn verdicts(&self) -> &VerdictIndex {
        &self.verdicts
    }

    pub(super) fn bad_lines(&self) -> u64 {
        self.bad + self.verdicts.bad_lines()
    }

    /// Returns the turns below `before`, newest first.
    pub(super) fn below(&self, before: Option<u64>) -> impl Iterator<Item = u64> {
        let turns = self.turns.range(..before.unwrap_or(u64::MAX)).rev();
        // If `before` is not given, include all turns, even one with the highest possible number.
        let greatest = before.is_none().then(|| self.turns.get_key_value(&u64::MAX)).flatten();
        greatest.into_iter().chain(turns).map(|(&turn, _)| turn)
    }

    /// Returns the next turn after `turn`.
    pub(super) fn above(&self, turn: u64) -> Option<u64> {
        let next = turn.checked_add(1)?;
        self.turns.range(next..).next().map(|(&turn, _)| turn)
    }

    /// Returns the turns after `after` with their marks, in ascending order.
    pub(super) fn marks(&self, after: u64) -> impl Iterator<Item = (u64, Marks)> {
        let turns = self.turns.range(after.saturating_add(1)..);
        turns.map(|(&turn, entry)| (turn, entry.marks))
    }

    pub(super) fn known(&self, turn: u64) -> Option<Known> {
        let entry = self.turns.get(&turn)?;
        Some(Known {
            turn,
            place: self.place(entry.slot)?,
            before: entry.before.and_then(|slot| self.place(slot)),
            verdict: self.verdicts.last(turn),
        })
    }

    /// Returns the picture with this hash, if a turn line names it.
    pub(super) fn picture(&self, hash: &Hash) -> Option<PictureName> {
        self.pictures.get(hash).copied()
    }

    fn place(&self, slot: Slot) -> Option<LinePosition> {
        let (_, tail) = self.batches.get(slot.batch as usize)?;
        Some(LinePosition {
            file: Arc::clone(tail.file()),
            offset: slot.offset,
            length: slot.length.get(),
        })
    }

    /// Looks for unexpected batches from time to time.
    fn list_batches(&mut self) -> Result<(), DiskError> {
        let start = Instant::now();
        if !self.batches.is_empty() && self.list_again.is_some_and(|again| start < again) {
            return Ok(());
        }
        let newest = self.batches.last().map(|&(batch, _)| batch);
        for batch in Batch::list(&self.view)? {
            if newest.is_none_or(|newest| batch > newest) {
                self.add_batch(batch);
            }
        }
        let pause = LIST_EVERY.max(start.elapsed() * LIST_SHARE);
        self.list_again = Instant::now().checked_add(pause);
        Ok(())
    }

    /// Returns the batch that should follow the newest one, if that one is full and the run still uses the same batch
    /// size.
    fn expected(&self) -> Option<Batch> {
        let &(newest, _) = self.batches.last()?;
        let size = newest.last.checked_sub(newest.first)?.checked_add(1)?;
        let first = newest.last.checked_add(1)?;
        let last = newest.last.checked_add(size)?;
        (self.extent().last >= newest.last).then_some(Batch { first, last })
    }

    fn add_batch(&mut self, batch: Batch) {
        self.batches.push((batch, Tail::of(&self.view, batch.to_string())));
    }

    fn take_batch(&mut self, number: usize) -> Result<(), DiskError> {
        let Some((batch, tail)) = self.batches.get_mut(number) else {
            return Ok(());
        };
        // Take the tail out of `self` while its lines change the rest of the index.
        let (batch, mut tail) = (*batch, std::mem::replace(tail, Tail::of(&self.view, String::new())));
        let taken = tail.read(|line| self.take_line(number, &line));
        if let Some(place) = self.batches.get_mut(number) {
            *place = (batch, tail);
        }
        taken
    }

    fn take_line(&mut self, batch: usize, line: &TailLine<'_>) {
        let text = line.bytes.and_then(|bytes| std::str::from_utf8(bytes).ok());
        let outline = text.and_then(|text| serde_json::from_str::<Outline<'_>>(text).ok());
        let length = text.and_then(|text| NonZeroU32::new(text.len().try_into().ok()?));
        let (Some(outline), Some(length), Ok(batch)) = (outline, length, u32::try_from(batch)) else {
            self.bad += 1;
            return;
        };
        let slot = Slot {
            batch,
            length,
            offset: line.offset,
        };
        self.totals.count(&outline);
        let before = self.newest.replace(slot);
        let marks = Marks::of(&outline, &mut self.task);
        self.enter(outline.turn, Entry { slot, before, marks });
        let seen = outline.images().filter_map(seen);
        self.pictures.extend(seen.map(|(name, hash)| (hash, name)));
    }

    fn enter(&mut self, turn: u64, entry: Entry) {
        // If a turn has two lines, the last one counts. Its picture has overwritten the one with the old hash.
        let Some(old) = self.turns.insert(turn, entry) else {
            return;
        };
        for (name, hash) in self.pictures_of(old.slot).unwrap_or_default() {
            if self.pictures.get(&hash) == Some(&name) {
                self.pictures.remove(&hash);
            }
        }
    }

    /// Returns the pictures of an earlier line, reading the line again to do so. That is rarely necessary, and
    /// remembering all pictures would take up too much memory.
    fn pictures_of(&self, slot: Slot) -> Option<Vec<(PictureName, Hash)>> {
        // Name the file again, because the batch's own tail is taken out while its lines are being read.
        let (batch, _) = self.batches.get(slot.batch as usize)?;
        let file = HistoryFile {
            view: self.view.clone(),
            name: batch.to_string(),
        };
        let line = file.read(slot.offset, slot.length.get() as usize).ok()?;
        let outline: Outline<'_> = serde_json::from_slice(&line).ok()?;
        Some(outline.images().filter_map(seen).collect())
    }
}

/// Returns the picture's name and hash if both are valid. No other names are ever used to open files.
fn seen(image: &Image) -> Option<(PictureName, Hash)> {
    Some((PictureName::parse(&image.file)?, hash(&image.sha256)?))
}
