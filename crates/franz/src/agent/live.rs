//! Live pictures of a private screen, for the pages that watch it while it waits for a person or is under their
//! control. They are neither recorded nor shown to the model.

use std::time::Duration;

use base64_simd::STANDARD;
use franz_frame::{Area, Frame, png};
use franz_record::{Event, LivePicture};
use franz_screen::{Change, Screen as _};

use super::Agent;

/// How often to look at a screen that is waiting for the person.
pub(super) const WAITING: Duration = Duration::from_millis(250);

/// A whole picture is sent after this many parts, or after parts that add up to this many bytes, because the panel
/// keeps all parts since the last whole picture.
const MOST_PARTS: u64 = 30;
const MOST_BYTES: usize = 8 << 20;

impl Agent {
    /// Shows a page the changes on a private screen while the run waits.
    pub(super) fn show_waiting(&mut self) {
        if !self.live.settings.screen.kind.is_private() || !self.presence.is_page_open() {
            return;
        }
        self.put_masks();
        if self.glance().is_err() {
            return;
        }
        let change = self.screen.change();
        if let Some(picture) = self.trail.live.changed(change, self.screen.frame()) {
            self.tell(&Event::Live(picture));
        }
    }
}

/// The last live picture that was shown.
#[derive(Debug, Default)]
pub(super) struct LiveView {
    /// `None` before the first picture of this wait.
    frame: Option<Frame>,
    /// Keeps counting from one wait to the next, so that no page mistakes one picture for another.
    number: u64,
    /// The number of parts sent since the last whole picture, and their total size in bytes.
    parts: u64,
    bytes: usize,
}

impl LiveView {
    /// Makes the next picture a whole one.
    pub(super) fn begin(&mut self) {
        self.frame = None;
    }

    /// Returns the part that a newly captured picture changes; `None` if it changes nothing.
    fn changed(&mut self, change: Change, frame: &Frame) -> Option<LivePicture> {
        (change != Change::Nothing || self.frame.is_none()).then(|| self.next(frame))?
    }

    /// Returns the part that has changed; `None` if none has.
    pub(super) fn next(&mut self, frame: &Frame) -> Option<LivePicture> {
        let size = (frame.width(), frame.height());
        let whole = Area::whole(size.0, size.1);
        let before = self
            .frame
            .as_ref()
            .filter(|before| (before.width(), before.height()) == size);
        let changed = match before {
            Some(before) => changed(before, frame)?,
            None => whole,
        };
        let is_whole = before.is_none() || self.parts >= MOST_PARTS || self.bytes >= MOST_BYTES;
        let area = if is_whole { whole } else { changed };
        let png = png::encode(&frame.part(area)?).ok()?;
        (self.parts, self.bytes) = if is_whole {
            (0, 0)
        } else {
            (self.parts + 1, self.bytes + png.len())
        };
        self.number += 1;
        self.frame = Some(frame.clone());
        Some(LivePicture {
            number: self.number,
            whole: is_whole,
            screen: size,
            at: (area.x as u32, area.y as u32),
            png: STANDARD.encode_to_string(png),
        })
    }
}

/// Returns the smallest area that contains all differences between two pictures of the same size.
fn changed(before: &Frame, after: &Frame) -> Option<Area> {
    let stride = before.data().len() / before.height() as usize;
    let depth = stride / before.width() as usize;
    let rows = before.data().chunks(stride).zip(after.data().chunks(stride));
    let (mut top, mut bottom, mut left, mut right) = (None, 0, usize::MAX, 0);
    for (y, (old, new)) in rows.enumerate().filter(|(_, (old, new))| old != new) {
        top.get_or_insert(y);
        bottom = y;
        let differs = |(old, new): (&u8, &u8)| old != new;
        let first = old.iter().zip(new).position(differs)? / depth;
        let last = old.iter().zip(new).rposition(differs)? / depth;
        (left, right) = (left.min(first), right.max(last));
    }
    let top = top?;
    Some(Area {
        x: left as i32,
        y: top as i32,
        width: (right - left + 1) as u32,
        height: (bottom - top + 1) as u32,
    })
}
