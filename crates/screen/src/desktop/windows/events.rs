//! Mouse and keyboard events in the form Windows expects.

use std::fmt::Display;
use std::io;

use windows_sys::Win32::UI::Input::KeyboardAndMouse::{
    INPUT, INPUT_0, INPUT_KEYBOARD, INPUT_MOUSE, KEYBD_EVENT_FLAGS, KEYBDINPUT, KEYEVENTF_EXTENDEDKEY, KEYEVENTF_KEYUP,
    KEYEVENTF_UNICODE, MOUSE_EVENT_FLAGS, MOUSEINPUT, SendInput, VIRTUAL_KEY,
};

use crate::desktop::display::{DisplayError, Press};

/// The high byte in the scan code of an extended key.
const EXTENDED: u16 = 0xe000;

/// Sends these events with nothing in between; fails if Windows does not let all of them through.
pub(super) fn send(events: &[INPUT]) -> Result<(), DisplayError> {
    if events.is_empty() || sent(events) == events.len() {
        return Ok(());
    }
    Err(blocked(&io::Error::last_os_error()))
}

/// Creates the error for input that reaches another desktop than ours.
pub(super) fn blocked(why: &dyn Display) -> DisplayError {
    DisplayError::Refused(format!(
        "Windows is blocking input ({why}): the screen is locked, or a UAC prompt covers it; unlock it or answer the prompt"
    ))
}

/// Creates a mouse event.
pub(super) fn mouse(flags: MOUSE_EVENT_FLAGS, x: i32, y: i32, data: i32) -> INPUT {
    let event = MOUSEINPUT {
        dx: x,
        dy: y,
        mouseData: data.cast_unsigned(),
        dwFlags: flags,
        ..MOUSEINPUT::default()
    };
    INPUT {
        r#type: INPUT_MOUSE,
        Anonymous: INPUT_0 { mi: event },
    }
}

/// Creates a key event from a virtual code and a scan code, which has 0xe0 in its high byte for extended keys.
pub(super) fn key(code: VIRTUAL_KEY, scan: u16, press: Press) -> INPUT {
    let extended = if scan & 0xff00 == EXTENDED {
        KEYEVENTF_EXTENDEDKEY
    } else {
        0
    };
    keyboard(code, scan & 0xff, extended, press)
}

/// Creates an event for a UTF-16 unit, independent of the keyboard layout.
pub(super) fn unit(unit: u16, press: Press) -> INPUT {
    keyboard(0, unit, KEYEVENTF_UNICODE, press)
}

fn keyboard(code: VIRTUAL_KEY, scan: u16, flags: KEYBD_EVENT_FLAGS, press: Press) -> INPUT {
    let event = KEYBDINPUT {
        wVk: code,
        wScan: scan,
        dwFlags: flags | if press == Press::Up { KEYEVENTF_KEYUP } else { 0 },
        ..KEYBDINPUT::default()
    };
    INPUT {
        r#type: INPUT_KEYBOARD,
        Anonymous: INPUT_0 { ki: event },
    }
}

#[expect(unsafe_code)]
fn sent(events: &[INPUT]) -> usize {
    // SAFETY: Pointer, count and size belong to one slice of whole structures.
    unsafe { SendInput(events.len() as u32, events.as_ptr(), size_of::<INPUT>() as i32) as usize }
}
