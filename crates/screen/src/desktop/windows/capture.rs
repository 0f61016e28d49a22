//! Pictures of the desktop: GDI copies it into a bitmap whose rows we can read.

use std::ffi::c_void;
use std::io;
use std::ptr::null_mut;

use franz_frame::{Area, Frame, PixelFormat};
use windows_sys::Win32::Foundation::POINT;
use windows_sys::Win32::Graphics::Gdi::{
    BI_RGB, BITMAPINFO, BITMAPINFOHEADER, BitBlt, CAPTUREBLT, CreateCompatibleDC, CreateDIBSection, DIB_RGB_COLORS,
    DeleteDC, DeleteObject, GdiFlush, GetDC, HBITMAP, HDC, HGDIOBJ, ReleaseDC, SRCCOPY, SelectObject,
};

use super::monitors::Bounds;
use crate::desktop::display::DisplayError;

/// Bytes per pixel: blue, green, red, and an unused one.
const PIXEL: usize = PixelFormat::Bgrx8.bytes();

/// The bitmap of the last capture, reused for the next one of the same size.
#[derive(Default)]
pub(super) struct Picture {
    bitmap: Option<Bitmap>,
}

impl Picture {
    /// Captures a part of the desktop into a frame of its size; returns the part that changed.
    pub(super) fn bring_up_to_date(&mut self, area: Area, frame: &mut Frame) -> Result<Option<Area>, DisplayError> {
        let size = (area.width, area.height);
        if (frame.width(), frame.height()) != size || frame.format() != PixelFormat::Bgrx8 {
            return Err(DisplayError::failed(
                "taking a picture",
                "the frame does not match the area",
            ));
        }
        let bitmap = match self.bitmap.take() {
            Some(bitmap) if bitmap.size == size => self.bitmap.insert(bitmap),
            _ => self
                .bitmap
                .insert(Bitmap::new(area.width, area.height).map_err(failed)?),
        };
        bitmap.take(Bounds::now().for_windows(area.x, area.y)).map_err(failed)?;
        let rows = bitmap.rows();
        // The fourth byte differs from program to program; clear it so that pictures that look the same compare equal.
        for pixel in rows.chunks_exact_mut(PIXEL) {
            if let Some(meaningless) = pixel.last_mut() {
                *meaningless = 0;
            }
        }
        Ok(frame.update(Area::whole(area.width, area.height), rows, area.width as usize * PIXEL))
    }
}

fn failed(error: io::Error) -> DisplayError {
    // ERROR_ACCESS_DENIED, ERROR_INVALID_HANDLE: the visible desktop is not ours.
    if matches!(error.raw_os_error(), Some(5 | 6)) {
        return DisplayError::Withheld(format!(
            "Windows is blocking screen capture ({error}): the screen is locked, or a UAC prompt covers it; unlock it or answer the prompt"
        ));
    }
    DisplayError::failed("taking a picture", error)
}

/// A bitmap in memory, with rows from top to bottom without padding, and the device that draws on it.
struct Bitmap {
    size: (u32, u32),
    device: HDC,
    handle: HBITMAP,
    /// The device's previous bitmap, which must be selected again before the device is deleted.
    before: HGDIOBJ,
    /// The pixels of `handle`, valid as long as it is.
    pixels: *mut u8,
}

/// The handles are used by one thread at a time, which is all that GDI requires.
#[expect(unsafe_code)]
// SAFETY: Nothing else holds the handles and the pointer.
unsafe impl Send for Bitmap {}

impl Bitmap {
    #[expect(unsafe_code)]
    fn new(width: u32, height: u32) -> io::Result<Bitmap> {
        let mut made = Bitmap {
            size: (width, height),
            // SAFETY: Each handle is checked before use; what was created is deleted by Drop on every path.
            device: unsafe { CreateCompatibleDC(null_mut()) },
            handle: null_mut(),
            before: null_mut(),
            pixels: null_mut(),
        };
        if made.device.is_null() {
            return Err(io::Error::last_os_error());
        }
        let layout = top_down(width, height);
        let mut pixels: *mut c_void = null_mut();
        // SAFETY: Each handle is checked before use; what was created is deleted by Drop on every path.
        made.handle = unsafe {
            CreateDIBSection(
                made.device,
                &raw const layout,
                DIB_RGB_COLORS,
                &raw mut pixels,
                null_mut(),
                0,
            )
        };
        if made.handle.is_null() || pixels.is_null() {
            return Err(io::Error::last_os_error());
        }
        made.pixels = pixels.cast();
        // SAFETY: Each handle is checked before use; what was created is deleted by Drop on every path.
        made.before = unsafe { SelectObject(made.device, made.handle) };
        Ok(made)
    }

    /// Copies what the desktop shows from this point on, including layered windows such as menus that fade in.
    #[expect(unsafe_code)]
    fn take(&mut self, from: POINT) -> io::Result<()> {
        let (width, height) = (self.size.0 as i32, self.size.1 as i32);
        // SAFETY: The screen's device is checked, and released.
        let screen = unsafe { GetDC(null_mut()) };
        if screen.is_null() {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: The screen's device is checked, and released.
        let done = unsafe {
            BitBlt(
                self.device,
                0,
                0,
                width,
                height,
                screen,
                from.x,
                from.y,
                SRCCOPY | CAPTUREBLT,
            )
        };
        let error = io::Error::last_os_error();
        // SAFETY: The screen's device is checked, and released.
        unsafe { ReleaseDC(null_mut(), screen) };
        if done == 0 {
            return Err(error);
        }
        // GDI can defer its work, and the rows are read directly.
        // SAFETY: The screen's device is checked, and released.
        unsafe { GdiFlush() };
        Ok(())
    }

    #[expect(unsafe_code)]
    fn rows(&mut self) -> &mut [u8] {
        let length = self.size.0 as usize * self.size.1 as usize * PIXEL;
        // SAFETY: A top-down bitmap of 32 bits per pixel has exactly these bytes, and only we draw on it.
        unsafe { std::slice::from_raw_parts_mut(self.pixels, length) }
    }
}

impl Drop for Bitmap {
    #[expect(unsafe_code)]
    fn drop(&mut self) {
        // SAFETY: Each handle is ours and deleted once; deleting a null handle is a harmless error.
        unsafe {
            if !self.before.is_null() {
                SelectObject(self.device, self.before);
            }
            DeleteObject(self.handle);
            DeleteDC(self.device);
        }
    }
}

/// Describes a bitmap of 32 bits per pixel; a negative height means that the top row comes first.
pub(super) fn top_down(width: u32, height: u32) -> BITMAPINFO {
    BITMAPINFO {
        bmiHeader: BITMAPINFOHEADER {
            biSize: size_of::<BITMAPINFOHEADER>() as u32,
            biWidth: width as i32,
            biHeight: -(height as i32),
            biPlanes: 1,
            biBitCount: 32,
            biCompression: BI_RGB,
            ..BITMAPINFOHEADER::default()
        },
        ..BITMAPINFO::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_locked_screen_is_withheld() {
        // ERROR_ACCESS_DENIED, ERROR_INVALID_HANDLE, ERROR_NOT_ENOUGH_MEMORY
        for (code, is_withheld) in [(5, true), (6, true), (8, false)] {
            let error = failed(io::Error::from_raw_os_error(code));
            assert_eq!(matches!(error, DisplayError::Withheld(_)), is_withheld, "{error}");
        }
    }
}
