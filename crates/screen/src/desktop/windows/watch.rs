//! Watches what the user does. Hooks see every mouse and keyboard event before programs do, and know which events come
//! from programs.

use std::cell::RefCell;
use std::io;
use std::ptr::null_mut;
use std::sync::mpsc::{self, SyncSender};
use std::thread;

use windows_sys::Win32::Foundation::{LPARAM, LRESULT, WPARAM};
use windows_sys::Win32::System::LibraryLoader::GetModuleHandleW;
use windows_sys::Win32::System::Threading::GetCurrentThreadId;
use windows_sys::Win32::UI::Input::KeyboardAndMouse::VK_ESCAPE;
use windows_sys::Win32::UI::WindowsAndMessaging::{
    CallNextHookEx, GetMessageW, HC_ACTION, HHOOK, HOOKPROC, KBDLLHOOKSTRUCT, LLKHF_INJECTED, LLKHF_UP, LLMHF_INJECTED,
    MSG, MSLLHOOKSTRUCT, PM_NOREMOVE, PeekMessageW, PostThreadMessageW, SetWindowsHookExW, UnhookWindowsHookEx,
    WH_KEYBOARD_LL, WH_MOUSE_LL, WM_LBUTTONDOWN, WM_MBUTTONDOWN, WM_MOUSEMOVE, WM_QUIT, WM_RBUTTONDOWN, WM_XBUTTONDOWN,
};

use super::monitors::{Bounds, nearest};
use super::mouse::cursor_position;
use crate::desktop::display::{DisplayError, GestureWatch};
use crate::desktop::gesture::Input;

/// How many unread inputs are kept. Further ones are dropped, because the user's mouse must not wait.
const KEPT: usize = 1024;

thread_local! {
    #[allow(clippy::missing_const_for_thread_local, reason = "it is const, which is not seen for every linker")]
    /// Belongs to the thread that set the hooks; Windows calls them on that thread.
    static SEEN: RefCell<Option<Seen>> = const { RefCell::new(None) };
}

/// The state of the hooks.
struct Seen {
    teller: SyncSender<Input>,
    /// The key that last went down, which repeats while it is held.
    held: Option<u32>,
}

/// Reports the user's input until the watch is dropped.
pub(super) fn start(tell: Box<dyn FnMut(Input) + Send>) -> Result<GestureWatch, DisplayError> {
    let (teller, told) = mpsc::sync_channel(KEPT);
    let (ready, began) = mpsc::sync_channel(1);
    let hooks = thread::spawn(move || watch(teller, &ready));
    let failed = |error: io::Error| DisplayError::failed("starting to watch mouse and keyboard", error);
    let thread = began
        .recv()
        .map_err(|_| failed(io::Error::other("the thread has ended")))?
        .map_err(failed)?;
    // Report from a second thread, because Windows removes hooks whose thread does not respond immediately.
    let telling = thread::spawn(move || told.into_iter().for_each(tell));
    Ok(GestureWatch::ending_by(move || {
        quit(thread);
        let _ = hooks.join();
        let _ = telling.join();
    }))
}

/// Sends the ID of this thread once both hooks are set, then lets Windows call the hooks until the thread is told to
/// quit.
fn watch(teller: SyncSender<Input>, ready: &SyncSender<io::Result<u32>>) {
    SEEN.set(Some(Seen { teller, held: None }));
    let hooks = [(WH_MOUSE_LL, on_mouse as Procedure), (WH_KEYBOARD_LL, on_keyboard)];
    let hooks: io::Result<Vec<_>> = hooks
        .into_iter()
        .map(|(kind, procedure)| Hook::set(kind, Some(procedure)))
        .collect();
    let _ = match hooks {
        Ok(_) => ready.send(Ok(number())),
        Err(ref error) => ready.send(Err(io::Error::new(error.kind(), error.to_string()))),
    };
    if hooks.is_ok() {
        wait_for_the_end();
    }
    drop(hooks);
    SEEN.set(None);
}

fn tell(input: impl FnOnce(&mut Seen) -> Option<Input>) {
    SEEN.with(|seen| {
        let Ok(mut seen) = seen.try_borrow_mut() else { return };
        let Some(seen) = seen.as_mut() else { return };
        if let Some(input) = input(seen) {
            let _ = seen.teller.try_send(input);
        }
    });
}

/// Interprets a movement or a button press. The position of a movement is the new one, which can be outside every
/// monitor.
fn mouse(message: u32, event: &MSLLHOOKSTRUCT) -> Option<Input> {
    if event.flags & LLMHF_INJECTED != 0 {
        return None;
    }
    match message {
        WM_MOUSEMOVE => {
            let before = cursor_position().ok()?;
            let (x, y) = Bounds::now().on_desktop(nearest(event.pt));
            Some(Input::Moved {
                dx: f64::from(event.pt.x) - f64::from(before.x),
                dy: f64::from(event.pt.y) - f64::from(before.y),
                x,
                y,
            })
        }
        WM_LBUTTONDOWN | WM_MBUTTONDOWN | WM_RBUTTONDOWN | WM_XBUTTONDOWN => Some(Input::Other),
        _ => None,
    }
}

fn keyboard(event: &KBDLLHOOKSTRUCT, held: &mut Option<u32>) -> Option<Input> {
    if event.flags & LLKHF_INJECTED != 0 {
        return None;
    }
    if event.flags & LLKHF_UP != 0 {
        *held = None;
        return None;
    }
    if held.replace(event.vkCode) == Some(event.vkCode) {
        return None;
    }
    Some(if event.vkCode == u32::from(VK_ESCAPE) {
        Input::Escape
    } else {
        Input::Other
    })
}

type Procedure = unsafe extern "system" fn(i32, WPARAM, LPARAM) -> LRESULT;

#[expect(unsafe_code)]
unsafe extern "system" fn on_mouse(code: i32, message: WPARAM, event: LPARAM) -> LRESULT {
    if code == HC_ACTION.cast_signed() {
        // SAFETY: With this code, Windows passes a pointer to this structure, which lives during the call.
        let event = unsafe { &*(event as *const MSLLHOOKSTRUCT) };
        tell(|_| mouse(message as u32, event));
    }
    // SAFETY: With this code, Windows passes a pointer to this structure, which lives during the call.
    unsafe { CallNextHookEx(null_mut(), code, message, event) }
}

#[expect(unsafe_code)]
unsafe extern "system" fn on_keyboard(code: i32, message: WPARAM, event: LPARAM) -> LRESULT {
    if code == HC_ACTION.cast_signed() {
        // SAFETY: With this code, Windows passes a pointer to this structure, which lives during the call.
        let event = unsafe { &*(event as *const KBDLLHOOKSTRUCT) };
        tell(|seen| keyboard(event, &mut seen.held));
    }
    // SAFETY: With this code, Windows passes a pointer to this structure, which lives during the call.
    unsafe { CallNextHookEx(null_mut(), code, message, event) }
}

/// A hook, removed when dropped.
struct Hook(HHOOK);

impl Hook {
    #[expect(unsafe_code)]
    fn set(kind: i32, procedure: HOOKPROC) -> io::Result<Hook> {
        // SAFETY: The procedure belongs to this program, and is of the kind that the hook requires.
        let hook = unsafe { SetWindowsHookExW(kind, procedure, GetModuleHandleW(std::ptr::null()), 0) };
        if hook.is_null() {
            return Err(io::Error::last_os_error());
        }
        Ok(Hook(hook))
    }
}

impl Drop for Hook {
    #[expect(unsafe_code)]
    fn drop(&mut self) {
        // SAFETY: The hook is ours, and removed once.
        unsafe { UnhookWindowsHookEx(self.0) };
    }
}

/// Returns the ID of this thread and creates its message queue.
#[expect(unsafe_code)]
fn number() -> u32 {
    let mut message = MSG::default();
    // SAFETY: The call fills a structure of ours.
    unsafe {
        PeekMessageW(&raw mut message, null_mut(), 0, 0, PM_NOREMOVE);
        GetCurrentThreadId()
    }
}

/// Waits for the message that ends this thread, the only one that it gets. In the meantime, Windows calls the thread's
/// hooks.
#[expect(unsafe_code)]
fn wait_for_the_end() {
    let mut message = MSG::default();
    // SAFETY: The call fills a structure of ours.
    while unsafe { GetMessageW(&raw mut message, null_mut(), 0, 0) } > 0 {}
}

#[expect(unsafe_code)]
fn quit(thread: u32) {
    // SAFETY: The call takes plain values.
    unsafe { PostThreadMessageW(thread, WM_QUIT, 0, 0) };
}
