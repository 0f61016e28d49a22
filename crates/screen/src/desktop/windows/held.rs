//! Finds and releases everything that is held down, whoever holds it. Windows does not distinguish a person's input
//! from a program's.

use windows_sys::Win32::System::StationsAndDesktops::{GetThreadDesktop, GetUserObjectInformationW, UOI_IO};
use windows_sys::Win32::System::Threading::GetCurrentThreadId;
use windows_sys::Win32::UI::Input::KeyboardAndMouse::{
    GetAsyncKeyState, INPUT, MAPVK_VK_TO_CHAR, MAPVK_VK_TO_VSC_EX, MOUSEEVENTF_LEFTUP, MOUSEEVENTF_MIDDLEUP,
    MOUSEEVENTF_MOVE, MOUSEEVENTF_RIGHTUP, MOUSEEVENTF_XUP, MapVirtualKeyW, VIRTUAL_KEY, VK_CONTROL, VK_LBUTTON,
    VK_LCONTROL, VK_LMENU, VK_LSHIFT, VK_LWIN, VK_MBUTTON, VK_MENU, VK_RBUTTON, VK_RCONTROL, VK_RMENU, VK_RSHIFT,
    VK_RWIN, VK_SHIFT, VK_XBUTTON1, VK_XBUTTON2,
};
use windows_sys::Win32::UI::WindowsAndMessaging::{XBUTTON1, XBUTTON2};
use windows_sys::core::BOOL;

use super::events::{blocked, key, mouse, send};
use crate::desktop::display::{DisplayError, Press};

/// Moves the pointer by nothing, which fails while another desktop has the input.
pub(super) fn reach() -> Result<(), DisplayError> {
    send(&[mouse(MOUSEEVENTF_MOVE, 0, 0, 0)])
}

/// Fails if Windows says that another desktop has the input. Sends no input, which would end a screen saver.
pub(super) fn look() -> Result<(), DisplayError> {
    if has_input() == Some(false) {
        return Err(blocked(&"another desktop has it"));
    }
    Ok(())
}

/// Returns whether our desktop has the input; `None` if Windows does not say.
#[expect(unsafe_code)]
fn has_input() -> Option<bool> {
    let mut has_it: BOOL = 0;
    // SAFETY: The call fills a variable of ours, whose size is passed. The handle of a thread's desktop need not be
    // closed.
    let done = unsafe {
        let desktop = GetThreadDesktop(GetCurrentThreadId());
        let size = size_of_val(&has_it) as u32;
        GetUserObjectInformationW(desktop, UOI_IO, (&raw mut has_it).cast(), size, std::ptr::null_mut())
    };
    (done != 0).then_some(has_it != 0)
}

/// Returns the names of all keys and buttons held down.
pub(super) fn held() -> Vec<String> {
    down().into_iter().map(name).collect()
}

/// Releases everything held down, and returns the names.
pub(super) fn release() -> Result<Vec<String>, DisplayError> {
    let down = down();
    let events: Vec<_> = down.iter().map(|key| releasing(*key)).collect();
    send(&events)?;
    Ok(down.into_iter().map(name).collect())
}

fn down() -> Vec<VIRTUAL_KEY> {
    (1..=0xfe).filter(|key| !is_either(*key) && is_down(*key)).collect()
}

/// Returns whether a key stands for either key of a left and right pair. The two keys are checked individually.
fn is_either(key: VIRTUAL_KEY) -> bool {
    matches!(key, VK_SHIFT | VK_CONTROL | VK_MENU)
}

fn releasing(code: VIRTUAL_KEY) -> INPUT {
    match code {
        VK_LBUTTON => mouse(MOUSEEVENTF_LEFTUP, 0, 0, 0),
        VK_RBUTTON => mouse(MOUSEEVENTF_RIGHTUP, 0, 0, 0),
        VK_MBUTTON => mouse(MOUSEEVENTF_MIDDLEUP, 0, 0, 0),
        VK_XBUTTON1 => mouse(MOUSEEVENTF_XUP, 0, 0, XBUTTON1.into()),
        VK_XBUTTON2 => mouse(MOUSEEVENTF_XUP, 0, 0, XBUTTON2.into()),
        code => key(code, mapped(code, MAPVK_VK_TO_VSC_EX) as u16, Press::Up),
    }
}

/// Returns the name that people use for a key or button.
fn name(key: VIRTUAL_KEY) -> String {
    match key {
        VK_LBUTTON => "left button".to_owned(),
        VK_RBUTTON => "right button".to_owned(),
        VK_MBUTTON => "middle button".to_owned(),
        VK_XBUTTON1 | VK_XBUTTON2 => "side button".to_owned(),
        VK_LSHIFT | VK_RSHIFT => "shift".to_owned(),
        VK_LCONTROL | VK_RCONTROL => "ctrl".to_owned(),
        VK_LMENU | VK_RMENU => "alt".to_owned(),
        VK_LWIN | VK_RWIN => "win".to_owned(),
        key => {
            let character = char::from_u32(mapped(key, MAPVK_VK_TO_CHAR)).filter(|character| !character.is_control());
            character.map_or_else(
                || format!("key 0x{key:02x}"),
                |character| character.to_lowercase().collect(),
            )
        }
    }
}

#[expect(unsafe_code)]
fn is_down(key: VIRTUAL_KEY) -> bool {
    // SAFETY: The call takes and returns plain values.
    unsafe { GetAsyncKeyState(key.into()) < 0 }
}

#[expect(unsafe_code)]
fn mapped(key: VIRTUAL_KEY, how: u32) -> u32 {
    // SAFETY: The call takes and returns plain values.
    unsafe { MapVirtualKeyW(key.into(), how) }
}
