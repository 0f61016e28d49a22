//! Small versions of pictures. Each one is made when it is first requested.

use std::collections::VecDeque;
use std::sync::Mutex;

use bytes::Bytes;
use franz_frame::{Scaler, png};

use crate::lock::lock;

/// The width of thumbnails in pixels.
const WIDTH: u32 = 320;

/// How many bytes of thumbnails to keep.
const KEPT: usize = 16 << 20;

/// The maximum number of pixels of a picture to shrink.
const LARGEST: u64 = 8192 * 4320;

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
        let _making = lock(self.lane(sha256));
        if let Some(bytes) = self.known(sha256) {
            return Some(bytes);
        }
        let bytes = Bytes::from(small(picture()?)?);
        let mut kept = lock(&self.kept);
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
        let kept = lock(&self.kept);
        let found = kept.pictures.iter().find(|(hash, _)| hash == sha256);
        found.map(|(_, bytes)| bytes.clone())
    }

    fn lane(&self, sha256: &str) -> &Mutex<()> {
        let last = sha256.bytes().last().unwrap_or_default();
        &self.lanes[usize::from(last) % LANES]
    }
}

/// Shrinks the picture to at most [`WIDTH`] pixels, without its transparency. A narrower picture stays unchanged.
fn small(file: Vec<u8>) -> Option<Vec<u8>> {
    let (width, height) = png::size(&file).ok()?;
    if width <= WIDTH {
        return Some(file);
    }
    if u64::from(width) * u64::from(height) > LARGEST {
        return None;
    }
    let whole = png::decode(&file).ok()?;
    let height = (u64::from(height) * u64::from(WIDTH) / u64::from(width)).max(1) as u32;
    png::encode(&Scaler::new().scale(&whole, WIDTH, height)).ok()
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread;

    use franz_frame::{Frame, PixelFormat};

    use super::*;

    fn picture(width: u32, height: u32, format: PixelFormat) -> Vec<u8> {
        png::encode(&Frame::black(width, height, format).unwrap()).unwrap()
    }

    #[test]
    fn pictures_become_small_and_keep_their_shape() {
        for format in [PixelFormat::Rgb8, PixelFormat::Gray8] {
            for (of, expected) in [
                ((1280, 720), (320, 180)),
                ((640, 100), (320, 50)),
                ((5000, 1), (320, 1)),
            ] {
                let small = small(picture(of.0, of.1, format)).unwrap();
                assert_eq!(png::decode(&small).unwrap().width(), 320, "{of:?}");
                assert_eq!(png::size(&small).unwrap(), expected, "{of:?}");
            }
        }
        let narrow = picture(320, 900, PixelFormat::Rgb8);
        assert_eq!(small(narrow.clone()), Some(narrow));
    }

    #[test]
    fn what_is_no_picture_or_too_large_has_no_thumbnail() {
        assert_eq!(small(b"with marks".to_vec()), None);
        let mut huge = picture(400, 4, PixelFormat::Rgb8);
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
                    Some(picture(640, 360, PixelFormat::Rgb8))
                })
            });
            begins.recv().unwrap();
            assert!(
                thumbnails
                    .get("b", || Some(picture(640, 360, PixelFormat::Rgb8)))
                    .is_some()
            );
            goes_on.send(()).unwrap();
            assert!(slow.join().unwrap().is_some());
        });
    }

    #[test]
    fn each_is_made_once_and_only_so_many_are_kept() {
        let made = || Some(picture(640, 360, PixelFormat::Rgb8));
        let size = small(made().unwrap()).unwrap().len();
        let thumbnails = Thumbnails::with_room(2 * size);
        let first = thumbnails.get("a", made).unwrap();
        assert_eq!(thumbnails.get("a", || None), Some(first));
        assert_eq!(thumbnails.get("b", || None), None);
        thumbnails.get("b", made).unwrap();
        thumbnails.get("c", made).unwrap();
        assert_eq!(thumbnails.get("a", || None), None);
        assert!(thumbnails.get("b", || None).is_some() && thumbnails.get("c", || None).is_some());
    }
}
