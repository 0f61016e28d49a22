//! The mouse cursor: Windows gives it as bitmaps of three kinds.

use std::io;
use std::ptr::null_mut;

use franz_frame::Area;
use windows_sys::Win32::Foundation::POINT;
use windows_sys::Win32::Graphics::Gdi::{
    BITMAP, DIB_RGB_COLORS, DeleteObject, GetDC, GetDIBits, GetObjectW, HBITMAP, ReleaseDC,
};
use windows_sys::Win32::UI::WindowsAndMessaging::{
    CURSOR_SHOWING, CURSORINFO, CopyIcon, DestroyIcon, GetCursorInfo, GetIconInfo, HICON, ICONINFO,
};

use super::capture::top_down;
use super::monitors::Bounds;
use crate::desktop::cursor::CursorImage;
use crate::desktop::display::DisplayError;

/// No cursor is larger, in pixels on one side; what says it is, is not drawn.
const LARGEST: i32 = 512;

const OPAQUE: u32 = 0xff00_0000;
const WHITE: u32 = 0xffff_ffff;

/// The cursor that is shown, if one is.
pub(super) fn shown() -> Result<Option<CursorImage>, DisplayError> {
    let info = information().map_err(|error| DisplayError::failed("looking for the cursor", error))?;
    if info.flags & CURSOR_SHOWING == 0 || info.hCursor.is_null() {
        return Ok(None);
    }
    let at = info.ptScreenPos;
    Ok(Bitmaps::of(info.hCursor).and_then(|bitmaps| bitmaps.image(at)))
}

/// What a cursor is made of.
struct Bitmaps {
    hot_spot: (u32, u32),
    /// Where what is below shows; without colours a second mask, what is inverted, follows in the same bitmap.
    mask: HBITMAP,
    /// Null when there are only black, white and inverted.
    colors: HBITMAP,
}

impl Bitmaps {
    /// The cursor belongs to another program, which may delete it at any time; so a copy is looked at.
    #[expect(unsafe_code)]
    fn of(cursor: HICON) -> Option<Bitmaps> {
        let mut info = ICONINFO::default();
        // SAFETY: Handles that are no cursor's are errors; the copy is destroyed, the bitmaps are ours.
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
        let (x, y) = Bounds::now().on_desktop(at);
        let (width, rows, mask) = pixels(self.mask)?;
        let (height, pixels) = if self.colors.is_null() {
            let (clear, inverted) = mask.split_at_checked(mask.len() / 2)?;
            (rows / 2, black_and_white(clear, inverted, width as usize))
        } else {
            let (color_width, height, colors) = pixels(self.colors)?;
            (color_width == width && height == rows).then(|| (height, colored(&colors, &mask)))?
        };
        Some(CursorImage {
            area: Area {
                x: x.saturating_sub_unsigned(self.hot_spot.0),
                y: y.saturating_sub_unsigned(self.hot_spot.1),
                width,
                height,
            },
            pixels,
        })
    }
}

impl Drop for Bitmaps {
    #[expect(unsafe_code)]
    fn drop(&mut self) {
        // SAFETY: Both are ours; deleting none is an error without consequence.
        unsafe {
            DeleteObject(self.mask);
            DeleteObject(self.colors);
        }
    }
}

/// Where no pixel has any alpha, the mask says what is seen.
fn colored(colors: &[u32], mask: &[u32]) -> Vec<u32> {
    if colors.iter().any(|color| color & OPAQUE != 0) {
        return colors.iter().map(|color| multiplied(*color)).collect();
    }
    let seen = |(color, clear): (&u32, &u32)| if is_set(*clear) { 0 } else { OPAQUE | color };
    colors.iter().zip(mask).map(seen).collect()
}

/// Colours multiplied by alpha.
fn multiplied(color: u32) -> u32 {
    let [blue, green, red, alpha] = color.to_le_bytes();
    let by_alpha = |channel: u8| ((u32::from(channel) * u32::from(alpha) + 127) / 255) as u8;
    u32::from_le_bytes([by_alpha(blue), by_alpha(green), by_alpha(red), alpha])
}

/// What inverts the pixels below becomes black with a white edge, which is seen on every ground.
fn black_and_white(clear: &[u32], inverted: &[u32], width: usize) -> Vec<u32> {
    let inverts: Vec<bool> = clear
        .iter()
        .zip(inverted)
        .map(|(clear, inverted)| is_set(*clear) && is_set(*inverted))
        .collect();
    let is_edge = |place: usize| {
        let column = place % width;
        let beside = [
            (column > 0).then(|| place - 1),
            (column + 1 < width).then_some(place + 1),
            place.checked_sub(width),
            Some(place + width),
        ];
        beside
            .into_iter()
            .flatten()
            .any(|beside| inverts.get(beside) == Some(&true))
    };
    let masks = clear.iter().zip(inverted).enumerate();
    let pixels = masks.map(|(place, (clear, inverted))| match (is_set(*clear), is_set(*inverted)) {
        (false, true) => WHITE,
        (false, false) | (true, true) => OPAQUE,
        (true, false) if is_edge(place) => WHITE,
        (true, false) => 0,
    });
    pixels.collect()
}

/// Masks are black and white.
fn is_set(mask: u32) -> bool {
    mask & 0x00ff_ffff != 0
}

#[expect(unsafe_code)]
fn information() -> io::Result<CURSORINFO> {
    let mut info = CURSORINFO {
        cbSize: size_of::<CURSORINFO>() as u32,
        ..CURSORINFO::default()
    };
    // SAFETY: The structure says its size.
    if unsafe { GetCursorInfo(&raw mut info) } == 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(info)
}

/// Width, height, and the pixels of a bitmap from top to bottom: blue in the lowest byte, alpha in the highest.
#[expect(unsafe_code)]
fn pixels(bitmap: HBITMAP) -> Option<(u32, u32, Vec<u32>)> {
    let mut about = BITMAP::default();
    // SAFETY: The buffer has a number for each pixel that is asked for; the screen's device is given back.
    let read = unsafe { GetObjectW(bitmap, size_of::<BITMAP>() as i32, (&raw mut about).cast()) };
    let sides = 1..=LARGEST;
    // The two masks of one cursor lie in one bitmap.
    if read == 0 || !sides.contains(&about.bmWidth) || !sides.contains(&(about.bmHeight / 2).max(1)) {
        return None;
    }
    let (width, height) = (about.bmWidth.cast_unsigned(), about.bmHeight.cast_unsigned());
    let mut layout = top_down(width, height);
    let mut pixels = vec![0_u32; width as usize * height as usize];
    // SAFETY: The buffer has a number for each pixel that is asked for; the screen's device is given back.
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
    (rows.cast_unsigned() == height).then_some((width, height, pixels))
}

#[cfg(test)]
mod tests {
    use super::*;
    use windows_sys::Win32::UI::WindowsAndMessaging::{IDC_ARROW, IDC_IBEAM, LoadCursorW};

    const ON: u32 = 0x00ff_ffff;

    #[test]
    fn colors_with_alpha_are_multiplied_by_it() {
        assert_eq!(
            colored(&[0x80ff_00ff, 0, 0xff01_0203], &[ON, ON, ON]),
            [0x8080_0080, 0, 0xff01_0203]
        );
    }

    #[test]
    fn colors_without_alpha_are_cut_out_by_the_mask() {
        assert_eq!(colored(&[0x0012_3456, 0x0012_3456], &[0, ON]), [0xff12_3456, 0]);
    }

    #[test]
    fn inverted_pixels_are_seen_on_every_ground() {
        let clear = [0, 0, ON, ON, ON, ON];
        let inverted = [0, ON, 0, ON, 0, 0];
        assert_eq!(
            black_and_white(&clear, &inverted, 6),
            [OPAQUE, WHITE, WHITE, OPAQUE, WHITE, 0]
        );
        assert_eq!(
            black_and_white(&[ON, ON, ON, ON], &[ON, 0, 0, 0], 2),
            [OPAQUE, WHITE, WHITE, 0]
        );
    }

    #[test]
    #[expect(unsafe_code)]
    fn the_cursors_of_the_system_are_read() {
        for name in [IDC_ARROW, IDC_IBEAM] {
            // SAFETY: Cursors of the system, which are never deleted.
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
