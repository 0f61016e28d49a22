//! Tracks how much space pictures take up, given that several names can share one file.

use std::collections::{BTreeMap, HashMap};

/// Counts each file once, as long as any name refers to it.
#[derive(Debug)]
pub(crate) struct DiskUsage<Name> {
    names: BTreeMap<Name, FileId>,
    files: HashMap<FileId, Shared>,
    next_id: FileId,
    total_bytes: u64,
}

type FileId = u64;

#[derive(Debug)]
struct Shared {
    bytes: u64,
    names: u64,
}

impl<Name: Ord + Copy> DiskUsage<Name> {
    pub(crate) fn new() -> Self {
        Self {
            names: BTreeMap::new(),
            files: HashMap::new(),
            next_id: 0,
            total_bytes: 0,
        }
    }

    /// Returns the total size of all files.
    pub(crate) fn total_bytes(&self) -> u64 {
        self.total_bytes
    }

    /// Returns the first and the last name in sort order.
    pub(crate) fn ends(&self) -> Option<(Name, Name)> {
        let (oldest, _) = self.names.first_key_value()?;
        let (newest, _) = self.names.last_key_value()?;
        Some((*oldest, *newest))
    }

    /// Makes `name` refer to a separate file.
    pub(crate) fn insert(&mut self, name: Name, bytes: u64) {
        self.remove(name);
        self.next_id += 1;
        self.files.insert(self.next_id, Shared { bytes, names: 1 });
        self.names.insert(name, self.next_id);
        self.total_bytes += bytes;
    }

    /// Makes `name` refer to the same file as `other`. Does nothing if `other` is unknown.
    pub(crate) fn share(&mut self, name: Name, other: Name) {
        let Some(&id) = self.names.get(&other) else { return };
        if let Some(file) = self.files.get_mut(&id) {
            file.names += 1;
        }
        self.remove(name);
        self.names.insert(name, id);
    }

    /// Makes `name` refer to no file.
    pub(crate) fn remove(&mut self, name: Name) {
        let Some(id) = self.names.remove(&name) else { return };
        let Some(file) = self.files.get_mut(&id) else { return };
        file.names -= 1;
        if file.names == 0 {
            self.total_bytes -= file.bytes;
            self.files.remove(&id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shared_file_counts_once_until_its_last_name_is_gone() {
        let mut usage = DiskUsage::new();
        usage.insert(1, 10);
        for (name, other) in [(2, 1), (3, 1), (2, 3), (2, 2), (9, 8)] {
            usage.share(name, other);
        }
        assert_eq!((usage.total_bytes(), usage.ends()), (10, Some((1, 3))));

        usage.insert(2, 5);
        assert_eq!(usage.total_bytes(), 15);
        usage.remove(1);
        assert_eq!(usage.total_bytes(), 15);
        usage.remove(3);
        usage.remove(3);
        assert_eq!((usage.total_bytes(), usage.ends()), (5, Some((2, 2))));
        usage.share(4, 2);
        usage.insert(4, 1);
        assert_eq!((usage.total_bytes(), usage.ends()), (6, Some((2, 4))));
    }
}
