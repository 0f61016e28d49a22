//! The monitors. Windows counts from the corner of the primary one, so positions to the left of it or above it are
//! negative. Here the desktop begins at (0,0).

use franz_frame::Area;
use windows_sys::Win32::Foundation::{LPARAM, POINT, RECT};
use windows_sys::Win32::Graphics::Gdi::{
    EnumDisplayMonitors, GetMonitorInfoW, HDC, HMONITOR, MONITOR_DEFAULTTONEAREST, MONITORINFO, MONITORINFOEXW,
    MonitorFromPoint,
};
use windows_sys::Win32::UI::HiDpi::{DPI_AWARENESS_CONTEXT_PER_MONITOR_AWARE_V2, SetProcessDpiAwarenessContext};
use windows_sys::Win32::UI::WindowsAndMessaging::{
    GetSystemMetrics, MONITORINFOF_PRIMARY, SM_CXVIRTUALSCREEN, SM_CYVIRTUALSCREEN, SM_XVIRTUALSCREEN,
    SM_YVIRTUALSCREEN,
};
use windows_sys::core::BOOL;

use crate::desktop::display::{DisplayError, Monitor};

/// The bounds of the desktop in Windows coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    /// Zero or negative, unless the primary monitor is off.
    pub(super) left: i32,
    /// Like `left`.
    pub(super) top: i32,
    /// The width in pixels.
    pub(super) width: i32,
    /// The height in pixels.
    pub(super) height: i32,
}

impl Bounds {
    /// Returns the current bounds.
    pub(super) fn now() -> Bounds {
        Bounds {
            left: metric(SM_XVIRTUALSCREEN),
            top: metric(SM_YVIRTUALSCREEN),
            width: metric(SM_CXVIRTUALSCREEN),
            height: metric(SM_CYVIRTUALSCREEN),
        }
    }

    /// Converts a position on the desktop to Windows coordinates.
    pub(super) fn for_windows(&self, x: i32, y: i32) -> POINT {
        POINT {
            x: x.saturating_add(self.left),
            y: y.saturating_add(self.top),
        }
    }

    /// Converts Windows coordinates to a position on the desktop.
    pub(super) fn on_desktop(&self, at: POINT) -> (i32, i32) {
        (at.x.saturating_sub(self.left), at.y.saturating_sub(self.top))
    }
}

/// Lets this process see each monitor's own pixels; otherwise Windows scales pictures and positions as it sees fit.
///
/// If a manifest or another library has decided this earlier, Windows keeps that decision.
#[expect(unsafe_code)]
pub(super) fn count_real_pixels() {
    // SAFETY: The call takes and returns plain values.
    let _ = unsafe { SetProcessDpiAwarenessContext(DPI_AWARENESS_CONTEXT_PER_MONITOR_AWARE_V2) };
}

/// Returns all monitors, the primary one first, the others from left to right.
pub(super) fn list() -> Result<Vec<Monitor>, DisplayError> {
    let bounds = Bounds::now();
    let mut found: Vec<_> = handles().into_iter().filter_map(about).collect();
    found.sort_by_key(|info| {
        (
            !is_primary(info),
            info.monitorInfo.rcMonitor.left,
            info.monitorInfo.rcMonitor.top,
        )
    });
    let monitors: Vec<_> = found.iter().map(|info| monitor(info, bounds)).collect();
    if monitors.is_empty() {
        return Err(DisplayError::Unavailable(
            "Windows has no desktop to show: the session is locked or disconnected, or belongs to a service; log in and start FRANZ there".to_owned(),
        ));
    }
    Ok(monitors)
}

/// Returns the pixel of any monitor that is nearest to a position, in Windows coordinates.
pub(super) fn nearest(at: POINT) -> POINT {
    let Some(RECT {
        left,
        top,
        right,
        bottom,
    }) = about(nearest_handle(at)).map(|info| info.monitorInfo.rcMonitor)
    else {
        return at;
    };
    POINT {
        x: at.x.max(left).min(right - 1),
        y: at.y.max(top).min(bottom - 1),
    }
}

fn monitor(info: &MONITORINFOEXW, bounds: Bounds) -> Monitor {
    let RECT {
        left,
        top,
        right,
        bottom,
    } = info.monitorInfo.rcMonitor;
    let (x, y) = bounds.on_desktop(POINT { x: left, y: top });
    let name: Vec<u16> = info.szDevice.iter().copied().take_while(|unit| *unit != 0).collect();
    let name = String::from_utf16_lossy(&name);
    Monitor {
        name: name.trim_start_matches("\\\\.\\").to_owned(),
        area: Area {
            x,
            y,
            width: right.abs_diff(left),
            height: bottom.abs_diff(top),
        },
    }
}

fn is_primary(info: &MONITORINFOEXW) -> bool {
    info.monitorInfo.dwFlags & MONITORINFOF_PRIMARY != 0
}

#[expect(unsafe_code)]
fn handles() -> Vec<HMONITOR> {
    unsafe extern "system" fn collect(monitor: HMONITOR, _: HDC, _: *mut RECT, found: LPARAM) -> BOOL {
        // SAFETY: The callback is called only before this function returns, while `found` lives.
        let found = unsafe { &mut *(found as *mut Vec<HMONITOR>) };
        found.push(monitor);
        1
    }
    let mut found: Vec<HMONITOR> = Vec::new();
    // SAFETY: The callback is called only before this function returns, while `found` lives.
    unsafe {
        EnumDisplayMonitors(
            std::ptr::null_mut(),
            std::ptr::null(),
            Some(collect),
            &raw mut found as LPARAM,
        )
    };
    found
}

#[expect(unsafe_code)]
fn about(monitor: HMONITOR) -> Option<MONITORINFOEXW> {
    let mut info = MONITORINFOEXW::default();
    info.monitorInfo.cbSize = size_of::<MONITORINFOEXW>() as u32;
    // SAFETY: The structure states its size, and the handle of a monitor that is gone causes an error.
    let done = unsafe { GetMonitorInfoW(monitor, (&raw mut info).cast::<MONITORINFO>()) };
    (done != 0).then_some(info)
}

#[expect(unsafe_code)]
fn nearest_handle(at: POINT) -> HMONITOR {
    // SAFETY: The call takes and returns plain values.
    unsafe { MonitorFromPoint(at, MONITOR_DEFAULTTONEAREST) }
}

#[expect(unsafe_code)]
pub(super) fn metric(index: i32) -> i32 {
    // SAFETY: The call takes and returns plain values.
    unsafe { GetSystemMetrics(index) }
}
