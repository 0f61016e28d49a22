//! A window of our own that records the messages it is sent.

use std::ptr::null_mut;
use std::sync::mpsc;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use windows_sys::Win32::Foundation::{HWND, LPARAM, LRESULT, WPARAM};
use windows_sys::Win32::System::LibraryLoader::GetModuleHandleW;
use windows_sys::Win32::UI::WindowsAndMessaging::{
    CreateWindowExW, DefWindowProcW, DispatchMessageW, GetMessageW, MSG, PostQuitMessage, RegisterClassW, WM_CLOSE,
    WM_DESTROY, WM_KEYFIRST, WM_KEYLAST, WM_MOUSEFIRST, WM_MOUSELAST, WNDCLASSW, WS_EX_TOPMOST, WS_POPUP, WS_VISIBLE,
};

use crate::window::{Window, wide};

/// A message that was sent, with its two values.
pub(crate) type Message = (u32, WPARAM, LPARAM);

/// There is only one recorder at a time, because there is only one desktop.
static LOG: Mutex<Vec<Message>> = Mutex::new(Vec::new());

/// The window, which is closed when this is dropped.
pub(crate) struct Recorder {
    pub(crate) window: Window,
    log: &'static Mutex<Vec<Message>>,
    thread: Option<JoinHandle<()>>,
}

impl Recorder {
    /// Opens a window without a border, so that the recorded coordinates begin at its top left pixel.
    pub(crate) fn at(x: i32, y: i32, width: i32, height: i32) -> Recorder {
        let (made, window) = mpsc::channel();
        let thread = thread::spawn(move || record(x, y, width, height, &made));
        let window = window.recv().unwrap();
        window.show_at(x, y, width, height);
        let recorder = Recorder {
            window,
            log: &LOG,
            thread: Some(thread),
        };
        recorder.take();
        recorder
    }

    /// Returns the messages of this kind so far.
    pub(crate) fn of(&self, kind: u32) -> Vec<Message> {
        locked(self.log)
            .iter()
            .filter(|(message, ..)| *message == kind)
            .copied()
            .collect()
    }

    /// Returns all mouse and keyboard messages so far, and starts a new record.
    pub(crate) fn take(&self) -> Vec<Message> {
        std::mem::take(&mut *locked(self.log))
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.window.post(WM_CLOSE);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn locked(log: &'static Mutex<Vec<Message>>) -> MutexGuard<'static, Vec<Message>> {
    log.lock().unwrap_or_else(PoisonError::into_inner)
}

fn record(x: i32, y: i32, width: i32, height: i32, made: &mpsc::Sender<Window>) {
    let class = wide("FranzRecorder");
    // SAFETY: Windows calls the window procedure with valid arguments; every structure is ours.
    let window = unsafe {
        let module = GetModuleHandleW(std::ptr::null());
        let about = WNDCLASSW {
            lpfnWndProc: Some(procedure),
            hInstance: module,
            lpszClassName: class.as_ptr(),
            ..WNDCLASSW::default()
        };
        // From the second recorder on, the class already exists.
        RegisterClassW(&raw const about);
        let style = WS_POPUP | WS_VISIBLE;
        let (name, none) = (class.as_ptr(), null_mut());
        CreateWindowExW(
            WS_EX_TOPMOST,
            name,
            name,
            style,
            x,
            y,
            width,
            height,
            none,
            none,
            module,
            none,
        )
    };
    made.send(Window(window as isize)).unwrap();
    let mut message = MSG::default();
    // SAFETY: Windows calls the window procedure with valid arguments; every structure is ours.
    while unsafe { GetMessageW(&raw mut message, null_mut(), 0, 0) } > 0 {
        // SAFETY: As above.
        unsafe { DispatchMessageW(&raw const message) };
    }
}

unsafe extern "system" fn procedure(window: HWND, message: u32, first: WPARAM, second: LPARAM) -> LRESULT {
    match message {
        WM_KEYFIRST..=WM_KEYLAST | WM_MOUSEFIRST..=WM_MOUSELAST => {
            locked(&LOG).push((message, first, second));
            0
        }
        WM_DESTROY => {
            // SAFETY: The call takes a plain value.
            unsafe { PostQuitMessage(0) };
            0
        }
        // SAFETY: Windows called this procedure with these arguments, which are passed on unchanged.
        _ => unsafe { DefWindowProcW(window, message, first, second) },
    }
}
