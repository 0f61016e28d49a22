//! An animated PNG made of pictures of a page. It has few colours and stores only the differences between pictures.

use std::collections::HashMap;
use std::io::Cursor;

use anyhow::{Context, Result, ensure};
use png::{BlendOp, ColorType, Compression, DisposeOp};

/// A colour.
type Rgb = [u8; 3];

/// The number of colours, not including the one that leaves a pixel unchanged.
const COLORS: usize = 127;

/// The index of the colour that leaves a pixel unchanged.
const SAME: u8 = 0;

/// How long to show each picture but the last, and how long to show the last, in hundredths of a second.
const SHOWN: (u16, u16) = (60, 400);

struct Picture {
    size: (u32, u32),
    pixels: Vec<Rgb>,
}

/// Creates an animated picture that repeats forever. The same pictures always give the same bytes.
pub(super) fn of(pictures: &[Vec<u8>]) -> Result<Vec<u8>> {
    let pictures: Vec<Picture> = pictures.iter().map(|bytes| decode(bytes)).collect::<Result<_>>()?;
    let size = pictures.first().context("there are no pictures")?.size;
    ensure!(
        pictures.iter().all(|picture| picture.size == size),
        "the pictures differ in size"
    );
    let palette = palette(&pictures);
    let mut nearest = HashMap::new();
    let mut frames: Vec<Vec<u8>> = Vec::new();
    for picture in &pictures {
        let indices = picture
            .pixels
            .iter()
            .map(|&pixel| *nearest.entry(pixel).or_insert_with(|| nearest_index(&palette, pixel)));
        frames.push(indices.collect());
    }
    write(size, &palette, &frames)
}

fn decode(bytes: &[u8]) -> Result<Picture> {
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info()?;
    let mut buffer = vec![0; reader.output_buffer_size().context("a picture is too large")?];
    let frame = reader.next_frame(&mut buffer)?;
    let channels = frame.color_type.samples();
    ensure!(channels >= 3, "a picture has no colours");
    let pixels = buffer[..frame.buffer_size()].chunks_exact(channels);
    Ok(Picture {
        size: (frame.width, frame.height),
        pixels: pixels.map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect(),
    })
}

/// Returns the most frequent colours.
fn palette(pictures: &[Picture]) -> Vec<Rgb> {
    let mut counts: HashMap<Rgb, u64> = HashMap::new();
    for pixel in pictures.iter().flat_map(|picture| &picture.pixels) {
        *counts.entry(*pixel).or_default() += 1;
    }
    let mut colors: Vec<(u64, Rgb)> = counts.into_iter().map(|(color, count)| (count, color)).collect();
    colors.sort_unstable_by(|a, b| b.cmp(a));
    colors.into_iter().take(COLORS).map(|(_, color)| color).collect()
}

fn nearest_index(palette: &[Rgb], pixel: Rgb) -> u8 {
    let distance = |color: &Rgb| -> u32 {
        let parts = color.iter().zip(pixel);
        parts.map(|(&a, b)| u32::from(a.abs_diff(b)).pow(2)).sum()
    };
    let nearest = palette.iter().zip(1u8..).min_by_key(|(color, _)| distance(color));
    nearest.map_or(SAME, |(_, index)| index)
}

fn write((width, height): (u32, u32), palette: &[Rgb], frames: &[Vec<u8>]) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(ColorType::Indexed);
    encoder.set_palette([&[[0; 3]], palette].concat().concat());
    encoder.set_trns(vec![0]);
    encoder.set_compression(Compression::High);
    encoder.set_filter(png::Filter::NoFilter);
    encoder.set_animated(u32::try_from(frames.len())?, 0)?;
    encoder.set_dispose_op(DisposeOp::None)?;
    let mut writer = encoder.write_header()?;
    let mut before: Option<&Vec<u8>> = None;
    for (frame, left) in frames.iter().zip((0..frames.len()).rev()) {
        writer.set_frame_delay(if left == 0 { SHOWN.1 } else { SHOWN.0 }, 100)?;
        let changed = match before {
            None => frame.clone(),
            Some(before) => {
                writer.set_blend_op(BlendOp::Over)?;
                let pairs = frame.iter().zip(before);
                pairs.map(|(now, old)| if now == old { SAME } else { *now }).collect()
            }
        };
        writer.write_image_data(&changed)?;
        before = Some(frame);
    }
    writer.finish()?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(colors: [Rgb; 4]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, 2, 2);
        encoder.set_color(ColorType::Rgb);
        encoder
            .write_header()
            .unwrap()
            .write_image_data(&colors.concat())
            .unwrap();
        bytes
    }

    #[test]
    fn every_picture_is_shown_again() {
        let (red, green, black) = ([200, 0, 0], [0, 200, 0], [0, 0, 0]);
        let shown = [[red, green, black, red], [red, red, black, green], [black; 4]];
        let animated = of(&shown.map(picture)).unwrap();
        assert_eq!(
            animated,
            of(&shown.map(picture)).unwrap(),
            "the bytes are always the same"
        );
        let mut decoder = png::Decoder::new(Cursor::new(animated));
        decoder.set_transformations(png::Transformations::EXPAND);
        let mut reader = decoder.read_info().unwrap();
        let mut canvas = [[0; 3]; 4];
        for expected in shown {
            let mut buffer = [0; 16];
            reader.next_frame(&mut buffer).unwrap();
            for (pixel, drawn) in canvas.iter_mut().zip(buffer.chunks_exact(4)) {
                if drawn[3] == 255 {
                    *pixel = [drawn[0], drawn[1], drawn[2]];
                }
            }
            assert_eq!(canvas, expected);
        }
    }

    #[test]
    fn a_colour_outside_the_palette_becomes_the_nearest() {
        let palette = [[0, 0, 0], [250, 250, 250]];
        assert_eq!(nearest_index(&palette, [20, 10, 0]), 1);
        assert_eq!(nearest_index(&palette, [200, 255, 255]), 2);
    }
}
