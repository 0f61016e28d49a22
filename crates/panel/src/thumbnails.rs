//! Small versions of pictures. Each one is made when it is first requested.

use std::collections::VecDeque;
use std::io::Cursor;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use fast_image_resize::images::{TypedImage, TypedImageRef};
use fast_image_resize::pixels::{U8, U8x4};
use fast_image_resize::{PixelTrait, ResizeOptions, Resizer};
use png::{BitDepth, ColorType, Compression, Decoder, Encoder, Transformations};

/// The width of thumbnails in pixels.
const WIDTH: u32 = 320;

/// How many bytes of thumbnails to keep.
const KEPT: usize = 16 << 20;

/// The maximum size of a picture to shrink, in bytes of pixels: 8192 x 4320 pixels of four bytes each.
const LARGEST: usize = 142 << 20;

/// How many thumbnails to make at once, which limits the memory for full pictures.
const LANES: usize = 4;

/// The newest thumbnails, by the hashes of the full pictures.
pub(crate) struct Thumbnails {
    kept: Mutex<Kept>,
    /// Held while a thumbnail is made. Each picture has its lane, so that nobody makes its thumbnail twice.
    lanes: [Mutex<()>; LANES],
    /// The maximum size of all thumbnails in bytes.
    room: usize,
}

#[derive(Default)]
struct Kept {
    /// The thumbnails, oldest first.
    pictures: VecDeque<(String, Bytes)>,
    bytes: usize,
}

impl Default for Thumbnails {
    fn default() -> Self {
        Self::with_room(KEPT)
    }
}

impl Thumbnails {
    fn with_room(room: usize) -> Self {
        let (kept, lanes) = Default::default();
        Self { kept, lanes, room }
    }

    /// Returns the thumbnail of the picture with this hash as a PNG. `None` if there is no such picture, or if it is
    /// not a PNG that can be shrunk.
    pub(crate) fn get(&self, sha256: &str, picture: impl FnOnce() -> Option<Vec<u8>>) -> Option<Bytes> {
        if let Some(bytes) = self.known(sha256) {
            return Some(bytes);
        }
        let _making = self.lane(sha256).lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bytes) = self.known(sha256) {
            return Some(bytes);
        }
        let bytes = Bytes::from(small(picture()?)?);
        let mut kept = self.lock();
        kept.bytes += bytes.len();
        kept.pictures.push_back((sha256.to_owned(), bytes.clone()));
        while kept.bytes > self.room
            && let Some((_, oldest)) = kept.pictures.pop_front()
        {
            kept.bytes -= oldest.len();
        }
        Some(bytes)
    }

    fn known(&self, sha256: &str) -> Option<Bytes> {
        let kept = self.lock();
        let found = kept.pictures.iter().find(|(hash, _)| hash == sha256);
        found.map(|(_, bytes)| bytes.clone())
    }

    fn lane(&self, sha256: &str) -> &Mutex<()> {
        let last = sha256.bytes().last().unwrap_or_default();
        &self.lanes[usize::from(last) % LANES]
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Shrinks the picture to at most [`WIDTH`] pixels. A narrower picture stays unchanged.
fn small(file: Vec<u8>) -> Option<Vec<u8>> {
    let mut decoder = Decoder::new(Cursor::new(&file));
    decoder.set_transformations(Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().ok()?;
    let mut pixels = vec![0; reader.output_buffer_size().filter(|&size| size <= LARGEST)?];
    let info = reader.next_frame(&mut pixels).ok()?;
    if info.width <= WIDTH {
        drop(reader);
        return Some(file);
    }
    pixels.truncate(info.buffer_size());
    let height = (u64::from(info.height) * u64::from(WIDTH) / u64::from(info.width)).max(1) as u32;
    let (from, to) = ((info.width, info.height), (WIDTH, height));
    if info.color_type == ColorType::Grayscale {
        return encoded(&scaled::<U8>(&pixels, from, to)?, to, ColorType::Grayscale);
    }
    encoded(
        &scaled::<U8x4>(&rgba(pixels, info.color_type)?, from, to)?,
        to,
        ColorType::Rgba,
    )
}

/// Converts pixels of any colour type to four bytes each. The resizer would need half a megabyte of code for each
/// additional type.
fn rgba(pixels: Vec<u8>, color: ColorType) -> Option<Vec<u8>> {
    match color {
        ColorType::Rgba => Some(pixels),
        ColorType::Rgb => {
            let mut all = vec![255; pixels.len() / 3 * 4];
            for (rgba, rgb) in all.chunks_exact_mut(4).zip(pixels.chunks_exact(3)) {
                rgba[..3].copy_from_slice(rgb);
            }
            Some(all)
        }
        ColorType::GrayscaleAlpha => Some(pixels.chunks_exact(2).flat_map(|p| [p[0], p[0], p[0], p[1]]).collect()),
        ColorType::Grayscale | ColorType::Indexed => None,
    }
}

/// Resizes the pixels of a picture from size `from` to size `to`, and returns them.
fn scaled<P: PixelTrait>(pixels: &[u8], from: (u32, u32), to: (u32, u32)) -> Option<Vec<u8>> {
    let whole = TypedImageRef::<P>::from_buffer(from.0, from.1, pixels).ok()?;
    let mut small = vec![0; to.0 as usize * to.1 as usize * P::size()];
    let mut image = TypedImage::<P>::from_buffer(to.0, to.1, &mut small).ok()?;
    Resizer::new()
        .resize_typed(&whole, &mut image, &ResizeOptions::new())
        .ok()?;
    Some(small)
}

fn encoded(pixels: &[u8], (width, height): (u32, u32), color: ColorType) -> Option<Vec<u8>> {
    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, width, height);
    encoder.set_color(color);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(Compression::Fast);
    let mut writer = encoder.write_header().ok()?;
    writer.write_image_data(pixels).ok()?;
    writer.finish().ok()?;
    Some(file)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread;

    use super::*;

    fn png(width: u32, height: u32, color: ColorType) -> Vec<u8> {
        let pixels = vec![0; width as usize * height as usize * color.samples()];
        encoded(&pixels, (width, height), color).unwrap()
    }

    fn size(file: &[u8]) -> (u32, u32) {
        let reader = Decoder::new(Cursor::new(file)).read_info().unwrap();
        (reader.info().width, reader.info().height)
    }

    #[test]
    fn pictures_become_small_and_keep_their_shape() {
        for color in [
            ColorType::Rgb,
            ColorType::Rgba,
            ColorType::Grayscale,
            ColorType::GrayscaleAlpha,
        ] {
            for (of, expected) in [
                ((1280, 720), (320, 180)),
                ((640, 100), (320, 50)),
                ((5000, 1), (320, 1)),
            ] {
                assert_eq!(size(&small(png(of.0, of.1, color)).unwrap()), expected, "{of:?}");
            }
        }
        let narrow = png(320, 900, ColorType::Rgb);
        assert_eq!(small(narrow.clone()), Some(narrow));
    }

    #[test]
    fn what_is_no_picture_or_too_large_has_no_thumbnail() {
        assert_eq!(small(b"with marks".to_vec()), None);
        let mut huge = png(400, 4, ColorType::Rgb);
        // Change the dimensions in the header, and the header's checksum.
        huge[16..24].copy_from_slice(&[0, 1, 0x86, 0xa0, 0, 1, 0x86, 0xa0]);
        let sum = crc32(&huge[12..29]).to_be_bytes();
        huge[29..33].copy_from_slice(&sum);
        assert_eq!(small(huge), None);
    }

    fn crc32(bytes: &[u8]) -> u32 {
        !bytes.iter().fold(!0, |sum, &byte| {
            (0..8).fold(sum ^ u32::from(byte), |sum, _| {
                sum >> 1 ^ if sum & 1 == 1 { 0xedb8_8320 } else { 0 }
            })
        })
    }

    #[test]
    fn a_thumbnail_does_not_wait_for_another_one() {
        let thumbnails = Thumbnails::default();
        let (began, begins) = mpsc::channel();
        let (goes_on, go_on) = mpsc::channel::<()>();
        thread::scope(|scope| {
            let thumbnails = &thumbnails;
            let slow = scope.spawn(move || {
                thumbnails.get("a", || {
                    began.send(()).unwrap();
                    go_on.recv().unwrap();
                    Some(png(640, 360, ColorType::Rgb))
                })
            });
            begins.recv().unwrap();
            assert!(thumbnails.get("b", || Some(png(640, 360, ColorType::Rgb))).is_some());
            goes_on.send(()).unwrap();
            assert!(slow.join().unwrap().is_some());
        });
    }

    #[test]
    fn each_is_made_once_and_only_so_many_are_kept() {
        let picture = || Some(png(640, 360, ColorType::Rgb));
        let size = small(picture().unwrap()).unwrap().len();
        let thumbnails = Thumbnails::with_room(2 * size);
        let first = thumbnails.get("a", picture).unwrap();
        assert_eq!(thumbnails.get("a", || None), Some(first));
        assert_eq!(thumbnails.get("b", || None), None);
        thumbnails.get("b", picture).unwrap();
        thumbnails.get("c", picture).unwrap();
        assert_eq!(thumbnails.get("a", || None), None);
        assert!(thumbnails.get("b", || None).is_some() && thumbnails.get("c", || None).is_some());
    }
}
