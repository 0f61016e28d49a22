//! Memory that the server writes pictures into, so that none goes through the socket.

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
    /// Shares that many bytes; `None` when this system or this server does not.
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

    /// The server does not need it any more.
    pub(super) fn detach(self, server: &Server) -> Answer<()> {
        server.connection.shm_detach(self.id)?;
        Ok(())
    }

    /// What lies there; `None` outside of the memory. No request that writes there may be under way; one that writes elsewhere may.
    pub(super) fn bytes(&self, start: usize, length: usize) -> Option<&[u8]> {
        self.memory.bytes(start, length)
    }
}

/// A file in memory, mapped.
struct Mapping {
    start: NonNull<u8>,
    length: usize,
}

#[expect(unsafe_code)]
// SAFETY: the mapping belongs to its owner alone, whatever thread that is in.
unsafe impl Send for Mapping {}

impl Mapping {
    /// The memory, and the file that the server maps, too. It can never become shorter, so reading from it cannot fail.
    #[expect(unsafe_code)]
    fn new(length: usize) -> rustix::io::Result<(Mapping, OwnedFd)> {
        let file = memfd_create("franz-picture", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?;
        ftruncate(&file, length as u64)?;
        fcntl_add_seals(&file, SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL)?;
        // SAFETY: the kernel chooses a free place for it; nothing that was mapped before is touched.
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
        // SAFETY: that lies within the mapping, which lives as long as `self`. The server writes only between a request for a picture and
        // its reply, and only where the request says; nobody calls this for a place with a request under way.
        Some(unsafe { std::slice::from_raw_parts(self.start.as_ptr().add(start), length) })
    }
}

impl Drop for Mapping {
    #[expect(unsafe_code)]
    fn drop(&mut self) {
        // SAFETY: it was mapped with this length, and slices of it borrow `self`.
        let _ = unsafe { munmap(self.start.as_ptr().cast(), self.length) };
    }
}
