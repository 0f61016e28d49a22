//! The kinds of screen and their properties.

use serde::{Deserialize, Serialize};

/// The kind of screen that the agent sees and acts on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ScreenKind {
    /// A sandbox to draw on.
    Canvas,
    /// The person's own desktop.
    Desktop,
    /// A private desktop.
    Virtual,
    /// A private browser.
    Browser,
    /// The screen of a VNC server.
    Vnc,
}

impl ScreenKind {
    /// Returns the name used in settings.
    pub(crate) fn name(self) -> &'static str {
        match self {
            ScreenKind::Canvas => "canvas",
            ScreenKind::Desktop => "desktop",
            ScreenKind::Virtual => "virtual",
            ScreenKind::Browser => "browser",
            ScreenKind::Vnc => "vnc",
        }
    }

    /// Checks whether a person might also be using this screen, in which case nothing may happen there unless they ask
    /// for it.
    pub(crate) fn is_shared(self) -> bool {
        match self {
            ScreenKind::Desktop | ScreenKind::Vnc => true,
            ScreenKind::Canvas | ScreenKind::Virtual | ScreenKind::Browser => false,
        }
    }

    /// Checks whether this is the desktop in front of the person.
    pub(crate) fn is_in_front(self) -> bool {
        self == ScreenKind::Desktop
    }

    /// Checks whether this is a screen whose programs or pages FRANZ starts for the run.
    pub(crate) fn is_private(self) -> bool {
        match self {
            ScreenKind::Virtual | ScreenKind::Browser => true,
            ScreenKind::Canvas | ScreenKind::Desktop | ScreenKind::Vnc => false,
        }
    }

    /// Checks whether the screen can list its windows and bring one to the front.
    pub(crate) fn has_windows(self) -> bool {
        match self {
            ScreenKind::Desktop | ScreenKind::Virtual | ScreenKind::Browser => true,
            ScreenKind::Canvas | ScreenKind::Vnc => false,
        }
    }

    /// Checks whether FRANZ can read and write the clipboard itself. A browser's clipboard belongs to its pages.
    pub(crate) fn has_clipboard(self) -> bool {
        match self {
            ScreenKind::Desktop | ScreenKind::Virtual | ScreenKind::Vnc | ScreenKind::Canvas => true,
            ScreenKind::Browser => false,
        }
    }

    /// Checks whether actions can change more than the picture. Their record must then survive a power failure.
    pub(crate) fn has_effects(self) -> bool {
        match self {
            ScreenKind::Desktop | ScreenKind::Virtual | ScreenKind::Browser | ScreenKind::Vnc => true,
            ScreenKind::Canvas => false,
        }
    }
}
