//! Scales a frame to the size that the model sees.

use std::borrow::Cow;
use std::ops::Range;
use std::thread;

use fast_image_resize::images::{TypedImage, TypedImageRef};
use fast_image_resize::pixels::U8x4;
use fast_image_resize::{FilterType, ResizeAlg, ResizeOptions, Resizer};

use crate::frame::Frame;
use crate::pixel_format::PixelFormat;

/// The minimum frame size in bytes at which starting a second thread pays off.
const LARGE: usize = 1 << 20;

/// Resizes frames, large ones in two halves in parallel. It reuses its buffers from one frame to the next.
#[derive(Default)]
pub struct Scaler {
    halves: [Half; 2],
}

/// The buffers for resizing one half of the rows.
#[derive(Default)]
struct Half {
    resizer: Resizer,
    /// The resized rows in the format of screens. Only this small result is converted.
    rows: Vec<u8>,
}

impl Scaler {
    /// Creates a scaler with empty buffers.
    pub fn new() -> Scaler {
        Scaler::default()
    }

    /// Scales the frame to `width` x `height` pixels, always in [`PixelFormat::Rgb8`].
    ///
    /// A frame that already has this size is only converted. Sides are clamped to `1..=Frame::MAX_SIDE`.
    pub fn scale(&mut self, frame: &Frame, width: u32, height: u32) -> Frame {
        let width = width.clamp(1, Frame::MAX_SIDE);
        let height = height.clamp(1, Frame::MAX_SIDE);
        let rgb = if (frame.width(), frame.height()) == (width, height) {
            to_rgb(frame.data(), frame.format())
        } else {
            self.resize(&resizable(frame), width, height)
        };
        Frame::new(width, height, PixelFormat::Rgb8, rgb).expect("three bytes for each pixel of a size within bounds")
    }

    fn resize(&mut self, frame: &Frame, width: u32, height: u32) -> Vec<u8> {
        let mut rgb = vec![0; width as usize * height as usize * 3];
        let middle = if frame.data().len() < LARGE { 0 } else { height / 2 };
        let (above, below) = rgb.split_at_mut(middle as usize * width as usize * 3);
        let [first, second] = &mut self.halves;
        thread::scope(|scope| {
            if middle > 0 {
                scope.spawn(|| first.resize(frame, (width, height), 0..middle, above));
            }
            second.resize(frame, (width, height), middle..height, below);
        });
        rgb
    }
}

impl Half {
    /// Writes these rows of a frame in the format of screens, resized to this size.
    fn resize(&mut self, frame: &Frame, (width, height): (u32, u32), rows: Range<u32>, rgb: &mut [u8]) {
        let count = rows.len() as u32;
        self.rows
            .resize(width as usize * count as usize * frame.format().bytes(), 0);
        // CatmullRom keeps thin strokes and small text distinct where a box filter would blur them. The fourth byte of
        // a screen's pixel is not alpha. Pixels just outside the crop still influence those at its edge, so there is no
        // visible seam.
        let edge = |row: u32| f64::from(frame.height()) * f64::from(row) / f64::from(height);
        let (top, bottom) = (edge(rows.start), edge(rows.end));
        let options = ResizeOptions::new()
            .resize_alg(ResizeAlg::Convolution(FilterType::CatmullRom))
            .use_alpha(false)
            .crop(0.0, top, f64::from(frame.width()), bottom - top);
        let source = TypedImageRef::<U8x4>::from_buffer(frame.width(), frame.height(), frame.data());
        let target = TypedImage::<U8x4>::from_buffer(width, count, &mut self.rows);
        let (source, mut target) = source
            .ok()
            .zip(target.ok())
            .expect("buffers of exactly the size that the frame's format asks for");
        self.resizer
            .resize_typed(&source, &mut target, &options)
            .expect("the rows lie within the frame");
        write_rgb(&self.rows, frame.format(), rgb);
    }
}

/// Converts a frame to the format of screens, the only one that is resized. Supporting one more pixel type adds up to half
/// a minute to the library's compile time and half a megabyte to the program, which is not worthwhile for formats that
/// are rarely resized.
fn resizable(frame: &Frame) -> Cow<'_, Frame> {
    let data = match frame.format() {
        PixelFormat::Bgrx8 => return Cow::Borrowed(frame),
        PixelFormat::Rgb8 => {
            let pixels = frame.data().chunks_exact(3);
            pixels.flat_map(|rgb| [rgb[2], rgb[1], rgb[0], 0]).collect()
        }
        PixelFormat::Gray8 => frame.data().iter().flat_map(|&gray| [gray, gray, gray, 0]).collect(),
    };
    let converted = Frame::new(frame.width(), frame.height(), PixelFormat::Bgrx8, data);
    Cow::Owned(converted.expect("four bytes for each pixel of a size within bounds"))
}

/// Converts pixels of any format to red, green, blue.
pub(crate) fn to_rgb(data: &[u8], format: PixelFormat) -> Vec<u8> {
    let mut rgb = vec![0; data.len() / format.bytes() * 3];
    write_rgb(data, format, &mut rgb);
    rgb
}

fn write_rgb(data: &[u8], format: PixelFormat, rgb: &mut [u8]) {
    let pixels = rgb.chunks_exact_mut(3);
    match format {
        PixelFormat::Gray8 => pixels.zip(data).for_each(|(rgb, &gray)| rgb.fill(gray)),
        PixelFormat::Rgb8 => rgb.copy_from_slice(data),
        PixelFormat::Bgrx8 => write_bgrx(data, rgb),
    }
}

/// Writes four pixels at a time, as the twelve bytes of three registers. This halves the time.
fn write_bgrx(data: &[u8], rgb: &mut [u8]) {
    let (fours, last) = data.as_chunks::<16>();
    let (twelves, rest) = rgb.as_chunks_mut::<12>();
    for (twelve, four) in twelves.iter_mut().zip(fours) {
        let (pixels, _) = four.as_chunks::<4>();
        let pixel = |index: usize| u32::from_be_bytes(pixels[index]) >> 8;
        let low = u64::from(pixel(0)) | u64::from(pixel(1)) << 24 | u64::from(pixel(2)) << 48;
        let high = pixel(2) >> 16 | pixel(3) << 8;
        twelve[..8].copy_from_slice(&low.to_le_bytes());
        twelve[8..].copy_from_slice(&high.to_le_bytes());
    }
    for (rgb, bgrx) in rest.chunks_exact_mut(3).zip(last.chunks_exact(4)) {
        rgb.copy_from_slice(&[bgrx[2], bgrx[1], bgrx[0]]);
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
    fn every_pixel_of_a_screen_is_converted_in_its_place() {
        for width in 1..10 {
            let data: Vec<u8> = (0..width * 2 * 4).map(|index| (index * 7 + 1) as u8).collect();
            let frame = Frame::new(width, 2, PixelFormat::Bgrx8, data).unwrap();
            let converted = Scaler::new().scale(&frame, width, 2);
            for (x, y) in (0..width).flat_map(|x| [(x, 0), (x, 1)]) {
                assert_eq!(converted.color(x, y), frame.color(x, y), "({x},{y}) of {width}");
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

    #[test]
    fn the_halves_of_a_large_frame_are_those_of_the_whole() {
        let noise: Vec<u8> = (0..700 * 500 * 4_u64).map(|index| (index * 7919 % 251) as u8).collect();
        let frame = Frame::new(700, 500, PixelFormat::Bgrx8, noise).unwrap();
        assert!(frame.data().len() >= LARGE);
        for (width, height) in [
            (512, 288),
            (300, 333),
            (350, 250),
            (700, 250),
            (900, 777),
            (1, 1),
            (3, 2),
        ] {
            let halves = Scaler::new().scale(&frame, width, height);
            let mut whole = vec![0; halves.data().len()];
            Half::default().resize(&frame, (width, height), 0..height, &mut whole);
            let apart = halves
                .data()
                .iter()
                .zip(&whole)
                .map(|(half, whole)| half.abs_diff(*whole));
            // The weights are rounded, and so is the position where the halves meet.
            assert!(apart.max() <= Some(1), "{width}x{height}");
        }
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
