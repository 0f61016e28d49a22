//! Memory that PipeWire shares with its clients.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::fs::FileExt as _;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};

/// The most shared memory to map at once: much more than numbers need.
const MOST: u64 = 1 << 20;

/// The number that stands for no memory, and for no buffer in it.
pub(super) const NOTHING: u32 = u32::MAX;

/// Shared memory. Pictures are read through its file, and numbers through a mapping of it.
pub(super) struct Memory {
    file: Arc<File>,
    mapping: Option<Arc<Mapping>>,
}

/// A part of shared memory that consists of numbers, which other processes read and write at the same time.
#[derive(Clone)]
pub(super) struct Words {
    mapping: Arc<Mapping>,
    offset: usize,
    length: usize,
}

impl Memory {
    pub(super) fn of(file: OwnedFd) -> Memory {
        Memory {
            file: Arc::new(File::from(file)),
            mapping: None,
        }
    }

    pub(super) fn file(&self) -> Arc<File> {
        Arc::clone(&self.file)
    }

    /// Reads bytes; fails if the memory has fewer.
    pub(super) fn read(&self, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
        self.file.read_exact_at(bytes, offset)
    }

    /// Maps a part of the memory.
    pub(super) fn words(&mut self, offset: u32, length: u32) -> io::Result<Words> {
        let mapping = match &self.mapping {
            Some(mapping) => Arc::clone(mapping),
            None => Arc::clone(self.mapping.insert(Arc::new(Mapping::of(&self.file)?))),
        };
        let (offset, length) = (offset as usize, length as usize);
        let is_inside = offset.checked_add(length).is_some_and(|end| end <= mapping.length);
        if !is_inside || !offset.is_multiple_of(align_of::<AtomicU32>()) {
            return Err(io::Error::new(
                ErrorKind::InvalidData,
                "PipeWire shares less memory than it says",
            ));
        }
        Ok(Words {
            mapping,
            offset,
            length,
        })
    }
}

impl Words {
    /// Returns the number at this position in bytes, or `None` beyond the end.
    #[expect(unsafe_code)]
    pub(super) fn at(&self, position: usize) -> Option<&AtomicU32> {
        let is_inside = position.checked_add(4)? <= self.length && position.is_multiple_of(4);
        // SAFETY: The number lies inside the mapping, which lives as long as `self`, and is aligned, like the mapping
        // and the offset. Numbers that other processes change are only ever accessed atomically.
        is_inside.then(|| unsafe {
            let start = self.mapping.start.as_ptr().add(self.offset + position);
            AtomicU32::from_ptr(start.cast())
        })
    }
}

struct Mapping {
    start: NonNull<u8>,
    length: usize,
}

#[expect(unsafe_code)]
// SAFETY: The mapping is accessed only through atomic numbers.
unsafe impl Send for Mapping {}

#[expect(unsafe_code)]
// SAFETY: The mapping is accessed only through atomic numbers.
unsafe impl Sync for Mapping {}

impl Mapping {
    #[expect(unsafe_code)]
    fn of(file: &File) -> io::Result<Mapping> {
        let length = file.metadata()?.len();
        if length == 0 || length > MOST {
            return Err(io::Error::new(
                ErrorKind::InvalidData,
                "PipeWire shares memory of an impossible size",
            ));
        }
        let length = length as usize;
        // SAFETY: The kernel chooses a free address range; existing mappings are not touched.
        let start = unsafe {
            mmap(
                std::ptr::null_mut(),
                length,
                ProtFlags::READ | ProtFlags::WRITE,
                MapFlags::SHARED,
                file.as_fd(),
                0,
            )
        }?;
        let start = NonNull::new(start.cast()).ok_or(rustix::io::Errno::NOMEM)?;
        Ok(Mapping { start, length })
    }
}

impl Drop for Mapping {
    #[expect(unsafe_code)]
    fn drop(&mut self) {
        // SAFETY: The memory was mapped with this length, and references into it borrow a clone of its `Arc`.
        let _ = unsafe { munmap(self.start.as_ptr().cast(), self.length) };
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use rustix::fs::{MemfdFlags, ftruncate, memfd_create};

    use super::*;

    fn memory(length: u64) -> Memory {
        let file = memfd_create("test", MemfdFlags::CLOEXEC).unwrap();
        ftruncate(&file, length).unwrap();
        Memory::of(file)
    }

    #[test]
    fn only_numbers_inside_the_memory_are_reached() {
        let mut memory = memory(64);
        let words = memory.words(16, 16).unwrap();
        words.at(12).unwrap().store(7, Ordering::Relaxed);
        for outside in [13, 14, 16, usize::MAX] {
            assert!(words.at(outside).is_none(), "{outside}");
        }
        let mut bytes = [0; 4];
        memory.read(28, &mut bytes).unwrap();
        assert_eq!(u32::from_ne_bytes(bytes), 7);
        for (offset, length) in [(0, 65), (64, 1), (u32::MAX, u32::MAX), (2, 4)] {
            assert!(memory.words(offset, length).is_err(), "{offset} {length}");
        }
        assert!(memory.read(61, &mut bytes).is_err());
    }

    #[test]
    fn memory_of_an_impossible_size_is_refused() {
        for length in [0, MOST + 1] {
            assert!(memory(length).words(0, 0).is_err(), "{length}");
        }
    }
}
