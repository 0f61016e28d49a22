//! The mouse cursor, which Windows provides as bitmaps of three kinds.

use std::io;
use std::ptr::null_mut;

use windows_sys::Win32::Foundation::POINT;
use windows_sys::Win32::Graphics::Gdi::{
    BITMAP, DIB_RGB_COLORS, DeleteObject, GetDC, GetDIBits, GetObjectW, HBITMAP, ReleaseDC,
};
use windows_sys::Win32::UI::WindowsAndMessaging::{
    CURSOR_SHOWING, CURSORINFO, CopyIcon, DestroyIcon, GetCursorInfo, GetIconInfo, HICON, ICONINFO,
};

use super::bitmap::{Bitmap, cursor};
use super::capture::top_down;
use super::monitors::Bounds;
use crate::desktop::cursor::CursorImage;
use crate::desktop::display::DisplayError;

/// The largest side of a cursor in pixels; one that claims to be larger is not drawn.
const LARGEST: i32 = 512;

/// Returns the visible cursor, if there is one.
pub(super) fn shown() -> Result<Option<CursorImage>, DisplayError> {
    let info = information().map_err(|error| DisplayError::failed("finding the cursor", error))?;
    if info.flags & CURSOR_SHOWING == 0 || info.hCursor.is_null() {
        return Ok(None);
    }
    let at = info.ptScreenPos;
    Ok(Bitmaps::of(info.hCursor).and_then(|bitmaps| bitmaps.image(at)))
}

/// The bitmaps of a cursor.
struct Bitmaps {
    hot_spot: (u32, u32),
    /// Where the background shows through. Without `colors`, this bitmap also contains a second mask, of inverted
    /// pixels.
    mask: HBITMAP,
    /// Null if the cursor is only black, white and inverted.
    colors: HBITMAP,
}

impl Bitmaps {
    /// Reads the bitmaps of a copy, because the cursor belongs to another program, which can delete it at any time.
    #[expect(unsafe_code)]
    fn of(cursor: HICON) -> Option<Bitmaps> {
        let mut info = ICONINFO::default();
        // SAFETY: Handles of anything but a cursor cause errors; the copy is destroyed, and the bitmaps are ours.
        let done = unsafe {
            let copy = CopyIcon(cursor);
            let done = GetIconInfo(copy, &raw mut info);
            DestroyIcon(copy);
            done
        };
        (done != 0).then_some(Bitmaps {
            hot_spot: (info.xHotspot, info.yHotspot),
            mask: info.hbmMask,
            colors: info.hbmColor,
        })
    }

    fn image(&self, at: POINT) -> Option<CursorImage> {
        let mask = pixels(self.mask)?;
        let colors = if self.colors.is_null() {
            None
        } else {
            Some(pixels(self.colors)?)
        };
        cursor(Bounds::now().on_desktop(at), self.hot_spot, &mask, colors.as_ref())
    }
}

impl Drop for Bitmaps {
    #[expect(unsafe_code)]
    fn drop(&mut self) {
        // SAFETY: Both bitmaps are ours; deleting a null handle is a harmless error.
        unsafe {
            DeleteObject(self.mask);
            DeleteObject(self.colors);
        }
    }
}

#[expect(unsafe_code)]
fn information() -> io::Result<CURSORINFO> {
    let mut info = CURSORINFO {
        cbSize: size_of::<CURSORINFO>() as u32,
        ..CURSORINFO::default()
    };
    // SAFETY: The structure states its size.
    if unsafe { GetCursorInfo(&raw mut info) } == 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(info)
}

#[expect(unsafe_code)]
fn pixels(bitmap: HBITMAP) -> Option<Bitmap> {
    let mut about = BITMAP::default();
    // SAFETY: The buffer has a number for each requested pixel; the screen's device is released.
    let read = unsafe { GetObjectW(bitmap, size_of::<BITMAP>() as i32, (&raw mut about).cast()) };
    let sides = 1..=LARGEST;
    // The two masks of one cursor share one bitmap.
    if read == 0 || !sides.contains(&about.bmWidth) || !sides.contains(&(about.bmHeight / 2).max(1)) {
        return None;
    }
    let (width, height) = (about.bmWidth.cast_unsigned(), about.bmHeight.cast_unsigned());
    let mut layout = top_down(width, height);
    let mut pixels = vec![0_u32; width as usize * height as usize];
    // SAFETY: The buffer has a number for each requested pixel; the screen's device is released.
    let rows = unsafe {
        let screen = GetDC(null_mut());
        let rows = GetDIBits(
            screen,
            bitmap,
            0,
            height,
            pixels.as_mut_ptr().cast(),
            &raw mut layout,
            DIB_RGB_COLORS,
        );
        ReleaseDC(null_mut(), screen);
        rows
    };
    (rows.cast_unsigned() == height).then_some(Bitmap { width, height, pixels })
}

#[cfg(test)]
mod tests {
    use super::super::bitmap::OPAQUE;
    use super::*;
    use windows_sys::Win32::UI::WindowsAndMessaging::{IDC_ARROW, IDC_IBEAM, LoadCursorW};

    #[test]
    #[expect(unsafe_code)]
    fn the_cursors_of_the_system_are_read() {
        for name in [IDC_ARROW, IDC_IBEAM] {
            // SAFETY: The name is that of a system cursor, which is never deleted.
            let bitmaps = Bitmaps::of(unsafe { LoadCursorW(null_mut(), name) }).unwrap();
            let image = bitmaps.image(POINT { x: 100, y: 100 }).unwrap();
            assert_eq!(image.pixels.len(), (image.area.width * image.area.height) as usize);
            assert!(image.area.contains(100, 100), "{}", image.area);
            assert!(
                image.pixels.iter().any(|pixel| pixel & OPAQUE == OPAQUE),
                "something is seen"
            );
            assert!(image.pixels.contains(&0), "and something is not");
        }
    }
}
