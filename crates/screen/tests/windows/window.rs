//! Windows of other programs, and what the keyboard and the mouse are known to be doing.

use std::ptr::null;

use windows_sys::Win32::Foundation::{HWND, LPARAM, POINT, WPARAM};
use windows_sys::Win32::Graphics::Gdi::ClientToScreen;
use windows_sys::Win32::UI::Input::KeyboardAndMouse::GetAsyncKeyState;
use windows_sys::Win32::UI::WindowsAndMessaging::{
    FindWindowExW, GetWindowThreadProcessId, IsWindowVisible, PostMessageW, SWP_SHOWWINDOW, SendMessageW,
    SetForegroundWindow, SetWindowPos, WM_GETTEXT, WM_GETTEXTLENGTH, WM_SETTEXT,
};

/// A window; the handle is only a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Window(pub(crate) isize);

impl Window {
    /// The windows of a class within one, or on the desktop.
    pub(crate) fn all(within: Option<Window>, class: &str) -> Vec<Window> {
        let (parent, class) = (within.map_or(0, |window| window.0), wide(class));
        let next =
            // SAFETY: Takes windows by their numbers, which Windows checks, and fills structures of ours.
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
        // SAFETY: Takes windows by their numbers, which Windows checks, and fills structures of ours.
        unsafe { GetWindowThreadProcessId(self.handle(), &raw mut process) };
        process
    }

    pub(crate) fn is_visible(self) -> bool {
        // SAFETY: Takes windows by their numbers, which Windows checks, and fills structures of ours.
        unsafe { IsWindowVisible(self.handle()) != 0 }
    }

    /// Puts it in front of all others, with the keyboard.
    pub(crate) fn show_at(self, x: i32, y: i32, width: i32, height: i32) {
        // SAFETY: Takes windows by their numbers, which Windows checks, and fills structures of ours.
        unsafe {
            SetWindowPos(self.handle(), std::ptr::null_mut(), x, y, width, height, SWP_SHOWWINDOW);
            SetForegroundWindow(self.handle());
        }
    }

    /// Where a pixel of it is on the desktop.
    pub(crate) fn on_desktop(self, x: i32, y: i32) -> (i32, i32) {
        let mut at = POINT { x, y };
        // SAFETY: Takes windows by their numbers, which Windows checks, and fills structures of ours.
        unsafe { ClientToScreen(self.handle(), &raw mut at) };
        (at.x, at.y)
    }

    pub(crate) fn text(self) -> String {
        let length = self.send(WM_GETTEXTLENGTH, 0, 0).cast_unsigned();
        // It may be typed into at this moment.
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
        // SAFETY: Takes windows by their numbers, which Windows checks, and fills structures of ours.
        unsafe { SendMessageW(self.handle(), message, first, second) }
    }

    pub(crate) fn post(self, message: u32) {
        // SAFETY: Takes windows by their numbers, which Windows checks, and fills structures of ours.
        unsafe { PostMessageW(self.handle(), message, 0, 0) };
    }

    fn handle(self) -> HWND {
        self.0 as HWND
    }
}

/// The virtual codes of the keys and buttons that are down.
pub(crate) fn keys_down() -> Vec<i32> {
    // SAFETY: Takes windows by their numbers, which Windows checks, and fills structures of ours.
    (1..=0xfe).filter(|key| unsafe { GetAsyncKeyState(*key) } < 0).collect()
}

pub(crate) fn wide(text: &str) -> Vec<u16> {
    text.encode_utf16().chain([0]).collect()
}
