//! Sizes of pictures and screens.

use std::str::FromStr;

/// A width and height, written `1344x896`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size(pub(crate) u32, pub(crate) u32);

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Size, String> {
        let wrong = || "use a width and height such as 1344x896".to_owned();
        let (width, height) = text.split_once(['x', 'X']).ok_or_else(wrong)?;
        let side = |text: &str| text.trim().parse().ok().filter(|side| *side > 0).ok_or_else(wrong);
        Ok(Size(side(width)?, side(height)?))
    }
}
