//! Windows of other programs, and the state of the keyboard and the mouse.

use std::ptr::null;

use windows_sys::Win32::Foundation::{HWND, LPARAM, POINT, WPARAM};
use windows_sys::Win32::Graphics::Gdi::ClientToScreen;
use windows_sys::Win32::UI::Input::KeyboardAndMouse::GetAsyncKeyState;
use windows_sys::Win32::UI::WindowsAndMessaging::{
    FindWindowExW, GetWindowThreadProcessId, IsWindowVisible, PostMessageW, SWP_SHOWWINDOW, SendMessageW,
    SetForegroundWindow, SetWindowPos, WM_GETTEXT, WM_GETTEXTLENGTH, WM_SETTEXT,
};

/// A window. The handle is stored as a plain number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Window(pub(crate) isize);

impl Window {
    /// Returns the windows of a class within another window, or on the desktop.
    pub(crate) fn all(within: Option<Window>, class: &str) -> Vec<Window> {
        let (parent, class) = (within.map_or(0, |window| window.0), wide(class));
        let next =
            // SAFETY: Windows checks the window handles; the class name ends with a NUL.
            |last: isize| unsafe { FindWindowExW(parent as HWND, last as HWND, class.as_ptr(), null()) as isize };
        let mut found = Vec::new();
        let mut last = next(0);
        while last != 0 {
            found.push(Window(last));
            last = next(last);
        }
        found
    }

    pub(crate) fn process(self) -> u32 {
        let mut process = 0;
        // SAFETY: Windows checks the window handle; the call fills a variable of ours.
        unsafe { GetWindowThreadProcessId(self.handle(), &raw mut process) };
        process
    }

    pub(crate) fn is_visible(self) -> bool {
        // SAFETY: Windows checks the window handle.
        unsafe { IsWindowVisible(self.handle()) != 0 }
    }

    /// Shows the window in front of all others and gives it the keyboard focus.
    pub(crate) fn show_at(self, x: i32, y: i32, width: i32, height: i32) {
        // SAFETY: Windows checks the window handle.
        unsafe {
            SetWindowPos(self.handle(), std::ptr::null_mut(), x, y, width, height, SWP_SHOWWINDOW);
            SetForegroundWindow(self.handle());
        }
    }

    /// Returns the position on the desktop of one of the window's pixels.
    pub(crate) fn on_desktop(self, x: i32, y: i32) -> (i32, i32) {
        let mut at = POINT { x, y };
        // SAFETY: Windows checks the window handle; the call fills a structure of ours.
        unsafe { ClientToScreen(self.handle(), &raw mut at) };
        (at.x, at.y)
    }

    pub(crate) fn text(self) -> String {
        let length = self.send(WM_GETTEXTLENGTH, 0, 0).cast_unsigned();
        // Leave room, because text might be typed into the window at this moment.
        let mut units = vec![0_u16; length + 4096];
        let size = units.len();
        let read = self
            .send(WM_GETTEXT, size, units.as_mut_ptr() as LPARAM)
            .cast_unsigned();
        String::from_utf16(&units[..read]).unwrap_or_default()
    }

    pub(crate) fn set_text(self, text: &str) {
        self.send(WM_SETTEXT, 0, wide(text).as_ptr() as LPARAM);
    }

    pub(crate) fn send(self, message: u32, first: WPARAM, second: LPARAM) -> isize {
        // SAFETY: Windows checks the window handle; any buffer that is passed is ours.
        unsafe { SendMessageW(self.handle(), message, first, second) }
    }

    pub(crate) fn post(self, message: u32) {
        // SAFETY: Windows checks the window handle.
        unsafe { PostMessageW(self.handle(), message, 0, 0) };
    }

    fn handle(self) -> HWND {
        self.0 as HWND
    }
}

/// Returns the virtual codes of the keys and buttons that are down.
pub(crate) fn keys_down() -> Vec<i32> {
    // SAFETY: The call takes and returns plain values.
    (1..=0xfe).filter(|key| unsafe { GetAsyncKeyState(*key) } < 0).collect()
}

pub(crate) fn wide(text: &str) -> Vec<u16> {
    text.encode_utf16().chain([0]).collect()
}
