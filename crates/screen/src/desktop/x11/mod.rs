//! X11.

use super::display::{Display, DisplayError};

pub(super) fn open(_: Option<&str>) -> Result<Box<dyn Display>, DisplayError> {
    todo!()
}
