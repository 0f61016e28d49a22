//! Encodes and decodes PNG, the format in which pictures are sent and the canvas is stored.

mod bands;
mod packing;

use std::collections::HashMap;
use std::io::Cursor;

use png::{BitDepth, ColorType, Compression, Decoder, Encoder, Filter, Transformations, chunk};

use crate::frame::{Frame, FrameError};
use crate::pixel_format::PixelFormat;
use crate::scale::to_rgb;
use packing::Packing;

/// Why a picture could not be encoded or decoded.
#[derive(Debug, thiserror::Error)]
pub enum PngError {
    /// The encoder failed, for example because of the comment.
    #[error("cannot encode the picture as PNG: {0}")]
    Encode(#[from] png::EncodingError),
    /// The data is not PNG, or is damaged.
    #[error("not a readable PNG: {0}")]
    Decode(#[from] png::DecodingError),
    /// The size is not valid for a frame.
    #[error(transparent)]
    Frame(#[from] FrameError),
}

/// Text stored inside a PNG file, which viewers ignore.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comment<'a> {
    /// The keyword of the text, in Latin-1, 1 to 79 characters long.
    pub keyword: &'a str,
    /// The text, in Latin-1.
    pub text: &'a str,
}

/// Encodes a frame: grey as 8-bit grey, any other format as 8-bit RGB.
///
/// Optimises for speed, because pictures are sent to a server on the same machine more often than over a slow network.
/// The compression method depends on the picture's content.
pub fn encode(frame: &Frame) -> Result<Vec<u8>, PngError> {
    encode_with(frame, None)
}

/// Does the same as [`encode`], and stores a comment inside.
pub fn encode_with(frame: &Frame, comment: Option<Comment<'_>>) -> Result<Vec<u8>, PngError> {
    let converted;
    let (color, data) = match frame.format() {
        PixelFormat::Gray8 => (ColorType::Grayscale, frame.data()),
        PixelFormat::Rgb8 => (ColorType::Rgb, frame.data()),
        PixelFormat::Bgrx8 => {
            converted = to_rgb(frame.data(), PixelFormat::Bgrx8);
            (ColorType::Rgb, converted.as_slice())
        }
    };
    let mut bytes = Vec::with_capacity(data.len() / 4 + 1024);
    let mut encoder = Encoder::new(&mut bytes, frame.width(), frame.height());
    encoder.set_color(color);
    encoder.set_depth(BitDepth::Eight);
    let row = frame.width() as usize * color.samples();
    let packing = match color {
        // A canvas is nearly empty, so encoding it is fast and its file is small in any case.
        ColorType::Grayscale => Packing::Differences,
        _ => Packing::of(data, row),
    };
    encoder.set_deflate_compression(packing.compression());
    encoder.set_filter(packing.filter());
    if let Some(Comment { keyword, text }) = comment {
        encoder.add_text_chunk(keyword.to_owned(), text.to_owned())?;
    }
    let mut writer = encoder.write_header()?;
    let is_large = color == ColorType::Rgb && data.len() >= packing::LARGE;
    let packed = is_large.then(|| bands::pack(packing, data, row)).flatten();
    match packed {
        Some(packed) => writer.write_chunk(chunk::IDAT, &packed)?,
        None => writer.write_image_data(data)?,
    }
    writer.finish()?;
    Ok(bytes)
}

/// Encodes a frame as compactly as possible, however long that takes. The pixels are unchanged.
pub fn encode_small(frame: &Frame) -> Result<Vec<u8>, PngError> {
    let rgb = to_rgb(frame.data(), frame.format());
    let (pixels, _) = rgb.as_chunks::<3>();
    let encoded = |color, data: &[u8], palette: Option<Vec<u8>>, filter| {
        let mut bytes = Vec::new();
        let mut encoder = Encoder::new(&mut bytes, frame.width(), frame.height());
        encoder.set_color(color);
        encoder.set_depth(BitDepth::Eight);
        if let Some(palette) = palette {
            encoder.set_palette(palette);
        }
        encoder.set_compression(Compression::High);
        encoder.set_filter(filter);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(data)?;
        writer.finish()?;
        Ok::<_, PngError>(bytes)
    };
    if let Some((indices, palette)) = few_colors(pixels) {
        return encoded(ColorType::Indexed, &indices, Some(palette), Filter::NoFilter);
    }
    let plain = encoded(ColorType::Rgb, &rgb, None, Filter::NoFilter)?;
    let filtered = encoded(ColorType::Rgb, &rgb, None, Filter::Adaptive)?;
    Ok(if filtered.len() < plain.len() { filtered } else { plain })
}

/// Returns the pixels as indices into a table of at most 256 colours, or `None` if there are more colours.
fn few_colors(pixels: &[[u8; 3]]) -> Option<(Vec<u8>, Vec<u8>)> {
    let mut known: HashMap<[u8; 3], u8> = HashMap::new();
    let mut table = Vec::new();
    let mut index = |color: &[u8; 3]| {
        if let Some(&index) = known.get(color) {
            return Some(index);
        }
        let index = u8::try_from(known.len()).ok()?;
        known.insert(*color, index);
        table.extend_from_slice(color);
        Some(index)
    };
    let indices: Option<Vec<u8>> = pixels.iter().map(&mut index).collect();
    indices.map(|indices| (indices, table))
}

/// Decodes any kind of PNG to 8-bit grey or RGB; transparency is dropped.
pub fn decode(bytes: &[u8]) -> Result<Frame, PngError> {
    decode_with(bytes, "").map(|(frame, _)| frame)
}

/// Returns the width and height without decoding the pixels.
pub fn size(bytes: &[u8]) -> Result<(u32, u32), PngError> {
    Ok(Decoder::new(Cursor::new(bytes)).read_info()?.info().size())
}

/// Does the same as [`decode`], and returns the text stored under `keyword`, if any.
pub fn decode_with(bytes: &[u8], keyword: &str) -> Result<(Frame, Option<String>), PngError> {
    let mut decoder = Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(Transformations::normalize_to_color8());
    let mut reader = decoder.read_info()?;
    let (width, height) = reader.info().size();
    let (color, _) = reader.output_color_type();
    let (format, transparent) = match color {
        ColorType::Grayscale => (PixelFormat::Gray8, false),
        ColorType::GrayscaleAlpha => (PixelFormat::Gray8, true),
        ColorType::Rgb | ColorType::Indexed => (PixelFormat::Rgb8, false),
        ColorType::Rgba => (PixelFormat::Rgb8, true),
    };
    let mut frame = Frame::black(width, height, format)?;
    if transparent {
        let mut data = vec![0; frame.data().len() / format.bytes() * color.samples()];
        reader.next_frame(&mut data)?;
        let pixels = data.chunks_exact(color.samples());
        for (opaque, pixel) in frame.data_mut().chunks_exact_mut(format.bytes()).zip(pixels) {
            opaque.copy_from_slice(&pixel[..format.bytes()]);
        }
    } else {
        reader.next_frame(frame.data_mut())?;
    }
    reader.finish()?;
    let comments = &reader.info().uncompressed_latin1_text;
    let comment = comments.iter().find(|comment| comment.keyword == keyword);
    let text = comment.map(|comment| comment.text.clone());
    Ok((frame, text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn noise(width: u32, height: u32, format: PixelFormat) -> Frame {
        let length = width as usize * height as usize * format.bytes();
        let data = (0..length).map(|index| (index * 7919 % 251) as u8).collect();
        Frame::new(width, height, format, data).unwrap()
    }

    #[test]
    fn a_screen_pixel_is_encoded_in_its_colors() {
        let frame = noise(7, 5, PixelFormat::Bgrx8);
        let decoded = decode(&encode(&frame).unwrap()).unwrap();
        assert_eq!(decoded.format(), PixelFormat::Rgb8);
        assert_eq!(decoded.color(3, 2), frame.color(3, 2));
    }

    #[test]
    fn a_png_comment_is_stored_and_read_back() {
        let frame = noise(3, 3, PixelFormat::Gray8);
        let comment = Comment {
            keyword: "state",
            text: r#"{"turn":3}"#,
        };
        let bytes = encode_with(&frame, Some(comment)).unwrap();
        assert_eq!(
            decode_with(&bytes, "state").unwrap(),
            (frame.clone(), Some(r#"{"turn":3}"#.to_owned()))
        );
        assert_eq!(decode_with(&bytes, "other").unwrap(), (frame, None));
    }

    #[test]
    fn transparency_is_dropped() {
        let mut bytes = Vec::new();
        let mut encoder = Encoder::new(&mut bytes, 2, 1);
        encoder.set_color(ColorType::Rgba);
        let mut writer = encoder.write_header().unwrap();
        writer.write_image_data(&[1, 2, 3, 0, 4, 5, 6, 255]).unwrap();
        writer.finish().unwrap();
        assert_eq!(decode(&bytes).unwrap().data(), [1, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn a_picture_that_is_cut_anywhere_is_an_error() {
        let bytes = encode(&noise(20, 10, PixelFormat::Gray8)).unwrap();
        for end in 0..bytes.len() {
            assert!(decode(&bytes[..end]).is_err(), "cut at {end}");
        }
    }

    proptest! {
        #[test]
        fn encoded_frames_decode_to_themselves(width in 1u32..50, height in 1u32..50, gray: bool) {
            let frame = noise(width, height, if gray { PixelFormat::Gray8 } else { PixelFormat::Rgb8 });
            prop_assert_eq!(decode(&encode(&frame).unwrap()).unwrap(), frame);
        }

        #[test]
        fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), at in 0usize..200, value: u8) {
            let _ = decode(&bytes);
            let mut damaged = encode(&noise(9, 9, PixelFormat::Rgb8)).unwrap();
            let at = at % damaged.len();
            damaged[at] = value;
            let _ = decode(&damaged);
        }
    }
}
