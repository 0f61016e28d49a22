//! Giving a frame the size that the model is to see.

use fast_image_resize::images::{Image, ImageRef};
use fast_image_resize::{FilterType, PixelType, ResizeAlg, ResizeOptions, Resizer};

use crate::frame::{Frame, PixelFormat};

/// Resizes frames; keeps its buffers from one frame to the next.
pub struct Scaler {
    resizer: Resizer,
    options: ResizeOptions,
    small: Vec<u8>,
}

impl Default for Scaler {
    fn default() -> Scaler {
        Scaler::new()
    }
}

impl Scaler {
    /// A scaler with empty buffers.
    pub fn new() -> Scaler {
        // CatmullRom keeps thin strokes and small text apart where a box filter blurs them; the fourth byte of a screen
        // pixel is no alpha.
        let options = ResizeOptions::new()
            .resize_alg(ResizeAlg::Convolution(FilterType::CatmullRom))
            .use_alpha(false);
        Scaler {
            resizer: Resizer::new(),
            options,
            small: Vec::new(),
        }
    }

    /// The frame in `width` x `height` pixels, always [`PixelFormat::Rgb8`].
    ///
    /// A frame that has this size already is only converted. Sides are brought into `1..=Frame::MAX_SIDE`.
    pub fn scale(&mut self, frame: &Frame, width: u32, height: u32) -> Frame {
        let width = width.clamp(1, Frame::MAX_SIDE);
        let height = height.clamp(1, Frame::MAX_SIDE);
        let rgb = if (frame.width(), frame.height()) == (width, height) {
            to_rgb(frame.data(), frame.format())
        } else {
            // Resizing in the source's format and converting the small result touches each source byte once.
            self.resize(frame, width, height);
            to_rgb(&self.small, frame.format())
        };
        Frame::new(width, height, PixelFormat::Rgb8, rgb).expect("three bytes for each pixel of a size within bounds")
    }

    fn resize(&mut self, frame: &Frame, width: u32, height: u32) {
        let pixels = match frame.format() {
            PixelFormat::Gray8 => PixelType::U8,
            PixelFormat::Rgb8 => PixelType::U8x3,
            PixelFormat::Bgrx8 => PixelType::U8x4,
        };
        let length = width as usize * height as usize * frame.format().bytes();
        self.small.resize(length, 0);
        let source = ImageRef::new(frame.width(), frame.height(), frame.data(), pixels);
        let target = Image::from_slice_u8(width, height, &mut self.small, pixels);
        let (source, mut target) = source
            .ok()
            .zip(target.ok())
            .expect("buffers of exactly the size that the frame's format asks for");
        self.resizer
            .resize(&source, &mut target, &self.options)
            .expect("source and target have one pixel type");
    }
}

/// Pixels of any format as red, green, blue.
pub(crate) fn to_rgb(data: &[u8], format: PixelFormat) -> Vec<u8> {
    match format {
        PixelFormat::Gray8 => data.iter().flat_map(|&gray| [gray; 3]).collect(),
        PixelFormat::Rgb8 => data.to_vec(),
        PixelFormat::Bgrx8 => {
            let mut rgb = vec![0; data.len() / 4 * 3];
            for (rgb, bgrx) in rgb.chunks_exact_mut(3).zip(data.chunks_exact(4)) {
                rgb.copy_from_slice(&[bgrx[2], bgrx[1], bgrx[0]]);
            }
            rgb
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::color::Color;
    use proptest::prelude::*;

    fn filled(width: u32, height: u32, format: PixelFormat, pixel: [u8; 4]) -> Frame {
        let pixel = &pixel[..format.bytes()];
        let data = pixel.repeat(width as usize * height as usize);
        Frame::new(width, height, format, data).unwrap()
    }

    #[test]
    fn a_plain_frame_keeps_its_color_in_every_format() {
        let cases = [
            (PixelFormat::Gray8, [90, 0, 0, 0], Color::rgb(90, 90, 90)),
            (PixelFormat::Rgb8, [10, 20, 30, 0], Color::rgb(10, 20, 30)),
            (PixelFormat::Bgrx8, [30, 20, 10, 200], Color::rgb(10, 20, 30)),
        ];
        let mut scaler = Scaler::new();
        for (format, pixel, color) in cases {
            let frame = filled(64, 36, format, pixel);
            for (width, height) in [(64, 36), (16, 9), (1, 1), (100, 70)] {
                let small = scaler.scale(&frame, width, height);
                assert_eq!(small.format(), PixelFormat::Rgb8);
                assert_eq!((small.width(), small.height()), (width, height));
                for (x, y) in [(0, 0), (width - 1, height - 1), (width / 2, height / 2)] {
                    assert_eq!(small.color(x, y), Some(color), "{format:?} at {width}x{height}");
                }
            }
        }
    }

    #[test]
    fn an_edge_stays_where_it_was() {
        let mut frame = Frame::black(64, 64, PixelFormat::Gray8).unwrap();
        for y in 0..64 {
            frame.row_mut(y)[32..].fill(255);
        }
        let small = Scaler::new().scale(&frame, 16, 16);
        assert_eq!(small.color(4, 8), Some(Color::BLACK));
        assert_eq!(small.color(12, 8), Some(Color::WHITE));
    }

    proptest! {
        #[test]
        fn any_size_scales_to_any_size(from in (1u32..40, 1u32..40), to in (0u32..40, 0u32..40)) {
            let frame = filled(from.0, from.1, PixelFormat::Bgrx8, [1, 2, 3, 4]);
            let small = Scaler::new().scale(&frame, to.0, to.1);
            prop_assert_eq!((small.width(), small.height()), (to.0.max(1), to.1.max(1)));
        }
    }
}
