//! Pictures of the screen: only the redrawn parts, through shared memory where available.

use std::time::{Duration, Instant};

use franz_frame::{Area, Frame};
use x11rb::connection::Connection as _;
use x11rb::protocol::shm::{self, ConnectionExt as _};
use x11rb::protocol::xproto::{ConnectionExt as _, ImageFormat, ImageOrder};

use super::damage::Damage;
use super::server::{Answer, Server};
use crate::desktop::display::DisplayError;

use super::segment::Segment;

/// How long to trust damage reports. Some drivers draw without reporting it; what they drew appears after this time at
/// the latest.
const TRUST: Duration = Duration::from_secs(10);

/// How many bytes are requested at a time.
const BAND: usize = 1 << 20;

const ALL_PLANES: u32 = !0;

/// Captures one part of the screen repeatedly.
pub(super) struct Capture {
    damage: Option<Damage>,
    /// Whether memory can be shared with this server.
    shares: bool,
    segment: Option<Segment>,
    /// What the frame of the last call shows, and when it was last fetched as a whole.
    last: Option<(Area, Instant)>,
}

impl Capture {
    pub(super) fn of(server: &Server) -> Answer<Capture> {
        let shares = server.is_local() && server.has(shm::X11_EXTENSION_NAME)? && {
            let version = server.connection.shm_query_version()?.reply()?;
            (version.major_version, version.minor_version) >= (1, 2)
        };
        Ok(Capture {
            damage: Damage::of_root(server)?,
            shares,
            segment: None,
            last: None,
        })
    }

    /// Updates the frame to what `area` shows; returns the part that changed.
    pub(super) fn update(&mut self, server: &Server, area: Area, frame: &mut Frame) -> Answer<Option<Area>> {
        let now = Instant::now();
        let whole = self
            .last
            .take()
            .filter(|(last, when)| *last == area && now - *when < TRUST);
        let (parts, since) = match (whole, &self.damage) {
            (Some((_, when)), Some(damage)) => (damage.take(server)?, when),
            (_, damage) => {
                if let Some(damage) = damage {
                    damage.forget(server)?;
                }
                (vec![area], now)
            }
        };
        let parts: Vec<_> = parts.iter().filter_map(|part| part.intersection(&area)).collect();
        let changed = self.fetch(server, area, &parts, frame)?;
        self.last = Some((area, since));
        Ok(changed)
    }

    fn fetch(&mut self, server: &Server, area: Area, parts: &[Area], frame: &mut Frame) -> Answer<Option<Area>> {
        if parts.is_empty() {
            return Ok(None);
        }
        self.make_room(server, parts.iter().copied().map(bytes).sum())?;
        let mut changed = None;
        let mut put = |part: Area, rows: &[u8]| {
            let inside = Area {
                x: part.x - area.x,
                y: part.y - area.y,
                ..part
            };
            let other = frame.update(inside, rows, part.width as usize * 4);
            changed = match (changed, other) {
                (Some(before), Some(now)) => Some(Area::union(&before, &now)),
                (before, now) => before.or(now),
            };
        };
        match &self.segment {
            Some(segment) => through_memory(server, segment, parts, &mut put)?,
            None => through_socket(server, parts, &mut put)?,
        }
        Ok(changed)
    }

    fn make_room(&mut self, server: &Server, length: usize) -> Answer<()> {
        if !self.shares || self.segment.as_ref().is_some_and(|segment| segment.len() >= length) {
            return Ok(());
        }
        if let Some(small) = self.segment.take() {
            small.detach(server)?;
        }
        self.segment = Segment::share(server, length)?;
        self.shares = self.segment.is_some();
        Ok(())
    }
}

/// Fetches the parts through shared memory. All requests are sent first, so that the server writes the next band while
/// one is copied here.
fn through_memory(server: &Server, segment: &Segment, parts: &[Area], put: &mut dyn FnMut(Area, &[u8])) -> Answer<()> {
    let mut start = 0;
    let mut asked = Vec::new();
    for band in parts.iter().flat_map(|part| bands(*part)) {
        let cookie = server.connection.shm_get_image(
            server.root,
            band.x as i16,
            band.y as i16,
            band.width as u16,
            band.height as u16,
            ALL_PLANES,
            ImageFormat::Z_PIXMAP.into(),
            segment.id,
            start as u32,
        )?;
        asked.push((band, start, cookie));
        start += bytes(band);
    }
    // Wait for every reply, so that nothing is still being written when the memory is reused.
    let mut failed = None;
    for (band, start, cookie) in asked {
        match cookie.reply() {
            Ok(_) => {
                if let Some(rows) = segment.bytes(start, bytes(band)) {
                    put(band, rows);
                }
            }
            Err(error) => failed = Some(error),
        }
    }
    failed.map_or(Ok(()), |error| Err(error.into()))
}

/// Splits the part from top to bottom into pieces small enough for a processor's cache.
fn bands(part: Area) -> impl Iterator<Item = Area> {
    let rows = (BAND / (part.width as usize * 4).max(1)).max(1);
    (0..part.height).step_by(rows).map(move |top| Area {
        y: part.y + top as i32,
        height: part.height.saturating_sub(top).min(rows as u32),
        ..part
    })
}

fn through_socket(server: &Server, parts: &[Area], put: &mut dyn FnMut(Area, &[u8])) -> Answer<()> {
    for part in parts {
        let (x, y, width, height) = (part.x as i16, part.y as i16, part.width as u16, part.height as u16);
        let format = ImageFormat::Z_PIXMAP;
        let image = server
            .connection
            .get_image(format, server.root, x, y, width, height, ALL_PLANES)?;
        let image = image.reply()?;
        if image.data.len() >= bytes(*part) {
            put(*part, &image.data);
        }
    }
    Ok(())
}

fn bytes(part: Area) -> usize {
    part.width as usize * part.height as usize * 4
}

/// Checks that pixels come as blue, green, red and an unused byte.
pub(super) fn check_format(server: &Server) -> Result<(), DisplayError> {
    let setup = server.connection.setup();
    let format = setup.pixmap_formats.iter().find(|format| format.depth == server.depth);
    let fits = setup.image_byte_order == ImageOrder::LSB_FIRST
        && matches!(server.depth, 24 | 32)
        && format.is_some_and(|format| format.bits_per_pixel == 32);
    if fits {
        return Ok(());
    }
    Err(DisplayError::Unavailable(format!(
        "the X display {} has a colour depth of {} bits, but FRANZ needs 24; change the display's depth, or use --screen virtual",
        server.name(),
        server.depth,
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_are_the_whole_part_in_order() {
        for (width, height) in [(1, 1), (1920, 1080), (400, 60), (32_767, 3), (5, 32_767), (0, 4)] {
            let part = Area {
                x: 3,
                y: 7,
                width,
                height,
            };
            let mut below = part.y;
            for band in bands(part) {
                assert_eq!((band.x, band.y, band.width), (part.x, below, width));
                assert!(band.height > 0 && (bytes(band) <= BAND || band.height == 1));
                below += band.height as i32;
            }
            assert_eq!(below, part.y + height as i32);
        }
    }
}
