//! The layout of pixels in memory.

/// The layout of the bytes of one pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PixelFormat {
    /// One byte: the luminance.
    Gray8,
    /// Three bytes: red, green, blue.
    Rgb8,
    /// Four bytes: blue, green, red, and one unused byte, as screens deliver them.
    Bgrx8,
}

impl PixelFormat {
    /// Returns the number of bytes per pixel.
    pub const fn bytes(self) -> usize {
        match self {
            PixelFormat::Gray8 => 1,
            PixelFormat::Rgb8 => 3,
            PixelFormat::Bgrx8 => 4,
        }
    }
}
