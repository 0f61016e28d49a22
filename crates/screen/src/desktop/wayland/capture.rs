//! Copies what the monitors show. A copy of the next change is always under way. Until it is done, nothing has changed,
//! so an unchanged screen costs nothing.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::fd::AsFd as _;
use std::os::unix::fs::FileExt as _;

use franz_frame::{Area, Frame};
use rustix::fs::{MemfdFlags, ftruncate, memfd_create};
use wayland_client::protocol::wl_buffer::WlBuffer;
use wayland_client::protocol::wl_shm::{Format, WlShm};
use wayland_client::{QueueHandle, WEnum};
use wayland_protocols_wlr::screencopy::v1::client::zwlr_screencopy_frame_v1::ZwlrScreencopyFrameV1;
use wayland_protocols_wlr::screencopy::v1::client::zwlr_screencopy_manager_v1::ZwlrScreencopyManagerV1;

use super::connection::{Connection, Globals};
use super::events::{Copying, Events, Shape};
use super::outputs::Placed;
use crate::desktop::display::DisplayError;

const DOING: &str = "capturing the screen";

/// The longest side of a picture to accept from a compositor.
const LONGEST_SIDE: u32 = Frame::MAX_SIDE;

pub(super) struct Capture {
    shm: Option<WlShm>,
    screencopy: Option<ZwlrScreencopyManagerV1>,
    handle: QueueHandle<Events>,
    /// The copies of the next change, by the number of the monitor.
    next: BTreeMap<u32, PendingCopy>,
    /// The memory for the next picture, by the number of the monitor.
    spare: BTreeMap<u32, Buffer>,
    /// What the frame of the last capture shows.
    shown: Option<(Area, Vec<Placed>)>,
    numbers: u64,
}

/// A copy of what a monitor shows, which the compositor makes or will make.
struct PendingCopy {
    number: u64,
    frame: ZwlrScreencopyFrameV1,
    buffer: Buffer,
}

/// Memory that the compositor copies a picture into.
struct Buffer {
    shape: Shape,
    proxy: WlBuffer,
    memory: File,
}

/// A monitor's picture, in the format of a frame.
struct Rows {
    size: (u32, u32),
    bytes: Vec<u8>,
    stride: usize,
}

impl Capture {
    pub(super) fn of(globals: &Globals, handle: &QueueHandle<Events>) -> Capture {
        Capture {
            shm: globals.shm.clone(),
            screencopy: globals.screencopy.clone(),
            handle: handle.clone(),
            next: BTreeMap::new(),
            spare: BTreeMap::new(),
            shown: None,
            numbers: 0,
        }
    }

    /// Updates `frame`, which shows `area` of the desktop; returns the changed part.
    pub(super) fn update(
        &mut self,
        connection: &mut Connection,
        placed: &[Placed],
        area: Area,
        frame: &mut Frame,
    ) -> Result<Option<Area>, DisplayError> {
        let as_before = self.shown.take().is_some_and(|shown| shown == (area, placed.to_vec()));
        if !as_before {
            self.forget(connection);
            frame.data_mut().fill(0);
        }
        let mut changed = (!as_before).then(|| Area::whole(area.width, area.height));
        for output in placed {
            if output.area.intersection(&area).is_none() {
                continue;
            }
            let rows = match self.news(connection, output) {
                Err(error) => {
                    self.forget(connection);
                    return Err(error);
                }
                Ok(None) => continue,
                Ok(Some(rows)) => rows,
            };
            if let Some(part) = paint((&rows.bytes, rows.stride), output.area, area, frame) {
                changed = Some(changed.map_or(part, |before| before.union(&part)));
            }
        }
        self.shown = Some((area, placed.to_vec()));
        Ok(changed)
    }

    /// Returns what a monitor shows, or `None` if it has not changed since the last call.
    fn news(&mut self, connection: &mut Connection, output: &Placed) -> Result<Option<Rows>, DisplayError> {
        let is_unchanged = self.next.get(&output.id).is_some_and(|next| {
            let copying = connection.events().copies.get(&next.number);
            copying.is_some_and(|copying| copying.is_done.is_none())
        });
        if is_unchanged {
            return Ok(None);
        }
        self.now(connection, output).map(Some)
    }

    /// Copies what a monitor shows now. A copy that was waiting for a change is as old as that change, so it only
    /// proves that something changed. The wait for the next change begins first, so that none is missed.
    fn now(&mut self, connection: &mut Connection, output: &Placed) -> Result<Rows, DisplayError> {
        let old = self.next.remove(&output.id);
        let waited = old.map(|old| old.into_buffer(connection.events()));
        let next = self.ask(connection, output, waited, true)?;
        self.next.insert(output.id, next);
        let spare = self.spare.remove(&output.id);
        let now = self.ask(connection, output, spare, false)?;
        let number = now.number;
        let copying = connection.wait(DOING, |events| {
            let copying = events.copies.get(&number)?;
            copying.is_done.map(|_| copying.clone())
        });
        let buffer = now.into_buffer(connection.events());
        let copying = copying?;
        let rows = match copying.is_done {
            Some(true) => buffer.read(copying.is_upside_down),
            _ => Err(io::Error::other(
                "the compositor could not copy it; check that the monitor is on",
            )),
        };
        self.spare.insert(output.id, buffer);
        check(rows, output)
    }

    /// Asks for a copy of what a monitor shows, now or at its next change.
    fn ask(
        &mut self,
        connection: &mut Connection,
        output: &Placed,
        buffer: Option<Buffer>,
        at_change: bool,
    ) -> Result<PendingCopy, DisplayError> {
        let (Some(screencopy), Some(shm)) = (&self.screencopy, &self.shm) else {
            return Err(DisplayError::Unavailable("the desktop cannot be captured".to_owned()));
        };
        self.numbers += 1;
        let number = self.numbers;
        connection.events().copies.insert(number, Copying::default());
        // Without the mouse cursor, because its movement is no change.
        let frame = screencopy.capture_output(0, &output.proxy, &self.handle, number);
        let shape = connection.wait(DOING, |events| {
            let copying = events.copies.get(&number)?;
            let is_known = copying.is_described || copying.is_done.is_some();
            is_known.then_some(copying.shape.filter(|_| copying.is_done.is_none()))
        })?;
        let made = shape
            .ok_or_else(|| io::Error::other("the compositor offers no picture; check that the monitor is on"))
            .and_then(|shape| match buffer {
                Some(buffer) if buffer.shape == shape => Ok(buffer),
                other => {
                    if let Some(old) = other {
                        old.proxy.destroy();
                    }
                    Buffer::new(shape, shm, &self.handle)
                }
            });
        let buffer = match made {
            Ok(buffer) => buffer,
            Err(error) => {
                frame.destroy();
                connection.events().copies.remove(&number);
                return Err(DisplayError::failed(DOING, error));
            }
        };
        if at_change {
            frame.copy_with_damage(&buffer.proxy);
        } else {
            frame.copy(&buffer.proxy);
        }
        connection.flush(DOING)?;
        Ok(PendingCopy { number, frame, buffer })
    }

    /// Gives up all copies.
    fn forget(&mut self, connection: &mut Connection) {
        let waiting = std::mem::take(&mut self.next).into_values();
        let waiting = waiting.map(|copy| copy.into_buffer(connection.events()));
        for buffer in waiting.chain(std::mem::take(&mut self.spare).into_values()) {
            buffer.proxy.destroy();
        }
    }
}

impl PendingCopy {
    fn into_buffer(self, events: &mut Events) -> Buffer {
        events.copies.remove(&self.number);
        self.frame.destroy();
        self.buffer
    }
}

impl Buffer {
    fn new(shape: Shape, shm: &WlShm, handle: &QueueHandle<Events>) -> io::Result<Buffer> {
        let Shape {
            format,
            width,
            height,
            stride,
        } = shape;
        let format = readable(format)?;
        let sides = 1..=LONGEST_SIDE;
        if !sides.contains(&width) || !sides.contains(&height) || stride / 4 < width || stride / 8 > width {
            return Err(io::Error::other(format!("a picture of {width}x{height} is impossible")));
        }
        let length = u64::from(stride) * u64::from(height);
        let size = i32::try_from(length).map_err(io::Error::other)?;
        let memory = memfd_create("franz-picture", MemfdFlags::CLOEXEC)?;
        ftruncate(&memory, length)?;
        let pool = shm.create_pool(memory.as_fd(), size, handle, ());
        let proxy = pool.create_buffer(0, width as i32, height as i32, stride as i32, format, handle, ());
        pool.destroy();
        Ok(Buffer {
            shape,
            proxy,
            memory: File::from(memory),
        })
    }

    fn read(&self, is_upside_down: bool) -> io::Result<Rows> {
        let stride = self.shape.stride as usize;
        let mut bytes = vec![0; stride * self.shape.height as usize];
        self.memory.read_exact_at(&mut bytes, 0)?;
        if is_upside_down {
            bytes = bytes.chunks_exact(stride).rev().flatten().copied().collect();
        }
        if matches!(self.shape.format, WEnum::Value(Format::Xbgr8888 | Format::Abgr8888)) {
            for pixel in bytes.as_chunks_mut::<4>().0 {
                pixel.swap(0, 2);
            }
        }
        Ok(Rows {
            size: (self.shape.width, self.shape.height),
            bytes,
            stride,
        })
    }
}

/// Returns the format if its pixels have four bytes with red, green and blue in one of two orders.
fn readable(format: WEnum<Format>) -> io::Result<Format> {
    let name = match format {
        WEnum::Value(format @ (Format::Xrgb8888 | Format::Argb8888 | Format::Xbgr8888 | Format::Abgr8888)) => {
            return Ok(format);
        }
        WEnum::Value(format) => format!("{format:?}"),
        WEnum::Unknown(number) => format!("{number:#x}"),
    };
    Err(io::Error::other(format!(
        "the compositor's pictures have the format {name}, which FRANZ cannot read; switch off 10-bit colour (HDR) for this \
         monitor, or use --screen virtual"
    )))
}

/// Checks that the picture has the size of the monitor, which might just be changing.
fn check(rows: io::Result<Rows>, output: &Placed) -> Result<Rows, DisplayError> {
    let failed = |error: io::Error| DisplayError::failed(DOING, error);
    let rows = rows.map_err(failed)?;
    if rows.size == (output.area.width, output.area.height) {
        Ok(rows)
    } else {
        Err(failed(io::Error::other("a monitor changed size")))
    }
}

/// Copies the picture of a monitor to where it is in a frame that shows `area` of the desktop; returns the changed
/// part.
pub(in crate::desktop) fn paint(
    (bytes, stride): (&[u8], usize),
    output: Area,
    area: Area,
    frame: &mut Frame,
) -> Option<Area> {
    let seen = output.intersection(&area)?;
    let row = (seen.y - output.y) as usize;
    let column = (seen.x - output.x) as usize;
    let inside = Area {
        x: seen.x - area.x,
        y: seen.y - area.y,
        ..seen
    };
    frame.update(inside, &bytes[row * stride + column * 4..], stride)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_that_franz_cannot_read_is_named_with_what_to_do() {
        for format in [Format::Xrgb8888, Format::Argb8888, Format::Xbgr8888, Format::Abgr8888] {
            assert_eq!(readable(WEnum::Value(format)).unwrap(), format);
        }
        for (format, name) in [
            (WEnum::Value(Format::Xrgb2101010), "the format Xrgb2101010,"),
            (WEnum::Unknown(0x3032_4742), "the format 0x30324742,"),
        ] {
            let error = readable(format).unwrap_err().to_string();
            assert!(
                error.contains(name) && error.contains("switch off 10-bit colour"),
                "{error}"
            );
        }
    }

    #[test]
    fn a_format_with_a_name_is_preferred_to_one_without() {
        let shape = |format| Shape {
            format,
            width: 2,
            height: 2,
            stride: 8,
        };
        let (named, unnamed) = (shape(WEnum::Value(Format::Xrgb8888)), shape(WEnum::Unknown(7)));
        for (offered, expected) in [
            (&[unnamed][..], unnamed),
            (&[unnamed, named], named),
            (&[named, unnamed], named),
        ] {
            let mut copying = Copying::default();
            for shape in offered {
                copying.offer(*shape);
            }
            assert_eq!(copying.shape, Some(expected));
        }
    }
}
