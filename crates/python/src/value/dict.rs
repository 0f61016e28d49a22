//! Dicts and sets: tables that preserve the order of insertion.

use std::cell::Cell;
use std::collections::HashMap;

use super::{Eval, HashKey, Value};
use crate::budget::{Budget, Reserved};

/// A dict.
pub(crate) type Dict = Table<Value>;
/// A set, in the order of insertion.
pub(crate) type Set = Table<()>;

/// An entry: the key as given, its hashed form, and the value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DictEntry<V> {
    pub(crate) hashed: HashKey,
    pub(crate) key: Value,
    pub(crate) value: V,
}

/// An ordered hash table. Removed entries leave gaps, which are closed once there are more gaps than entries. The
/// table's charge is released when the table is dropped.
#[derive(Debug)]
pub(crate) struct Table<V> {
    places: HashMap<HashKey, usize>,
    entries: Vec<Option<DictEntry<V>>>,
    /// A lower bound for the number of gaps at the front, so that each is skipped only once.
    front: Cell<usize>,
    room: Reserved,
}

impl<V: Copy> Table<V> {
    /// The size of one entry, in bytes, while the table grows.
    const ENTRY_BYTES: usize = 240;

    pub(crate) fn new(budget: &Budget) -> Eval<Table<V>> {
        Ok(Table {
            places: HashMap::new(),
            entries: Vec::new(),
            front: Cell::new(0),
            room: budget.reserve(0)?,
        })
    }

    /// Returns an empty table on the same account.
    pub(crate) fn empty(&self) -> Eval<Table<V>> {
        Table::new(self.room.budget())
    }

    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    pub(crate) fn get(&self, key: HashKey) -> Option<DictEntry<V>> {
        let place = *self.places.get(&key)?;
        self.entries[place]
    }

    pub(crate) fn contains(&self, key: HashKey) -> bool {
        self.places.contains_key(&key)
    }

    /// Inserts or overwrites an entry, and returns whether it is new. An existing entry keeps its position and its
    /// first key.
    pub(crate) fn insert(&mut self, hashed: HashKey, key: Value, value: V) -> Eval<bool> {
        self.room.budget().walk(1)?;
        if let Some(place) = self.places.get(&hashed) {
            if let Some(entry) = &mut self.entries[*place] {
                entry.value = value;
            }
            return Ok(false);
        }
        // Gaps take up room as well.
        self.room.grow_to((self.entries.len() + 1) * Self::ENTRY_BYTES)?;
        self.places.insert(hashed, self.entries.len());
        self.entries.push(Some(DictEntry { hashed, key, value }));
        Ok(true)
    }

    pub(crate) fn remove(&mut self, key: HashKey) -> Eval<Option<DictEntry<V>>> {
        self.room.budget().walk(1)?;
        let Some(place) = self.places.remove(&key) else {
            return Ok(None);
        };
        let entry = self.entries[place].take();
        // Each gap is closed once, and its removal has already been charged.
        while self.entries.last().is_some_and(Option::is_none) {
            self.entries.pop();
        }
        self.front.set(self.front.get().min(self.entries.len()));
        if self.entries.len() > 32 && self.entries.len() > 2 * self.places.len() {
            self.close_gaps();
        }
        Ok(entry)
    }

    fn close_gaps(&mut self) {
        self.front.set(0);
        self.entries.retain(Option::is_some);
        for (place, entry) in self.entries.iter().flatten().enumerate() {
            if let Some(known) = self.places.get_mut(&entry.hashed) {
                *known = place;
            }
        }
    }

    /// Returns the first entry at or after this position, and the position after it.
    pub(crate) fn next(&self, from: usize) -> Eval<Option<(DictEntry<V>, usize)>> {
        let from = from.max(self.front.get());
        let rest = self.entries.get(from..).unwrap_or_default();
        let gap = rest.iter().position(Option::is_some).unwrap_or(rest.len());
        self.room.budget().walk(gap)?;
        if from == self.front.get() {
            self.front.set(from + gap);
        }
        Ok(rest.get(gap).copied().flatten().map(|entry| (entry, from + gap + 1)))
    }

    /// Returns the last entry before this position, and its own position; `usize::MAX` starts at the end.
    pub(crate) fn previous(&self, before: usize) -> Eval<Option<(DictEntry<V>, usize)>> {
        let rest = &self.entries[..before.min(self.entries.len())];
        let found = rest.iter().rposition(Option::is_some);
        self.room.budget().walk(rest.len() - found.unwrap_or(0))?;
        Ok(found.and_then(|found| rest[found].map(|entry| (entry, found))))
    }

    /// Iterates over the entries in order, charging for one pass.
    pub(crate) fn read(&self) -> Eval<impl Iterator<Item = DictEntry<V>>> {
        self.room.budget().walk(self.entries.len())?;
        Ok(self.entries.iter().flatten().copied())
    }

    /// Iterates over a copy of the entries in order, charging for one pass; the table can change meanwhile.
    pub(crate) fn entries(&self) -> Eval<Entries<V>> {
        let bytes = self.entries.len() * size_of::<DictEntry<V>>();
        let room = self.room.budget().reserve(bytes)?;
        let entries = self.read()?.collect::<Vec<_>>();
        Ok(Entries {
            entries: entries.into_iter(),
            _room: room,
        })
    }
}

/// A copy of a table's entries. The copy's charge is released when it is dropped.
pub(crate) struct Entries<V> {
    entries: std::vec::IntoIter<DictEntry<V>>,
    _room: Reserved,
}

impl<V> Iterator for Entries<V> {
    type Item = DictEntry<V>;

    fn next(&mut self) -> Option<DictEntry<V>> {
        self.entries.next()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;

    #[test]
    fn order_survives_removal() {
        let mut table = Dict::new(&Budget::new(Limits::default())).unwrap();
        for n in 0..100 {
            table.insert(HashKey::Int(n), Value::Int(n), Value::None).unwrap();
        }
        for n in (0..100).filter(|n| n % 10 != 3) {
            assert!(table.remove(HashKey::Int(n)).unwrap().is_some());
        }
        assert_eq!(table.insert(HashKey::Int(13), Value::Int(0), Value::Int(1)), Ok(false));
        assert_eq!(table.insert(HashKey::Int(1), Value::Int(1), Value::None), Ok(true));
        let keys: Vec<_> = table.read().unwrap().map(|entry| entry.key).collect();
        let wanted = [3, 13, 23, 33, 43, 53, 63, 73, 83, 93, 1].map(Value::Int);
        assert_eq!(keys, wanted);
        assert_eq!(
            table.get(HashKey::Int(13)).map(|entry| entry.value),
            Some(Value::Int(1))
        );
        assert!(table.entries.len() < 40);
    }
}
