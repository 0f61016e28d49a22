//! Selects the desktop to open. The target is chosen at run time from the platforms that this build supports.

use std::sync::Arc;

use super::display::{Display, DisplayError, IsOver};
use crate::vnc::VncServer;

/// A desktop to open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// The desktop of this session.
    Session,
    /// The X server with this name, such as `:1`.
    X11(String),
    /// The screen of a VNC server.
    Vnc(Box<VncServer>),
}

/// Opens a desktop. If it cannot be opened, the error says what to use instead.
pub fn open(target: &Target) -> Result<Box<dyn Display>, DisplayError> {
    open_until(target, Arc::new(|| false))
}

/// Opens a desktop. Once `is_over` returns `true`, its waits end within a tenth of a second, which is enough to release
/// what is held.
pub fn open_until(target: &Target, is_over: IsOver) -> Result<Box<dyn Display>, DisplayError> {
    match target {
        Target::Vnc(server) => server.open(is_over),
        // Windows always responds immediately, so there are no waits to end early.
        #[cfg(windows)]
        Target::Session => super::windows::open(),
        #[cfg(all(unix, not(target_os = "macos")))]
        Target::Session => super::x11::open(None, is_over),
        #[cfg(all(unix, not(target_os = "macos")))]
        Target::X11(name) => super::x11::open(Some(name), is_over),
        #[cfg(any(not(unix), target_os = "macos"))]
        missing => Err(unavailable(missing)),
    }
}

/// Creates the error for a desktop whose platform this build does not support.
#[cfg(any(not(unix), target_os = "macos"))]
fn unavailable(target: &Target) -> DisplayError {
    DisplayError::Unavailable(match target {
        Target::X11(name) => {
            format!("FRANZ can open the X display {name} only on Linux and other systems with X11; leave the name out")
        }
        Target::Session if cfg!(target_os = "macos") => {
            "the macOS desktop is not supported yet: capture with ScreenCaptureKit and input with Quartz events are missing; \
             draw on the sandbox with --screen canvas, or run FRANZ on Linux (X11) or Windows"
                .to_owned()
        }
        Target::Session | Target::Vnc(_) => {
            "this build has no desktop support: it needs X11 or Windows; draw on the sandbox with --screen canvas"
                .to_owned()
        }
    })
}
