//! Chooses how to compress a picture's pixels, depending on the picture's content.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use png::{DeflateCompression, Filter};

/// The minimum size in bytes for which the choice is worthwhile. Smaller pictures, including canvases, are quick to
/// compress either way.
pub(super) const LARGE: usize = 1 << 20;

/// The number of rows in a sample, which is about as far back as LZ77 finds matches, and the distance to the next
/// sample.
const SAMPLE: usize = 8;
const DISTANCE: usize = 128;

/// A picture is repetitive if LZ77 makes its samples at least this many times smaller.
const REPETITIVE: usize = 8;

/// How to compress a picture. The figures were measured at 1568 x 896 and below.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Packing {
    /// The Paeth filter with a predefined Huffman code (fdeflate). It compresses the differences between neighbouring
    /// pixels, which are small in photos, noise and scaled pictures. Choosing a filter for each row would take up to 50
    /// % longer, for a file that is a few percent smaller; the cheaper fixed filters would make the file up to a third
    /// larger.
    Differences,
    /// LZ77 without a filter, which finds the repetitions in plain areas and letters drawn by programs. This takes a
    /// quarter longer and halves the file; on a photo it takes five times as long and doubles the file.
    Repetitions,
}

impl Packing {
    /// Chooses how to compress pixels in rows of this many bytes, by testing a few rows of the picture.
    pub(super) fn of(pixels: &[u8], row: usize) -> Packing {
        if pixels.len() < LARGE {
            return Packing::Differences;
        }
        let samples = pixels.chunks(row * DISTANCE).map(|rows| {
            let end = rows.len().min(row * SAMPLE);
            &rows[..end]
        });
        let tried: usize = samples.clone().map(<[u8]>::len).sum();
        if repeats(samples, tried / REPETITIVE) {
            Packing::Repetitions
        } else {
            Packing::Differences
        }
    }

    pub(super) fn compression(self) -> DeflateCompression {
        match self {
            Packing::Differences => DeflateCompression::FdeflateUltraFast,
            Packing::Repetitions => DeflateCompression::Level(1),
        }
    }

    pub(super) fn filter(self) -> Filter {
        match self {
            Packing::Differences => Filter::Paeth,
            Packing::Repetitions => Filter::NoFilter,
        }
    }
}

/// Checks whether LZ77 compresses these samples to at most this many bytes. Photos soon exceed that limit.
fn repeats<'a>(mut samples: impl Iterator<Item = &'a [u8]>, most: usize) -> bool {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::new(1));
    let fits = samples.all(|sample| encoder.write_all(sample).is_ok() && encoder.total_out() <= most as u64);
    fits && encoder.finish().is_ok_and(|packed| packed.len() <= most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Frame;
    use crate::pixel_format::PixelFormat;
    use crate::png::{decode, encode};

    const ROW: usize = 1024 * 3;
    const ROWS: usize = 576;

    /// Returns rows of pixels; `pixel` computes each pixel from its position.
    fn picture(pixel: impl Fn(usize, usize) -> [u8; 3]) -> Vec<u8> {
        let pixel = &pixel;
        (0..ROWS)
            .flat_map(|y| (0..ROW / 3).flat_map(move |x| pixel(x, y)))
            .collect()
    }

    fn noise(x: usize, y: usize) -> u8 {
        let place = (x as u32).wrapping_mul(0x9e37_79b9) ^ (y as u32).wrapping_mul(0x85eb_ca6b);
        ((place ^ (place >> 15)).wrapping_mul(0xc2b2_ae35) >> 24) as u8
    }

    #[test]
    fn letters_and_plain_areas_are_packed_by_repetitions_and_photos_by_differences() {
        let letters = picture(|x, y| {
            let is_ink = x < 600 && y % 17 < 11 && x % 8 < 6 && noise(x % 8 + x / 8 % 26 * 8, y % 17) < 90;
            if is_ink { [200, 202, 198] } else { [29, 31, 33] }
        });
        let photo = picture(|x, y| [x, y, x + y].map(|light| (light / 8) as u8 + noise(x, y) % 4));
        let half_a_photo = picture(|x, y| if x < 512 { [noise(x, y); 3] } else { [255; 3] });
        let grain = picture(|x, y| [noise(x, y), noise(y, x), noise(x + y, y)]);
        for (name, pixels, packing) in [
            ("letters", &letters, Packing::Repetitions),
            ("plain", &vec![7; ROW * ROWS], Packing::Repetitions),
            ("photo", &photo, Packing::Differences),
            ("half a photo", &half_a_photo, Packing::Differences),
            ("grain", &grain, Packing::Differences),
        ] {
            assert_eq!(Packing::of(pixels, ROW), packing, "{name}");
            let frame = Frame::new(ROW as u32 / 3, ROWS as u32, PixelFormat::Rgb8, pixels.clone()).unwrap();
            assert!(decode(&encode(&frame).unwrap()).unwrap() == frame, "{name}");
        }
    }

    #[test]
    fn small_pictures_are_packed_fast() {
        assert_eq!(Packing::of(&vec![0; 512 * 288 * 3], 512 * 3), Packing::Differences);
        assert_eq!(Packing::of(&[], 3), Packing::Differences);
    }
}
