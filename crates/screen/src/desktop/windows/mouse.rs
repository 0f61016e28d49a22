//! The mouse.

use std::io;
use std::time::Duration;

use franz_action::Button;
use windows_sys::Win32::Foundation::POINT;
use windows_sys::Win32::UI::Input::KeyboardAndMouse::{
    GetDoubleClickTime, MOUSEEVENTF_ABSOLUTE, MOUSEEVENTF_HWHEEL, MOUSEEVENTF_LEFTDOWN, MOUSEEVENTF_LEFTUP,
    MOUSEEVENTF_MIDDLEDOWN, MOUSEEVENTF_MIDDLEUP, MOUSEEVENTF_MOVE, MOUSEEVENTF_RIGHTDOWN, MOUSEEVENTF_RIGHTUP,
    MOUSEEVENTF_VIRTUALDESK, MOUSEEVENTF_WHEEL,
};
use windows_sys::Win32::UI::WindowsAndMessaging::{GetCursorPos, SM_SWAPBUTTON, SetCursorPos, WHEEL_DELTA};

use super::events::{mouse, send};
use super::monitors::{Bounds, metric};
use crate::desktop::display::{DisplayError, Press};

/// Returns the position of the pointer.
pub(super) fn position() -> Result<(i32, i32), DisplayError> {
    let at = cursor_position().map_err(|error| DisplayError::failed("finding the pointer", error))?;
    Ok(Bounds::now().on_desktop(at))
}

/// Moves the pointer to a pixel.
pub(super) fn move_to(x: i32, y: i32) -> Result<(), DisplayError> {
    let bounds = Bounds::now();
    let (across, down) = (share(x, bounds.width), share(y, bounds.height));
    let flags = MOUSEEVENTF_MOVE | MOUSEEVENTF_ABSOLUTE | MOUSEEVENTF_VIRTUALDESK;
    send(&[mouse(flags, across, down, 0)])?;
    let wanted = bounds.for_windows(x, y);
    // If Windows rounds differently, this call reaches the exact pixel. It is not enough on its own, because programs
    // that read the mouse directly do not see it.
    match cursor_position() {
        Ok(at) if (at.x, at.y) != (wanted.x, wanted.y) => put(wanted),
        _ => {}
    }
    Ok(())
}

/// Presses or releases a button as the user sees it: left-handed users might have the device's buttons swapped.
pub(super) fn button(button: Button, press: Press) -> Result<(), DisplayError> {
    let swapped = metric(SM_SWAPBUTTON) != 0;
    let flags = match (button, swapped, press) {
        (Button::Middle, _, Press::Down) => MOUSEEVENTF_MIDDLEDOWN,
        (Button::Middle, _, Press::Up) => MOUSEEVENTF_MIDDLEUP,
        (Button::Left, false, Press::Down) | (Button::Right, true, Press::Down) => MOUSEEVENTF_LEFTDOWN,
        (Button::Left, false, Press::Up) | (Button::Right, true, Press::Up) => MOUSEEVENTF_LEFTUP,
        (Button::Left | Button::Right, _, Press::Down) => MOUSEEVENTF_RIGHTDOWN,
        (Button::Left | Button::Right, _, Press::Up) => MOUSEEVENTF_RIGHTUP,
    };
    send(&[mouse(flags, 0, 0, 0)])
}

/// Turns the wheel. Positive values are right and down, although for Windows positive is up.
pub(super) fn notch(dx: i32, dy: i32) -> Result<(), DisplayError> {
    let notch = WHEEL_DELTA as i32;
    let mut events = Vec::with_capacity(2);
    if dy != 0 {
        events.push(mouse(MOUSEEVENTF_WHEEL, 0, 0, -dy.signum() * notch));
    }
    if dx != 0 {
        events.push(mouse(MOUSEEVENTF_HWHEEL, 0, 0, dx.signum() * notch));
    }
    send(&events)
}

/// Returns the time within which two clicks count as a double click.
#[expect(unsafe_code)]
pub(super) fn double_click_time() -> Duration {
    // SAFETY: The call takes no arguments and returns a plain value.
    Duration::from_millis(unsafe { GetDoubleClickTime() }.into())
}

/// Returns the position of the pointer in Windows coordinates.
#[expect(unsafe_code)]
pub(super) fn cursor_position() -> io::Result<POINT> {
    let mut at = POINT::default();
    // SAFETY: The call fills a structure of ours.
    if unsafe { GetCursorPos(&raw mut at) } == 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(at)
}

#[expect(unsafe_code)]
fn put(at: POINT) {
    // SAFETY: The call takes plain values.
    unsafe { SetCursorPos(at.x, at.y) };
}

/// Returns the middle of a pixel as a share of `of` pixels, in 65,536ths, so that Windows arrives at the same pixel
/// however it rounds.
fn share(pixel: i32, of: i32) -> i32 {
    let (pixel, of) = (i64::from(pixel), i64::from(of.max(1)));
    ((2 * pixel + 1) * 32_768 / of) as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_the_width_maps_back_to_its_pixel() {
        for size in [1, 2, 3, 640, 1279, 1280, 1920, 2560, 3840, 5120, 7680, 11_520, 30_720] {
            for pixel in 0..size {
                assert_eq!(
                    i64::from(share(pixel, size)) * i64::from(size) / 65_536,
                    i64::from(pixel),
                    "of {size}"
                );
            }
        }
    }
}
