//! The barrier between programs: Windows silently drops input for a program with higher privileges than ours.

use std::ffi::c_void;
use std::ptr::null_mut;

use windows_sys::Win32::Foundation::{CloseHandle, HANDLE, HWND, POINT};
use windows_sys::Win32::Security::{
    GetSidSubAuthority, GetSidSubAuthorityCount, GetTokenInformation, TOKEN_MANDATORY_LABEL, TOKEN_QUERY,
    TokenIntegrityLevel,
};
use windows_sys::Win32::System::Threading::{
    GetCurrentProcess, OpenProcess, OpenProcessToken, PROCESS_QUERY_LIMITED_INFORMATION,
};
use windows_sys::Win32::UI::WindowsAndMessaging::{
    GA_ROOT, GetAncestor, GetForegroundWindow, GetWindowTextW, GetWindowThreadProcessId, WindowFromPoint,
};

use super::mouse::cursor_position;
use crate::desktop::display::DisplayError;

/// Compares our privileges with those of the program that should get input.
pub(super) struct Barrier {
    /// The integrity level of our own process; `None` lets everything through.
    own: Option<u32>,
    /// The last process looked up and its level, kept because the lookup takes longer than typing a character.
    last: Option<(u32, Option<u32>)>,
}

impl Barrier {
    pub(super) fn new() -> Barrier {
        let own = this_process();
        Barrier {
            own: level(own),
            last: None,
        }
    }

    /// A barrier for a process that no program accepts input from.
    #[cfg(test)]
    pub(super) fn below_all() -> Barrier {
        Barrier {
            own: Some(0),
            last: None,
        }
    }

    /// Checks whether the program with the keyboard focus accepts input.
    pub(super) fn at_the_keyboard(&mut self) -> Result<(), DisplayError> {
        self.check(foreground())
    }

    /// Checks whether the program under the pointer accepts input.
    pub(super) fn under_the_pointer(&mut self) -> Result<(), DisplayError> {
        match cursor_position() {
            Ok(at) => self.check(window_at(at)),
            Err(_) => Ok(()),
        }
    }

    fn check(&mut self, window: HWND) -> Result<(), DisplayError> {
        let (Some(own), process) = (self.own, process_of(window)) else {
            return Ok(());
        };
        if process == 0 {
            return Ok(());
        }
        let level = match self.last {
            Some((last, level)) if last == process => level,
            _ => level_of(process),
        };
        self.last = Some((process, level));
        // A process whose level cannot be queried is above ours.
        if level.is_some_and(|level| level <= own) {
            return Ok(());
        }
        Err(DisplayError::Refused(format!(
            "the window '{}' has higher privileges than FRANZ, so Windows blocks input to it; run FRANZ as \
             administrator, or run that program without administrator rights",
            title(window)
        )))
    }
}

/// Returns the window with the keyboard focus, or null if there is none.
#[expect(unsafe_code)]
pub(super) fn foreground() -> HWND {
    // SAFETY: The call takes no arguments and returns a plain value.
    unsafe { GetForegroundWindow() }
}

#[expect(unsafe_code)]
fn window_at(at: POINT) -> HWND {
    // SAFETY: The call takes and returns plain values; passing no window is a harmless error.
    unsafe { GetAncestor(WindowFromPoint(at), GA_ROOT) }
}

#[expect(unsafe_code)]
fn process_of(window: HWND) -> u32 {
    let mut process = 0;
    // SAFETY: The call fills a variable of ours; it stays 0 for a window that is gone.
    unsafe { GetWindowThreadProcessId(window, &raw mut process) };
    process
}

#[expect(unsafe_code)]
fn title(window: HWND) -> String {
    let mut units = [0_u16; 80];
    // SAFETY: The call writes at most as many units as the buffer holds.
    let length = unsafe { GetWindowTextW(window, units.as_mut_ptr(), units.len() as i32) };
    let units = units.get(..length.max(0) as usize).unwrap_or_default();
    String::from_utf16_lossy(units)
}

#[expect(unsafe_code)]
fn this_process() -> HANDLE {
    // SAFETY: The call takes no arguments and returns a value that need not be closed.
    unsafe { GetCurrentProcess() }
}

#[expect(unsafe_code)]
fn level_of(process: u32) -> Option<u32> {
    // SAFETY: The handle is checked, and closed after reading.
    let process = unsafe { OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, 0, process) };
    if process.is_null() {
        return None;
    }
    let level = level(process);
    // SAFETY: The handle is checked, and closed after reading.
    unsafe { CloseHandle(process) };
    level
}

/// Returns the integrity level of a process: the last part of the identifier in its label.
#[expect(unsafe_code)]
fn level(process: HANDLE) -> Option<u32> {
    // Room for the structure and the identifier after it, aligned like the structure.
    let mut room = [0_u64; 16];
    let mut token = null_mut();
    // SAFETY: The token is checked and closed; only a buffer that Windows has filled is read, and success is checked
    // first.
    unsafe {
        if OpenProcessToken(process, TOKEN_QUERY, &raw mut token) == 0 {
            return None;
        }
        let (start, size) = (room.as_mut_ptr().cast::<c_void>(), size_of_val(&room) as u32);
        let done = GetTokenInformation(token, TokenIntegrityLevel, start, size, &mut 0);
        CloseHandle(token);
        if done == 0 {
            return None;
        }
        let label = &*start.cast::<TOKEN_MANDATORY_LABEL>();
        let parts = *GetSidSubAuthorityCount(label.Label.Sid);
        let last = parts.checked_sub(1)?;
        Some(*GetSidSubAuthority(label.Label.Sid, last.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn input_is_refused_for_programs_with_higher_integrity() {
        let mut barrier = Barrier::new();
        let own = barrier.own.expect("a level");
        assert!(own >= 0x1000, "low, medium, high or system: {own:#x}");
        assert_eq!(level_of(std::process::id()), Some(own));
        let window = desktop_window();
        assert_ne!(process_of(window), 0);
        barrier.check(window).unwrap();
        barrier.own = Some(0);
        let refused = barrier.check(window);
        assert!(matches!(refused, Err(DisplayError::Refused(_))), "{refused:?}");
        barrier.own = None;
        barrier.check(window).unwrap();
    }

    #[expect(unsafe_code)]
    fn desktop_window() -> HWND {
        // SAFETY: The call takes no arguments and returns a plain value.
        unsafe { windows_sys::Win32::UI::WindowsAndMessaging::GetDesktopWindow() }
    }
}
