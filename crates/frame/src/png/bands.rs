//! Packs a large picture in two bands, in parallel, and joins them to one zlib stream (RFC 1950, 1951).

use std::io::Write as _;
use std::thread;

use fdeflate::Compressor;
use flate2::Compression;
use flate2::write::ZlibEncoder;

use super::packing::Packing;

/// The number of bytes of a pixel.
const PIXEL: usize = 3;
/// PNG's numbers of the filters.
const NO_FILTER: u8 = 0;
const PAETH: u8 = 4;
/// The number of rows that LZ77 gets at a time.
const ROWS: usize = 16;
/// The length of a zlib stream's header.
const HEADER: usize = 2;
/// The length of the Adler-32 checksum at its end.
const CHECKSUM: usize = 4;
/// The modulus of Adler-32.
const MODULUS: usize = 65_521;

/// Packs rows of this many bytes as PNG's image data. Returns `None` if that does not make them smaller.
pub(super) fn pack(packing: Packing, pixels: &[u8], row: usize) -> Option<Vec<u8>> {
    let rows = pixels.len() / row;
    let (above, below) = pixels.split_at(rows / 2 * row);
    let last_above = &above[above.len().saturating_sub(row)..];
    let band = |pixels, above| match packing {
        Packing::Differences => Band::of_differences(pixels, above, row),
        Packing::Repetitions => Band::of_repetitions(pixels, row),
    };
    let packed = thread::scope(|scope| {
        let first = scope.spawn(|| band(above, &[]));
        let second = band(below, last_above);
        Some(first.join().ok()?.joined(&second))
    })?;
    (packed.len() < pixels.len()).then_some(packed)
}

/// Some rows of a picture, filtered and packed.
struct Band {
    /// A whole zlib stream.
    stream: Vec<u8>,
    /// Where the stream can be continued: between two bytes, and before its last block. `None` if it consists of only
    /// one block.
    end: Option<usize>,
    /// The length of the filtered rows.
    length: usize,
}

impl Band {
    /// Packs the differences of rows. `above` is the row above the first one; it is empty at the top of the picture.
    fn of_differences(pixels: &[u8], above: &[u8], row: usize) -> Band {
        let mut compressor = Compressor::new(Vec::with_capacity(pixels.len() / 2)).expect("a vector takes all bytes");
        let zeros = vec![0; row];
        let mut above = if above.is_empty() { zeros.as_slice() } else { above };
        let mut filtered = vec![PAETH; 1 + row];
        for pixels in pixels.chunks_exact(row) {
            filter(&mut filtered[1..], pixels, above);
            compressor.write_data(&filtered).expect("a vector takes all bytes");
            above = pixels;
        }
        Band {
            stream: compressor.finish().expect("a vector takes all bytes"),
            end: None,
            length: pixels.len() / row * (1 + row),
        }
    }

    /// Packs the repetitions in rows.
    fn of_repetitions(pixels: &[u8], row: usize) -> Band {
        let mut encoder = ZlibEncoder::new(Vec::with_capacity(pixels.len() / 8), Compression::new(1));
        let mut filtered = Vec::with_capacity(ROWS * (1 + row));
        for rows in pixels.chunks(ROWS * row) {
            filtered.clear();
            for pixels in rows.chunks_exact(row) {
                filtered.push(NO_FILTER);
                filtered.extend_from_slice(pixels);
            }
            encoder.write_all(&filtered).expect("a vector takes all bytes");
        }
        encoder.flush().expect("a vector takes all bytes");
        let end = encoder.get_ref().len();
        Band {
            stream: encoder.finish().expect("a vector takes all bytes"),
            end: Some(end),
            length: pixels.len() / row * (1 + row),
        }
    }

    /// Returns the two sums of the checksum, the plain one first.
    fn checksum(&self) -> (usize, usize) {
        let [.., a, b, c, d] = self.stream[..] else {
            return (1, 0);
        };
        (u16::from_be_bytes([c, d]).into(), u16::from_be_bytes([a, b]).into())
    }

    /// Returns a stream of the blocks of this one and the next.
    fn joined(self, next: &Band) -> Vec<u8> {
        let ((low, high), (next_low, next_high)) = (self.checksum(), next.checksum());
        // As in zlib's adler32_combine: the next band's sums began with 1 and 0 instead of this one's.
        let before = low + MODULUS - 1;
        let low = (before + next_low) % MODULUS;
        let high = (high + next_high + next.length % MODULUS * before) % MODULUS;

        let mut joined = self.stream;
        joined.truncate(self.end.unwrap_or(joined.len() - CHECKSUM));
        if self.end.is_none() {
            end_block(&mut joined);
        }
        joined.extend(&next.stream[HEADER..next.stream.len() - CHECKSUM]);
        joined.extend((high as u16).to_be_bytes());
        joined.extend((low as u16).to_be_bytes());
        joined
    }
}

/// Makes another block follow the only one of fdeflate, at the beginning of a byte.
fn end_block(stream: &mut Vec<u8>) {
    // The block is no longer the last one.
    stream[HEADER] &= !1;
    // Its code for the end ends with a set bit, so the zeros after it are unused. An empty stored block follows, whose
    // data begins with a new byte: three zeros, padding, and a length of 0.
    if stream.last().is_some_and(|last| last.leading_zeros() < 3) {
        stream.push(0);
    }
    stream.extend([0, 0, 0xff, 0xff]);
}

/// Applies the Paeth filter (PNG, section 9.4): replaces each byte by its difference from the predicted one.
fn filter(filtered: &mut [u8], pixels: &[u8], above: &[u8]) {
    let (first, rest) = filtered.split_at_mut(PIXEL);
    for (filtered, (pixel, above)) in first.iter_mut().zip(pixels.iter().zip(above)) {
        *filtered = pixel.wrapping_sub(*above);
    }
    let left = pixels.iter().zip(above.iter().zip(&above[PIXEL..]));
    for (filtered, (pixel, (left, (corner, above)))) in rest.iter_mut().zip(pixels[PIXEL..].iter().zip(left)) {
        *filtered = pixel.wrapping_sub(predicted(*left, *above, *corner));
    }
}

fn predicted(left: u8, above: u8, corner: u8) -> u8 {
    let [to_left, to_above] = [above, left].map(|other| i16::from(other) - i16::from(corner));
    let to_corner = (to_left + to_above).abs();
    let (to_left, to_above) = (to_left.abs(), to_above.abs());
    let upright = if to_above <= to_corner { above } else { corner };
    if to_left <= to_above && to_left <= to_corner {
        left
    } else {
        upright
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::frame::Frame;
    use crate::pixel_format::PixelFormat;
    use crate::png::{decode, encode};

    const PACKINGS: [Packing; 2] = [Packing::Differences, Packing::Repetitions];

    /// Returns a picture that `encode` packs in bands: smooth colours with this much noise.
    fn picture(width: u32, height: u32, noise: u32, seed: u32) -> Frame {
        let byte = |index: u32| {
            let random = index.wrapping_mul(0x9e37_79b9) ^ seed;
            let random = (random ^ random >> 15).wrapping_mul(0x85eb_ca6b) >> 24;
            (index / 97 % 200 + random % noise) as u8
        };
        let data = (0..width * height * 3).map(byte).collect();
        Frame::new(width, height, PixelFormat::Rgb8, data).unwrap()
    }

    #[test]
    fn pixels_that_packing_would_enlarge_are_not_packed() {
        let noise: Vec<u8> = picture(600, 4, 256, 1).data().to_vec();
        for packing in PACKINGS {
            assert_eq!(pack(packing, &noise, 1800), None);
            assert!(pack(packing, &vec![7; 1800 * 4], 1800).is_some());
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn bands_are_joined_to_one_picture(width in 700_u32..900, height in 510_u32..520, noise in 12_u32..30, seed: u32) {
            let frame = picture(width, height, noise, seed);
            let packed = pack(Packing::Differences, frame.data(), width as usize * 3);
            let encoded = encode(&frame).unwrap();
            prop_assert!(packed.is_some_and(|packed| encoded.windows(64).any(|part| part == &packed[..64])));
            prop_assert!(decode(&encoded).unwrap() == frame);
        }

        #[test]
        fn any_number_of_rows_unpacks_to_its_length_and_checksum(rows in 1_usize..40, bytes in prop::collection::vec(0_u8..9, 40 * 30)) {
            let pixels = &bytes[..rows * 30];
            for packing in PACKINGS {
                if let Some(packed) = pack(packing, pixels, 30) {
                    let mut unpacked = Vec::new();
                    std::io::Read::read_to_end(&mut flate2::read::ZlibDecoder::new(&packed[..]), &mut unpacked).unwrap();
                    prop_assert_eq!(unpacked.len(), rows * 31);
                    if packing == Packing::Repetitions {
                        let plain: Vec<u8> = pixels.chunks(30).flat_map(|row| [&[0], row].concat()).collect();
                        prop_assert_eq!(unpacked, plain);
                    }
                }
            }
        }
    }
}
