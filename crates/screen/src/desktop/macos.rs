//! macOS, whose desktop FRANZ cannot use yet.

use super::display::{Display, DisplayError};

pub(super) fn open(_: Option<&str>) -> Result<Box<dyn Display>, DisplayError> {
    Err(DisplayError::Unavailable(
        "the desktop of macOS cannot be used yet: what is missing is capture by ScreenCaptureKit and input by Quartz events; \
         draw on the sandbox with --screen canvas, or run FRANZ on Linux (X11) or Windows"
            .to_owned(),
    ))
}
