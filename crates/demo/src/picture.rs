//! Reads the picture in a request: decodes a PNG data URI into pixels.

use std::io::Cursor;

use png::{ColorType, Decoder, Limits, Transformations};

/// The largest picture, in bytes of decoded pixels. It is large enough for any screen and small enough to decode
/// safely.
const LARGEST_PICTURE: usize = 256 << 20;

/// Why a picture cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum PictureError {
    /// The address is not a data URI containing base64.
    #[error("the picture is not a base64 data URI; send it as data:image/png;base64,...")]
    NotInline,
    /// The base64 is invalid.
    #[error("the picture's base64 is damaged; encode it again")]
    Base64,
    /// The data is not PNG, or is damaged.
    #[error("the picture cannot be decoded as a PNG ({0}); send a whole PNG")]
    Png(#[from] png::DecodingError),
    /// Decoding would take too much memory.
    #[error("the picture has more than {LARGEST_PICTURE} bytes of pixels; send a smaller one")]
    TooLarge,
}

/// Decoded pixels, `width * height` triples of red, green and blue, row by row from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pixels {
    /// The width in pixels, at least 1.
    pub width: u32,
    /// The height in pixels, at least 1.
    pub height: u32,
    rows: Vec<[u8; 3]>,
}

impl Pixels {
    /// Decodes `data:image/...;base64,...`, ignoring white space in the base64.
    pub(crate) fn from_data_uri(uri: &str) -> Result<Pixels, PictureError> {
        let (head, data) = uri.split_once(',').ok_or(PictureError::NotInline)?;
        let head = head.trim_start().to_ascii_lowercase();
        if !head.starts_with("data:") || !head.ends_with(";base64") {
            return Err(PictureError::NotInline);
        }
        let bytes = base64_simd::forgiving_decode_to_vec(data.as_bytes()).map_err(|_| PictureError::Base64)?;
        Pixels::from_png(&bytes)
    }

    /// Decodes a PNG of any colour type and depth. Transparency is ignored.
    pub fn from_png(bytes: &[u8]) -> Result<Pixels, PictureError> {
        let limits = Limits { bytes: LARGEST_PICTURE };
        let mut decoder = Decoder::new_with_limits(Cursor::new(bytes), limits);
        decoder.set_transformations(Transformations::normalize_to_color8());
        let mut reader = decoder.read_info()?;
        let size = reader.output_buffer_size().filter(|&size| size <= LARGEST_PICTURE);
        let mut buffer = vec![0; size.ok_or(PictureError::TooLarge)?];
        let info = reader.next_frame(&mut buffer)?;
        buffer.truncate(info.buffer_size());
        Ok(Pixels {
            width: info.width,
            height: info.height,
            rows: colours(&buffer, info.color_type),
        })
    }

    /// Creates a picture from existing pixels, row by row.
    #[cfg(test)]
    pub(crate) fn of(width: u32, height: u32, pixels: Vec<[u8; 3]>) -> Pixels {
        Pixels {
            width,
            height,
            rows: pixels,
        }
    }

    /// Returns the colour at a position. A position outside the picture gets the colour of the nearest edge pixel.
    pub fn at(&self, x: i64, y: i64) -> [u8; 3] {
        let x = x.clamp(0, i64::from(self.width) - 1) as usize;
        let y = y.clamp(0, i64::from(self.height) - 1) as usize;
        self.rows[y * self.width as usize + x]
    }
}

/// Converts pixels with 8 bits per channel and without palettes.
fn colours(bytes: &[u8], kind: ColorType) -> Vec<[u8; 3]> {
    let grey = |pixel: &[u8]| [pixel[0]; 3];
    let colour = |pixel: &[u8]| [pixel[0], pixel[1], pixel[2]];
    match kind {
        ColorType::Grayscale => bytes.chunks_exact(1).map(grey).collect(),
        ColorType::GrayscaleAlpha => bytes.chunks_exact(2).map(grey).collect(),
        ColorType::Rgb | ColorType::Indexed => bytes.chunks_exact(3).map(colour).collect(),
        ColorType::Rgba => bytes.chunks_exact(4).map(colour).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn encode(kind: ColorType, palette: Option<Vec<u8>>, data: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, 2, 1);
        encoder.set_color(kind);
        encoder.set_depth(png::BitDepth::Eight);
        if let Some(palette) = palette {
            encoder.set_palette(palette);
        }
        encoder.write_header().unwrap().write_image_data(data).unwrap();
        bytes
    }

    #[test]
    fn every_colour_type_gives_the_same_pixels() {
        let cases = [
            encode(ColorType::Grayscale, None, &[0, 255]),
            encode(ColorType::GrayscaleAlpha, None, &[0, 255, 255, 255]),
            encode(ColorType::Rgb, None, &[0, 0, 0, 255, 255, 255]),
            encode(ColorType::Rgba, None, &[0, 0, 0, 255, 255, 255, 255, 255]),
            encode(ColorType::Indexed, Some(vec![255, 255, 255, 0, 0, 0]), &[1, 0]),
        ];
        for bytes in cases {
            let picture = Pixels::from_png(&bytes).unwrap();
            assert_eq!((picture.width, picture.height), (2, 1));
            assert_eq!([picture.at(0, 0), picture.at(1, 0)], [[0; 3], [255; 3]]);
            assert_eq!([picture.at(-9, -9), picture.at(99, 99)], [[0; 3], [255; 3]]);
        }
    }

    #[test]
    fn white_space_in_the_base64_does_not_matter() {
        let bytes = encode(ColorType::Grayscale, None, &[7, 9]);
        let base64 = base64_simd::STANDARD.encode_to_string(&bytes);
        let (one, two) = base64.split_at(11);
        let picture = Pixels::from_data_uri(&format!("Data:image/png;base64, {one}\r\n {two}\t")).unwrap();
        assert_eq!(picture.at(1, 0), [9; 3]);
    }

    #[test]
    fn invalid_pictures_are_errors() {
        let cut = base64_simd::STANDARD.encode_to_string(&encode(ColorType::Grayscale, None, &[7, 9])[..40]);
        for uri in [
            "",
            "https://example.org/cat.png",
            "data:image/png,abc",
            "data:image/png;base64,????",
            "data:image/png;base64,",
            "data:image/jpeg;base64,/9j/4AAQ",
            &format!("data:image/png;base64,{cut}"),
        ] {
            assert!(Pixels::from_data_uri(uri).is_err(), "{uri}");
        }
    }

    proptest! {
        #[test]
        fn damaged_pictures_never_panic(at in 0usize..60, byte: u8) {
            let mut bytes = encode(ColorType::Rgb, None, &[1, 2, 3, 4, 5, 6]);
            let at = at % bytes.len();
            bytes[at] = byte;
            let _ = Pixels::from_png(&bytes);
        }
    }
}
