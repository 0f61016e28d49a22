//! The windows of programs, and which of them is in front.

use std::ptr::null_mut;
use std::time::{Duration, Instant};

use franz_frame::Area;
use windows_sys::Win32::Foundation::{HWND, LPARAM, POINT, RECT};
use windows_sys::Win32::Graphics::Dwm::{DWMWA_CLOAKED, DWMWA_EXTENDED_FRAME_BOUNDS, DwmGetWindowAttribute};
use windows_sys::Win32::System::LibraryLoader::{GetModuleHandleA, GetProcAddress};
use windows_sys::Win32::System::Threading::{AttachThreadInput, GetCurrentThreadId};
use windows_sys::Win32::UI::WindowsAndMessaging::{
    EnumWindows, GW_OWNER, GWL_EXSTYLE, GetClassNameW, GetForegroundWindow, GetWindow, GetWindowLongW, GetWindowRect,
    GetWindowTextW, GetWindowThreadProcessId, HWND_TOP, IsHungAppWindow, IsIconic, IsWindow, IsWindowVisible,
    SW_RESTORE, SWP_ASYNCWINDOWPOS, SWP_NOMOVE, SWP_NOSIZE, SetForegroundWindow, SetWindowPos, ShowWindowAsync,
    WS_EX_APPWINDOW, WS_EX_TOOLWINDOW,
};
use windows_sys::core::BOOL;

use super::monitors::Bounds;
use crate::desktop::display::IsOver;
use crate::window::{NOT_RESPONDING, Window, WindowId};

/// The classes of menus and of the background, which people do not think of as windows.
const NONE: [&str; 3] = ["#32768", "Progman", "WorkerW"];

/// The class of the window that Windows shows in place of one that hangs.
const GHOST: &str = "Ghost";

/// How many owners to follow from a window to the one that people see.
const MOST_OWNERS: usize = 8;

/// The longest title, in UTF-16 units.
const TITLE: usize = 512;

/// How long to wait for a window to come to the front.
const FRONT: Duration = Duration::from_secs(2);

/// How often to check whether the window is in front, which Windows does not report.
const LOOK: Duration = Duration::from_millis(5);

/// Returns the windows, the topmost first.
pub(super) fn list() -> Vec<Window> {
    let (bounds, front) = (Bounds::now(), front());
    handles()
        .into_iter()
        .filter_map(|handle| about(handle, bounds, front))
        .collect()
}

/// Brings a window to the front, and waits until it is there. Returns `false` if it no longer exists, and `None` if
/// Windows does not bring it to the front before the run ends.
#[expect(unsafe_code)]
pub(super) fn focus(WindowId(id): WindowId, is_over: &IsOver) -> Option<bool> {
    let handle = id as usize as HWND;
    let deadline = Instant::now() + FRONT;
    // SAFETY: Windows checks the window handle.
    if unsafe { IsIconic(handle) } != 0 {
        // SAFETY: As above. The call does not wait for a program that hangs.
        unsafe { ShowWindowAsync(handle, SW_RESTORE) };
    }
    while front() != handle {
        // SAFETY: Windows checks the window handle.
        if unsafe { IsWindow(handle) } == 0 {
            return Some(false);
        }
        if Instant::now() >= deadline || is_over() {
            return None;
        }
        raise(handle);
        std::thread::sleep(LOOK);
    }
    Some(true)
}

/// Brings a window to the front. Only the program in front may do that, so this thread briefly shares that program's
/// input queue. A program that hangs is left alone, because this thread would hang with it.
#[expect(unsafe_code)]
fn raise(handle: HWND) {
    let front = front();
    // SAFETY: Windows checks the window handles and thread IDs; the input queues are separated again.
    unsafe {
        if IsHungAppWindow(handle) != 0 {
            return;
        }
        let (own, other) = (GetCurrentThreadId(), GetWindowThreadProcessId(front, null_mut()));
        let can_share = other != 0 && other != own && IsHungAppWindow(front) == 0;
        let is_attached = can_share && AttachThreadInput(own, other, 1) != 0;
        let only_order = SWP_NOMOVE | SWP_NOSIZE | SWP_ASYNCWINDOWPOS;
        SetWindowPos(handle, HWND_TOP, 0, 0, 0, 0, only_order);
        SetForegroundWindow(handle);
        if is_attached {
            AttachThreadInput(own, other, 0);
        }
    }
}

#[expect(unsafe_code)]
fn front() -> HWND {
    // SAFETY: The call takes no arguments and returns a handle.
    unsafe { GetForegroundWindow() }
}

#[expect(unsafe_code)]
fn handles() -> Vec<HWND> {
    unsafe extern "system" fn collect(window: HWND, found: LPARAM) -> BOOL {
        // SAFETY: The callback is called only before this function returns, while `found` lives.
        let found = unsafe { &mut *(found as *mut Vec<HWND>) };
        found.push(window);
        1
    }
    let mut found: Vec<HWND> = Vec::new();
    // SAFETY: The callback is called only before this function returns, while `found` lives.
    unsafe { EnumWindows(Some(collect), &raw mut found as LPARAM) };
    found
}

/// Returns the window, or `None` if it has vanished or a person would not regard it as a window.
#[expect(unsafe_code)]
fn about(handle: HWND, bounds: Bounds, front: HWND) -> Option<Window> {
    // SAFETY: Windows checks the window handle.
    let (is_visible, style, is_iconic) = unsafe {
        (
            IsWindowVisible(handle) != 0,
            GetWindowLongW(handle, GWL_EXSTYLE).cast_unsigned(),
            IsIconic(handle) != 0,
        )
    };
    let (title, class) = names(handle);
    let is_tool = style & WS_EX_TOOLWINDOW != 0 && style & WS_EX_APPWINDOW == 0;
    let rectangle = rectangle(handle).filter(|area| area.right > area.left && area.bottom > area.top)?;
    if !is_visible || is_tool || is_cloaked(handle) || NONE.contains(&class.as_str()) {
        return None;
    }
    let (x, y) = bounds.on_desktop(POINT {
        x: rectangle.left,
        y: rectangle.top,
    });
    Some(Window {
        id: WindowId(handle as usize as u64),
        title,
        class,
        place: (!is_iconic).then_some(Area {
            x,
            y,
            width: rectangle.right.abs_diff(rectangle.left),
            height: rectangle.bottom.abs_diff(rectangle.top),
        }),
        is_active: handle == front,
        dialog_of: owner(handle),
    })
}

/// Returns the visible window that owns a window, as a program's window owns its dialogs. Some programs own their windows
/// by an invisible one.
#[expect(unsafe_code)]
fn owner(handle: HWND) -> Option<WindowId> {
    // SAFETY: Windows checks the window handle.
    let owner = |of: HWND| Some(unsafe { GetWindow(of, GW_OWNER) }).filter(|owner| !owner.is_null());
    let mut owners = std::iter::successors(owner(handle), |of| owner(*of)).take(MOST_OWNERS);
    // SAFETY: As above.
    let visible = owners.find(|of| unsafe { IsWindowVisible(*of) } != 0)?;
    Some(WindowId(visible as usize as u64))
}

/// Returns a window's title and class. A ghost has those of the window that hangs behind it, so that the same masks
/// cover it.
fn names(handle: HWND) -> (String, String) {
    let (title, class) = own_names(handle);
    if class != GHOST {
        return (title, class);
    }
    match behind(handle) {
        Some(hung) => {
            let (title, class) = own_names(hung);
            (title + NOT_RESPONDING, class)
        }
        None => (title, class),
    }
}

#[expect(unsafe_code)]
fn own_names(handle: HWND) -> (String, String) {
    let (mut title, mut class) = ([0_u16; TITLE], [0_u16; 256]);
    // SAFETY: Windows checks the window handle; each buffer is passed with its length.
    let (titled, classed) = unsafe {
        (
            GetWindowTextW(handle, title.as_mut_ptr(), title.len() as i32),
            GetClassNameW(handle, class.as_mut_ptr(), class.len() as i32),
        )
    };
    (read(&title, titled), read(&class, classed))
}

/// Returns the window that hangs behind a ghost. The function for this is in no import library.
#[expect(unsafe_code)]
fn behind(ghost: HWND) -> Option<HWND> {
    type HungWindowFromGhostWindow = unsafe extern "system" fn(HWND) -> HWND;
    // SAFETY: The names end with NUL, the library stays loaded, and the function has this type and checks the handle.
    let hung = unsafe {
        let library = GetModuleHandleA(c"user32.dll".as_ptr().cast());
        let function = GetProcAddress(library, c"HungWindowFromGhostWindow".as_ptr().cast())?;
        std::mem::transmute::<unsafe extern "system" fn() -> isize, HungWindowFromGhostWindow>(function)(ghost)
    };
    (!hung.is_null()).then_some(hung)
}

fn read(units: &[u16], length: i32) -> String {
    let length = usize::try_from(length).unwrap_or(0).min(units.len());
    String::from_utf16_lossy(&units[..length])
}

/// Returns the bounds of a window without the invisible border for resizing it, where Windows reports them.
#[expect(unsafe_code)]
fn rectangle(handle: HWND) -> Option<RECT> {
    let mut area = RECT::default();
    let size = size_of::<RECT>() as u32;
    // SAFETY: Windows checks the window handle; the structure is passed with its size.
    unsafe {
        let told = DwmGetWindowAttribute(handle, DWMWA_EXTENDED_FRAME_BOUNDS as u32, (&raw mut area).cast(), size);
        (told == 0 || GetWindowRect(handle, &raw mut area) != 0).then_some(area)
    }
}

/// Returns whether Windows hides a window that claims to be visible, such as that of a suspended program.
#[expect(unsafe_code)]
fn is_cloaked(handle: HWND) -> bool {
    let mut cloaked = 0_u32;
    let size = size_of::<u32>() as u32;
    // SAFETY: Windows checks the window handle; the number is passed with its size.
    let told = unsafe { DwmGetWindowAttribute(handle, DWMWA_CLOAKED as u32, (&raw mut cloaked).cast(), size) };
    told == 0 && cloaked != 0
}
