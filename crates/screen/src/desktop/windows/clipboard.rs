//! The clipboard's text.

use std::io;
use std::ptr::null_mut;
use std::thread;
use std::time::Duration;

use windows_sys::Win32::Foundation::{GlobalFree, HGLOBAL, HWND};
use windows_sys::Win32::System::DataExchange::{
    CloseClipboard, EmptyClipboard, GetClipboardData, IsClipboardFormatAvailable, OpenClipboard, SetClipboardData,
};
use windows_sys::Win32::System::Memory::{GMEM_MOVEABLE, GlobalAlloc, GlobalLock, GlobalSize, GlobalUnlock};
use windows_sys::Win32::System::Ole::CF_UNICODETEXT;
use windows_sys::Win32::UI::WindowsAndMessaging::{CreateWindowExW, DestroyWindow, HWND_MESSAGE};
use windows_sys::w;

use super::{over, text};
use crate::desktop::display::{DisplayError, IsOver};

/// How many times to try to open the clipboard. Another program can keep it open for a few milliseconds while it
/// copies.
const TRIES: u32 = 50;

/// The pause between two attempts.
const PAUSE: Duration = Duration::from_millis(10);

/// The longest text read from another program, in UTF-16 units.
const LONGEST: usize = 16 << 20;

const TEXT: u32 = CF_UNICODETEXT as u32;

/// Returns the text on the clipboard, if there is any.
pub(super) fn text(is_over: &IsOver) -> Result<Option<String>, DisplayError> {
    if !has_text() {
        return Ok(None);
    }
    let _open = Open::by(null_mut(), is_over)?;
    read().map_err(|error| DisplayError::failed("reading the clipboard", error))
}

/// Puts text on the clipboard, where it stays.
pub(super) fn set_text(text: &str, is_over: &IsOver) -> Result<(), DisplayError> {
    let units = text::written(text);
    let owner = Owner::new().map_err(failed_to_write)?;
    let _open = Open::by(owner.0, is_over)?;
    write(&units).map_err(failed_to_write)
}

fn failed_to_write(error: io::Error) -> DisplayError {
    DisplayError::failed("writing to the clipboard", error)
}

/// The clipboard while this thread has it open.
struct Open;

impl Open {
    fn by(owner: HWND, is_over: &IsOver) -> Result<Open, DisplayError> {
        for _ in 0..TRIES {
            if opened(owner) {
                return Ok(Open);
            }
            if is_over() {
                return Err(over("opening the clipboard"));
            }
            thread::sleep(PAUSE);
        }
        Err(DisplayError::Refused(format!(
            "another program keeps the clipboard open ({}); close it, or try again",
            io::Error::last_os_error()
        )))
    }
}

impl Drop for Open {
    #[expect(unsafe_code)]
    fn drop(&mut self) {
        // SAFETY: The call takes no arguments; this thread has opened the clipboard.
        unsafe { CloseClipboard() };
    }
}

/// An invisible window: only a window can write to the clipboard.
struct Owner(HWND);

impl Owner {
    #[expect(unsafe_code)]
    fn new() -> io::Result<Owner> {
        let none = null_mut();
        // SAFETY: The class exists on every Windows, the parent is for message-only windows, and no memory of ours is
        // passed.
        let window = unsafe {
            CreateWindowExW(
                0,
                w!("STATIC"),
                w!("FRANZ"),
                0,
                0,
                0,
                0,
                0,
                HWND_MESSAGE,
                none,
                none,
                none,
            )
        };
        if window.is_null() {
            return Err(io::Error::last_os_error());
        }
        Ok(Owner(window))
    }
}

impl Drop for Owner {
    #[expect(unsafe_code)]
    fn drop(&mut self) {
        // SAFETY: The window is ours, and belongs to this thread.
        unsafe { DestroyWindow(self.0) };
    }
}

#[expect(unsafe_code)]
fn opened(owner: HWND) -> bool {
    // SAFETY: The call takes and returns plain values.
    unsafe { OpenClipboard(owner) != 0 }
}

#[expect(unsafe_code)]
fn has_text() -> bool {
    // SAFETY: The call takes and returns plain values.
    unsafe { IsClipboardFormatAvailable(TEXT) != 0 }
}

/// Reads the text, limited to the size of the memory that the other program provided.
#[expect(unsafe_code)]
fn read() -> io::Result<Option<String>> {
    // SAFETY: The memory is locked while it is read, reading stays within its size, and the clipboard is open.
    unsafe {
        let memory: HGLOBAL = GetClipboardData(TEXT);
        if memory.is_null() {
            return Ok(None);
        }
        let start = GlobalLock(memory).cast::<u16>();
        if start.is_null() {
            return Err(io::Error::last_os_error());
        }
        let length = (GlobalSize(memory) / size_of::<u16>()).min(LONGEST);
        let text = text::read(std::slice::from_raw_parts(start, length));
        GlobalUnlock(memory);
        Ok(Some(text))
    }
}

/// Replaces the contents of the clipboard.
#[expect(unsafe_code)]
fn write(units: &[u16]) -> io::Result<()> {
    // SAFETY: The memory is as large as what is copied into it, and freed if the system does not take ownership.
    unsafe {
        if EmptyClipboard() == 0 {
            return Err(io::Error::last_os_error());
        }
        let memory = GlobalAlloc(GMEM_MOVEABLE, size_of_val(units));
        let start = GlobalLock(memory).cast::<u16>();
        if start.is_null() {
            return Err(io::Error::last_os_error());
        }
        start.copy_from_nonoverlapping(units.as_ptr(), units.len());
        GlobalUnlock(memory);
        if SetClipboardData(TEXT, memory).is_null() {
            let error = io::Error::last_os_error();
            GlobalFree(memory);
            return Err(error);
        }
        Ok(())
    }
}
