//! Memory that the server writes pictures into, so that they do not have to pass through the socket.

use std::os::fd::OwnedFd;
use std::ptr::NonNull;

use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, ftruncate, memfd_create};
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};
use x11rb::connection::Connection as _;
use x11rb::protocol::shm::{self, ConnectionExt as _};

use super::server::{Answer, Server};

/// Shared memory, attached to the server until the connection ends or [`Segment::detach`].
pub(super) struct Segment {
    pub(super) id: shm::Seg,
    memory: Mapping,
}

impl Segment {
    /// Shares this many bytes; returns `None` if this system or this server does not support it.
    pub(super) fn share(server: &Server, length: usize) -> Answer<Option<Segment>> {
        let Ok((memory, file)) = Mapping::new(length) else {
            return Ok(None);
        };
        let id = server.connection.generate_id()?;
        let attached = server.connection.shm_attach_fd(id, file, false)?.check();
        Ok(attached.is_ok().then_some(Segment { id, memory }))
    }

    pub(super) fn len(&self) -> usize {
        self.memory.length
    }

    /// Detaches the memory when the server no longer needs it.
    pub(super) fn detach(self, server: &Server) -> Answer<()> {
        server.connection.shm_detach(self.id)?;
        Ok(())
    }

    /// Returns the bytes at this position, or `None` if it is outside the memory. No request that writes to these bytes
    /// may be in progress; requests that write elsewhere are fine.
    pub(super) fn bytes(&self, start: usize, length: usize) -> Option<&[u8]> {
        self.memory.bytes(start, length)
    }
}

/// A memory-mapped file that exists only in memory.
struct Mapping {
    start: NonNull<u8>,
    length: usize,
}

#[expect(unsafe_code)]
// SAFETY: Only its owner uses the mapping, whichever thread the owner is in.
unsafe impl Send for Mapping {}

impl Mapping {
    /// Creates the memory and the file that backs it, which the server maps as well. The file can never shrink, so
    /// reading from the memory cannot fail.
    #[expect(unsafe_code)]
    fn new(length: usize) -> rustix::io::Result<(Mapping, OwnedFd)> {
        let file = memfd_create("franz-picture", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?;
        ftruncate(&file, length as u64)?;
        fcntl_add_seals(&file, SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL)?;
        // SAFETY: The kernel chooses a free address range; existing mappings are not touched.
        let start = unsafe {
            mmap(
                std::ptr::null_mut(),
                length,
                ProtFlags::READ,
                MapFlags::SHARED,
                &file,
                0,
            )
        }?;
        let start = NonNull::new(start.cast()).ok_or(rustix::io::Errno::NOMEM)?;
        Ok((Mapping { start, length }, file))
    }

    #[expect(unsafe_code)]
    fn bytes(&self, start: usize, length: usize) -> Option<&[u8]> {
        if start.checked_add(length)? > self.length {
            return None;
        }
        // SAFETY: The range lies within the mapping, which lives as long as `self`. The server writes only between a
        // request for a picture and its reply, and only where the request says; nobody calls this for a range with a
        // request in progress.
        Some(unsafe { std::slice::from_raw_parts(self.start.as_ptr().add(start), length) })
    }
}

impl Drop for Mapping {
    #[expect(unsafe_code)]
    fn drop(&mut self) {
        // SAFETY: The memory was mapped with this length, and slices of it borrow `self`.
        let _ = unsafe { munmap(self.start.as_ptr().cast(), self.length) };
    }
}
