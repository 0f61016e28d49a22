//! Gives the fuzz targets access to private code that reads data which other programs leave on a desktop.

// The parts of the Windows implementation that make no system calls.
#[path = "windows/bitmap.rs"]
mod bitmap;
#[path = "windows/text.rs"]
mod text;

use std::os::unix::net::UnixStream;

use franz_frame::{Area, Frame};

use super::cursor::{CursorImage, DrawnCursor};
use super::display::{Display, DisplayError};
use super::x11::selection::{Arrived, Form, Incoming, piece};
use bitmap::Bitmap;

/// Draws a cursor into a frame that shows `seen` and removes it again; returns the frame as it was in between.
pub fn drawn(cursor: CursorImage, seen: Area, frame: &mut Frame) -> Frame {
    let mut drawn = DrawnCursor::default();
    drawn.draw(Some(cursor), seen, frame);
    let meanwhile = frame.clone();
    drawn.lift(frame);
    meanwhile
}

/// Builds a Windows cursor; each bitmap is a width, a height and pixels.
pub fn windows_cursor(
    at: (i32, i32),
    hot_spot: (u32, u32),
    mask: (u32, u32, Vec<u32>),
    colors: Option<(u32, u32, Vec<u32>)>,
) -> Option<CursorImage> {
    let bitmap = |(width, height, pixels)| Bitmap { width, height, pixels };
    bitmap::cursor(at, hot_spot, &bitmap(mask), colors.map(bitmap).as_ref())
}

/// Reads text in the Windows clipboard format.
pub fn windows_text(units: &[u16]) -> String {
    text::read(units)
}

/// Converts text to the Windows clipboard format.
pub fn windows_units(text: &str) -> Vec<u16> {
    text::written(text)
}

/// Opens the desktop of a Wayland compositor at the other end of a stream.
pub fn wayland(stream: UnixStream) -> Result<Box<dyn Display>, DisplayError> {
    super::wayland::over(stream)
}

/// Counts the windows in what sway reports.
pub fn sway_windows(tree: &[u8]) -> Option<usize> {
    super::wayland::windows_in(tree)
}

/// Reads the text of a selection, in UTF-8 or Latin-1, from these pieces.
pub fn selected<'a>(latin1: bool, pieces: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut incoming = Incoming::default();
    for piece in pieces {
        if incoming.take(piece) != Arrived::Part {
            break;
        }
    }
    form(latin1).read(&incoming.into_bytes())
}

/// Splits the text of a selection into pieces, up to the empty one.
pub fn pieces(latin1: bool, text: &str, most: usize) -> Vec<Vec<u8>> {
    let bytes = form(latin1).write(text);
    let (mut at, mut pieces) = (0, Vec::new());
    loop {
        let next = piece(&bytes, at, most);
        at += next.len();
        pieces.push(next.to_vec());
        if next.is_empty() {
            return pieces;
        }
    }
}

fn form(latin1: bool) -> Form {
    if latin1 { Form::Latin1 } else { Form::Utf8 }
}
