//! A model's eye: finds areas of one colour in a picture.

use anyhow::{Context, Result, ensure};
use serde_json::Value;

/// A colour: red, green, blue.
pub(super) type Rgb = [u8; 3];

/// A picture with 8-bit colours.
pub(super) struct Picture {
    width: usize,
    pixels: Vec<Rgb>,
}

/// The part of a picture covered by one colour, in pixels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patch {
    pub(super) left: usize,
    pub(super) top: usize,
    pub(super) width: usize,
    pub(super) height: usize,
}

/// The minimum number of pixels for a colour to count as a patch.
const LEAST: usize = 40;

impl Picture {
    /// Reads the pictures in a message.
    pub(super) fn of(message: &Value) -> Result<Vec<Picture>> {
        let parts = message["content"].as_array().map(Vec::as_slice).unwrap_or_default();
        let addresses = parts.iter().filter_map(|part| part["image_url"]["url"].as_str());
        addresses.map(Picture::read).collect()
    }

    fn read(address: &str) -> Result<Picture> {
        let data = address.strip_prefix("data:image/png;base64,").context("no PNG")?;
        let png = base64_simd::STANDARD.decode_to_vec(data)?;
        let mut reader = png::Decoder::new(std::io::Cursor::new(png)).read_info()?;
        let mut bytes = vec![0; reader.output_buffer_size().context("a picture that is too large")?];
        let info = reader.next_frame(&mut bytes)?;
        ensure!(info.color_type == png::ColorType::Rgb, "a picture that is not RGB");
        let pixels = bytes.as_chunks().0.to_vec();
        Ok(Picture {
            width: info.width as usize,
            pixels,
        })
    }

    fn height(&self) -> usize {
        self.pixels.len() / self.width
    }

    /// Finds the patch that this colour covers.
    pub(super) fn patch(&self, color: Rgb) -> Option<Patch> {
        let places = self.pixels.iter().enumerate().filter(|(_, pixel)| **pixel == color);
        let places = places.map(|(at, _)| (at % self.width, at / self.width));
        let (mut count, mut first, mut last) = (0, (usize::MAX, usize::MAX), (0, 0));
        for (x, y) in places {
            count += 1;
            first = (first.0.min(x), first.1.min(y));
            last = (last.0.max(x), last.1.max(y));
        }
        (count >= LEAST).then(|| Patch {
            left: first.0,
            top: first.1,
            width: last.0 - first.0 + 1,
            height: last.1 - first.1 + 1,
        })
    }

    /// Returns a point as the model writes it, in thousandths of the picture.
    pub(super) fn thousandths(&self, (x, y): (usize, usize)) -> [usize; 2] {
        [x * 1000 / self.width, y * 1000 / self.height()]
    }
}

impl Patch {
    pub(super) fn middle(&self) -> (usize, usize) {
        self.beside(0)
    }

    /// Returns the point that lies this many patch widths to the right of the patch's centre.
    pub(super) fn beside(&self, widths: usize) -> (usize, usize) {
        (
            self.left + self.width / 2 + widths * self.width,
            self.top + self.height / 2,
        )
    }
}
