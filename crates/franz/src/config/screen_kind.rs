//! The kinds of screen, and what is true of each.

use serde::{Deserialize, Serialize};

/// What the agent sees and acts on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ScreenKind {
    /// A sandbox to draw on.
    Canvas,
    /// The person's own desktop.
    Desktop,
    /// A private desktop.
    Virtual,
}

impl ScreenKind {
    /// Returns the name, as settings write it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            ScreenKind::Canvas => "canvas",
            ScreenKind::Desktop => "desktop",
            ScreenKind::Virtual => "virtual",
        }
    }

    /// Checks whether a person works there too, so that nothing may happen that they did not ask for.
    pub(crate) fn is_shared(self) -> bool {
        match self {
            ScreenKind::Desktop => true,
            ScreenKind::Canvas | ScreenKind::Virtual => false,
        }
    }

    /// Checks whether actions may change more than the picture, so that their record must outlast a power cut.
    pub(crate) fn has_effects(self) -> bool {
        match self {
            ScreenKind::Desktop | ScreenKind::Virtual => true,
            ScreenKind::Canvas => false,
        }
    }
}
