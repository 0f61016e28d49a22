//! A link into the port: the buffers that the compositor and this node exchange.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use super::memory::{Memory, NOTHING, Words};
use super::newest::{Newest, Picture};
use super::pod::Pods;
use super::port::Format;

/// The numbers with which two ports exchange buffers, by their positions.
const EXCHANGE_STATUS: usize = 0;
const EXCHANGE_BUFFER: usize = 4;

/// The values of their status.
pub(super) const NEED_DATA: u32 = 1;
const HAVE_DATA: u32 = 2;

/// The kinds of memory that a picture can be in: the buffer's own, or that with a number.
const INSIDE: u32 = 1;
const NUMBERED: u32 = 4;

/// The most buffers of a link, and parts of a buffer, that PipeWire itself accepts.
pub(super) const MOST_BUFFERS: u32 = 64;
const MOST_PARTS: u32 = 256;

/// The flag of a picture that must not be shown.
const CORRUPTED: u32 = 1;

/// What one link into the port exchanges.
#[derive(Default)]
pub(super) struct Link {
    pub(super) exchange: Option<Words>,
    pub(super) buffers: Vec<Buffer>,
    /// The buffer with the newest picture, which the compositor must not overwrite.
    pub(super) kept: Option<u32>,
}

/// Where a picture is.
pub(super) struct Buffer {
    /// The memory that describes the part that is filled, and its position there.
    chunk: (u32, u64),
    /// The memory with the pixels, and their position there.
    pixels: (u32, u64),
    length: u32,
}

impl Link {
    /// Takes the picture that the compositor offers, and gives the previous one back.
    pub(super) fn take(&mut self, memory: &BTreeMap<u32, Memory>, format: Option<Format>, newest: &Newest) {
        let Some(exchange) = &self.exchange else { return };
        let (Some(status), Some(buffer)) = (exchange.at(EXCHANGE_STATUS), exchange.at(EXCHANGE_BUFFER)) else {
            return;
        };
        if status.load(Ordering::Acquire) != HAVE_DATA {
            status.store(NEED_DATA, Ordering::Release);
            return;
        }
        let offered = buffer.load(Ordering::Acquire);
        let picture = self
            .buffers
            .get(offered as usize)
            .zip(format)
            .and_then(|(buffer, format)| buffer.picture(memory, format));
        let give_back = |id: Option<u32>| {
            buffer.store(id.unwrap_or(NOTHING), Ordering::Release);
            status.store(NEED_DATA, Ordering::Release);
        };
        match picture {
            Some(picture) => newest.replace(Some(picture), || give_back(self.kept.replace(offered))),
            None => give_back(Some(offered)),
        }
    }
}

impl Buffer {
    pub(super) fn of(fields: &mut Pods<'_>) -> Option<Buffer> {
        let (memory, offset, _length) = (fields.number()?, u64::from(fields.number()?), fields.number()?);
        let mut before: u64 = 0;
        let details = fields.number().filter(|count| *count <= MOST_PARTS)?;
        for _ in 0..details {
            let (_kind, length) = (fields.number()?, fields.number()?);
            before += u64::from(length).next_multiple_of(8);
        }
        let parts = fields.number().filter(|count| (1..=MOST_PARTS).contains(count))?;
        let mut first = None;
        for _ in 0..parts {
            let (kind, data, _flags) = (fields.number()?, fields.number()?, fields.number()?);
            let (start, length) = (u64::from(fields.number()?), fields.number()?);
            let pixels = match kind {
                INSIDE => Some((memory, offset + u64::from(data))),
                NUMBERED => Some((data, start)),
                _ => None,
            };
            // Pictures of these formats have one part.
            first.get_or_insert((pixels, length));
        }
        let (pixels, length) = first?;
        Some(Buffer {
            chunk: (memory, offset + before),
            pixels: pixels?,
            length,
        })
    }

    /// Returns the picture in the buffer, or `None` if it is not complete.
    fn picture(&self, memory: &BTreeMap<u32, Memory>, format: Format) -> Option<Picture> {
        let (id, position) = self.chunk;
        let mut chunk = [0; 16];
        memory.get(&id)?.read(position, &mut chunk).ok()?;
        let [offset, filled, stride, flags] =
            [0, 4, 8, 12].map(|at| u32::from_ne_bytes([chunk[at], chunk[at + 1], chunk[at + 2], chunk[at + 3]]));
        let (width, height) = format.size;
        let length = u64::from(stride) * u64::from(height);
        let is_whole = stride / 4 >= width
            && stride / 8 <= width
            && u64::from(offset) + length <= u64::from(self.length)
            && u64::from(filled) >= length;
        if !is_whole || flags & CORRUPTED != 0 {
            return None;
        }
        let (id, position) = self.pixels;
        Some(Picture {
            file: memory.get(&id)?.file(),
            offset: position + u64::from(offset),
            size: format.size,
            stride,
            is_red_first: format.is_red_first,
        })
    }
}
