//! Dicts and sets: tables that remember the order of insertion.

use std::collections::HashMap;

use super::{Key, Value};

/// A dict.
pub(crate) type Dict = Table<Value>;
/// A set; its order is that of insertion.
pub(crate) type Set = Table<()>;

/// An entry: the key as given, and what belongs to it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry<V> {
    pub(crate) key: Value,
    pub(crate) value: V,
}

/// An ordered hash table. Removed entries leave a gap until there are more gaps than entries.
#[derive(Clone, Debug)]
pub(crate) struct Table<V> {
    places: HashMap<Key, usize>,
    entries: Vec<Option<(Key, Entry<V>)>>,
}

impl<V> Default for Table<V> {
    fn default() -> Table<V> {
        Table {
            places: HashMap::new(),
            entries: Vec::new(),
        }
    }
}

impl<V: Copy> Table<V> {
    /// What one entry takes, in bytes, apart from what its key holds.
    pub(crate) const ENTRY_BYTES: usize = 200;

    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    pub(crate) fn get(&self, key: &Key) -> Option<Entry<V>> {
        let place = *self.places.get(key)?;
        self.entries[place].as_ref().map(|(_, entry)| *entry)
    }

    pub(crate) fn contains(&self, key: &Key) -> bool {
        self.places.contains_key(key)
    }

    /// Inserts or overwrites; an entry that exists keeps its place and its first key. Says whether it is new.
    pub(crate) fn insert(&mut self, key: Key, given: Value, value: V) -> bool {
        if let Some(place) = self.places.get(&key) {
            if let Some((_, entry)) = &mut self.entries[*place] {
                entry.value = value;
            }
            return false;
        }
        self.places.insert(key.clone(), self.entries.len());
        self.entries.push(Some((key, Entry { key: given, value })));
        true
    }

    pub(crate) fn remove(&mut self, key: &Key) -> Option<Entry<V>> {
        let place = self.places.remove(key)?;
        let entry = self.entries[place].take().map(|(_, entry)| entry);
        while self.entries.last().is_some_and(Option::is_none) {
            self.entries.pop();
        }
        if self.entries.len() > 32 && self.entries.len() > 2 * self.places.len() {
            self.close_gaps();
        }
        entry
    }

    fn close_gaps(&mut self) {
        self.entries.retain(Option::is_some);
        for (place, (key, _)) in self.entries.iter().flatten().enumerate() {
            if let Some(known) = self.places.get_mut(key) {
                *known = place;
            }
        }
    }

    /// The first entry at or after this place, and the place behind it.
    pub(crate) fn next(&self, from: usize) -> Option<(Entry<V>, usize)> {
        let found = self.entries.get(from..)?.iter().position(Option::is_some)? + from;
        self.entries[found].as_ref().map(|(_, entry)| (*entry, found + 1))
    }

    /// The last entry before this place, and its place; counting from the end, `usize::MAX` is the start.
    pub(crate) fn previous(&self, before: usize) -> Option<(Entry<V>, usize)> {
        let before = before.min(self.entries.len());
        let found = self.entries[..before].iter().rposition(Option::is_some)?;
        self.entries[found].as_ref().map(|(_, entry)| (*entry, found))
    }

    pub(crate) fn last_key(&self) -> Option<Key> {
        self.entries.iter().flatten().next_back().map(|(key, _)| key.clone())
    }

    pub(crate) fn first_key(&self) -> Option<Key> {
        self.entries.iter().flatten().next().map(|(key, _)| key.clone())
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Key, Entry<V>)> {
        self.entries.iter().flatten().map(|(key, entry)| (key, *entry))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_survives_removal() {
        let mut table: Dict = Table::default();
        for n in 0..100 {
            table.insert(Key::Int(n), Value::Int(n), Value::None);
        }
        for n in (0..100).filter(|n| n % 10 != 3) {
            assert!(table.remove(&Key::Int(n)).is_some());
        }
        assert!(!table.insert(Key::Int(13), Value::Int(0), Value::Int(1)));
        assert!(table.insert(Key::Int(1), Value::Int(1), Value::None));
        let keys: Vec<_> = table.iter().map(|(_, entry)| entry.key).collect();
        let wanted = [3, 13, 23, 33, 43, 53, 63, 73, 83, 93, 1].map(Value::Int);
        assert_eq!(keys, wanted);
        assert_eq!(table.get(&Key::Int(13)).map(|entry| entry.value), Some(Value::Int(1)));
        assert!(table.entries.len() < 40);
    }
}
