//! Selects the desktop to open. The target is chosen at run time from the platforms that this build supports.

use std::path::PathBuf;
use std::sync::Arc;

use super::display::{Display, DisplayError, IsOver};
#[cfg(all(unix, not(target_os = "macos")))]
use super::wayland::NoWayland;
use crate::vnc::VncServer;

/// A desktop to open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// The desktop of this session.
    Session {
        /// The directory that keeps the person's consent, where the desktop asks for it.
        consent: Option<PathBuf>,
    },
    /// The X server with this name, such as `:1`.
    X11(String),
    /// The Wayland compositor with this name or this path of its socket, such as `wayland-1`.
    Wayland(String),
    /// The screen of a VNC server.
    Vnc(Box<VncServer>),
}

impl Target {
    /// Returns the desktop with this name: `:1` is an X server, `wayland-1` or an absolute path a Wayland compositor.
    pub fn named(name: String) -> Target {
        if !name.contains(':') && (name.starts_with("wayland-") || name.starts_with('/')) {
            Target::Wayland(name)
        } else {
            Target::X11(name)
        }
    }
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
        #[cfg(windows)]
        Target::Session { .. } => super::windows::open(is_over),
        #[cfg(all(unix, not(target_os = "macos")))]
        Target::Session { consent } => session(consent.clone(), is_over),
        #[cfg(all(unix, not(target_os = "macos")))]
        Target::X11(name) => super::x11::open(Some(name), is_over),
        #[cfg(all(unix, not(target_os = "macos")))]
        Target::Wayland(name) => super::wayland::open(Some(name), is_over).map_err(NoWayland::into_error),
        #[cfg(any(not(unix), target_os = "macos"))]
        missing => Err(unavailable(missing)),
    }
}

/// Opens the desktop of this session: its Wayland compositor, directly or through the desktop portal, or else its X
/// server. Refuses an X server inside a compositor, because it shows only the windows of X programs.
#[cfg(all(unix, not(target_os = "macos")))]
fn session(consent: Option<PathBuf>, is_over: IsOver) -> Result<Box<dyn Display>, DisplayError> {
    if !super::wayland::is_set() {
        return super::x11::open(None, is_over);
    }
    match super::wayland::open(None, Arc::clone(&is_over)) {
        Ok(display) => Ok(display),
        Err(NoWayland::Failed(error)) => Err(error),
        // The session might have an X server of its own, in spite of the variable.
        Err(NoWayland::Absent(error) | NoWayland::Lacking(error)) => {
            if let Some(display) = super::portal::open(consent, Arc::clone(&is_over))? {
                return Ok(display);
            }
            let is_x11 = std::env::var_os("DISPLAY").is_some_and(|value| !value.is_empty());
            let x11 = is_x11.then(|| super::x11::open(None, is_over));
            x11.and_then(Result::ok).ok_or(error)
        }
    }
}

/// Creates the error for a desktop whose platform this build does not support.
#[cfg(any(not(unix), target_os = "macos"))]
fn unavailable(target: &Target) -> DisplayError {
    DisplayError::Unavailable(match target {
        Target::X11(name) => {
            format!("FRANZ can open the X display {name} only on Linux and other systems with X11; leave the name out")
        }
        Target::Session { .. } if cfg!(target_os = "macos") => {
            "the macOS desktop is not supported yet: capture with ScreenCaptureKit and input with Quartz events are missing; \
             draw on the sandbox with --screen canvas, or run FRANZ on Linux (X11) or Windows"
                .to_owned()
        }
        Target::Wayland(name) => {
            format!("FRANZ can open the Wayland display {name} only on Linux and similar systems; leave the name out")
        }
        Target::Session { .. } | Target::Vnc(_) => {
            "this build has no desktop support: it needs X11 or Windows; draw on the sandbox with --screen canvas"
                .to_owned()
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compositor_is_named_differently_from_an_x_server() {
        for (name, is_compositor) in [
            ("wayland-1", true),
            ("/run/user/1000/wayland-1", true),
            (":1", false),
            ("host:1.0", false),
            ("/private/tmp/launch/org.xquartz:0", false),
        ] {
            let target = Target::named(name.to_owned());
            assert_eq!(matches!(target, Target::Wayland(_)), is_compositor, "{name}");
        }
    }
}
