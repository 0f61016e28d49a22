//! Colours and their opacity.

use crate::pixel_format::PixelFormat;

/// An opaque sRGB colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Color {
    /// The red component.
    pub red: u8,
    /// The green component.
    pub green: u8,
    /// The blue component.
    pub blue: u8,
}

impl Color {
    /// Black.
    pub const BLACK: Color = Color::rgb(0, 0, 0);
    /// White.
    pub const WHITE: Color = Color::rgb(255, 255, 255);

    /// Creates a colour from its components.
    pub const fn rgb(red: u8, green: u8, blue: u8) -> Color {
        Color { red, green, blue }
    }

    /// Returns the grey level with the same brightness (ITU-R BT.601).
    pub fn luminance(self) -> u8 {
        ((u32::from(self.red) * 299 + u32::from(self.green) * 587 + u32::from(self.blue) * 114 + 500) / 1000) as u8
    }

    /// Returns a paint with this colour and an opacity in `0.0..=1.0`.
    pub const fn opacity(self, opacity: f32) -> Paint {
        Paint {
            color: self,
            opacity,
            light: false,
        }
    }

    /// Returns a paint that adds this colour as light: lighting a pixel twice makes it no brighter.
    pub const fn light(self) -> Paint {
        Paint {
            color: self,
            opacity: 1.0,
            light: true,
        }
    }
}

/// A colour and its opacity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Paint {
    /// The colour.
    pub color: Color,
    /// The opacity in `0.0..=1.0`.
    pub opacity: f32,
    /// Whether the paint only brightens: each pixel keeps the brighter of its old and new colours.
    pub light: bool,
}

impl From<Color> for Paint {
    fn from(color: Color) -> Paint {
        color.opacity(1.0)
    }
}

/// A paint converted to the bytes of one pixel format, ready for blending.
#[derive(Clone, Copy)]
pub(crate) struct Ink {
    channels: [u8; 3],
    count: usize,
    step: usize,
    opacity: f32,
    light: bool,
}

impl Ink {
    pub(crate) fn new(paint: Paint, format: PixelFormat) -> Ink {
        let Color { red, green, blue } = paint.color;
        let (channels, count) = match format {
            PixelFormat::Gray8 => ([paint.color.luminance(), 0, 0], 1),
            PixelFormat::Rgb8 => ([red, green, blue], 3),
            PixelFormat::Bgrx8 => ([blue, green, red], 3),
        };
        Ink {
            channels,
            count,
            step: format.bytes(),
            opacity: paint.opacity,
            light: paint.light,
        }
    }

    /// Blends the paint over the pixels of `row` from pixel `start` on, each with its own coverage in `0.0..=1.0`.
    pub(crate) fn blend(&self, row: &mut [u8], start: usize, coverages: impl Iterator<Item = f32>) {
        let pixels = row.chunks_exact_mut(self.step).skip(start);
        for (pixel, coverage) in pixels.zip(coverages) {
            // The weight in 256ths; NaN coverage becomes 0.
            let weight = (coverage * self.opacity * 256.0).clamp(0.0, 256.0) as i32;
            if weight > 0 {
                for (old, new) in pixel.iter_mut().zip(&self.channels[..self.count]) {
                    *old = if self.light {
                        (*old).max(((i32::from(*new) * weight) >> 8) as u8)
                    } else {
                        let difference = i32::from(*new) - i32::from(*old);
                        (i32::from(*old) + ((difference * weight) >> 8)) as u8
                    };
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_coverage_replaces_and_none_keeps() {
        let ink = Ink::new(Color::rgb(200, 100, 50).into(), PixelFormat::Rgb8);
        let mut row = [9; 12];
        ink.blend(&mut row, 1, [1.0, 0.0, f32::NAN].into_iter());
        assert_eq!(row, [9, 9, 9, 200, 100, 50, 9, 9, 9, 9, 9, 9]);
    }

    #[test]
    fn half_opacity_meets_in_the_middle() {
        let ink = Ink::new(Color::WHITE.opacity(0.5), PixelFormat::Gray8);
        let mut row = [55];
        ink.blend(&mut row, 0, [1.0].into_iter());
        assert_eq!(row, [155]);
    }

    #[test]
    fn the_fourth_byte_of_a_screen_pixel_is_left_alone() {
        let ink = Ink::new(Color::rgb(1, 2, 3).into(), PixelFormat::Bgrx8);
        let mut row = [0, 0, 0, 77];
        ink.blend(&mut row, 0, [1.0].into_iter());
        assert_eq!(row, [3, 2, 1, 77]);
    }

    #[test]
    fn gray_takes_the_luminance() {
        assert_eq!(Color::WHITE.luminance(), 255);
        assert_eq!(Color::rgb(255, 0, 0).luminance(), 76);
    }
}
