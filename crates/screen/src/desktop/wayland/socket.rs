//! Finds the compositor's socket, and explains why a compositor cannot be used.

use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use crate::desktop::display::DisplayError;

/// The variable that names the session's compositor.
const VARIABLE: &str = "WAYLAND_DISPLAY";

/// The variable that names the directory of its socket.
const FOLDER: &str = "XDG_RUNTIME_DIR";

/// What to use instead of this desktop.
const INSTEAD: &str = "log in to an X11 (Xorg) session, use a VNC server of this desktop with --screen vnc://HOST, or use \
                       a private screen with --screen virtual or --screen browser";

/// Returns whether the session says that it has a compositor.
pub(in crate::desktop) fn is_set() -> bool {
    variable(VARIABLE).is_some()
}

fn variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name)
        .filter(|value| !value.is_empty())
        .map(PathBuf::from)
}

/// Returns the path of the socket with this name, or of the session's. A name that is a path stands for itself.
pub(super) fn path(name: Option<&str>) -> Result<PathBuf, DisplayError> {
    let name = name.map(PathBuf::from).or_else(|| variable(VARIABLE));
    let name = name.unwrap_or_else(|| PathBuf::from("wayland-0"));
    if name.is_absolute() {
        return Ok(name);
    }
    let folder = variable(FOLDER).ok_or_else(|| {
        DisplayError::Unavailable(format!(
            "this is a Wayland session, but its compositor cannot be reached: {FOLDER} is not set; start FRANZ inside \
             the session, or {INSTEAD}"
        ))
    })?;
    Ok(folder.join(name))
}

pub(super) fn connect(socket: &Path) -> Result<UnixStream, DisplayError> {
    UnixStream::connect(socket).map_err(|error| {
        DisplayError::Unavailable(format!(
            "this is a Wayland session, but its compositor cannot be reached at {} ({error}); start FRANZ inside the \
             session, or {INSTEAD}",
            socket.display()
        ))
    })
}

/// Explains that a compositor lacks these protocols.
pub(super) fn lacks(protocols: &[&str]) -> DisplayError {
    DisplayError::Unavailable(format!(
        "this is a Wayland session whose compositor does not let FRANZ see and control it: it lacks {}, which sway, \
         labwc, Hyprland and others have, and the session bus has no desktop portal for remote control, as GNOME and KDE \
         have: install xdg-desktop-portal with its part for this desktop (xdg-desktop-portal-gnome or \
         xdg-desktop-portal-kde), or {INSTEAD}",
        protocols.join(", ")
    ))
}

/// Explains that only the windows of X programs could be controlled.
pub(in crate::desktop) fn only_x_programs() -> DisplayError {
    DisplayError::Unavailable(format!(
        "this is a Wayland session, and its X server shows only the windows of X programs; {INSTEAD}"
    ))
}

/// Returns the socket's name for people. A socket in the session's directory needs no path.
pub(in crate::desktop) fn shown(socket: &Path) -> String {
    let in_session = variable(FOLDER).and_then(|folder| socket.strip_prefix(folder).ok().map(Path::to_owned));
    in_session.as_deref().unwrap_or(socket).display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_stands_for_itself() {
        let path = path(Some("/run/user/1000/wayland-1")).unwrap();
        assert_eq!(path, Path::new("/run/user/1000/wayland-1"));
    }

    #[test]
    fn a_refusal_names_what_is_missing_and_what_to_do() {
        let said = lacks(&["wlr-screencopy", "virtual-keyboard"]).to_string();
        for word in [
            "wlr-screencopy, virtual-keyboard",
            "GNOME and KDE",
            "X11",
            "--screen vnc://",
            "--screen virtual",
            "--screen browser",
        ] {
            assert!(said.contains(word), "{word}: {said}");
        }
    }
}
