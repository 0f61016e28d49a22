//! Reads ZRLE: tiles of 64x64 pixels, compressed by zlib as one stream that lasts as long as the connection.

use flate2::{Decompress, FlushDecompress, Status};

use crate::error::RfbError;
use crate::framebuffer::{Framebuffer, Rectangle, STEP};

/// The side of a tile.
const SIDE: u16 = 64;

/// The largest number of bytes that a tile takes in addition to four per pixel: its kind and its palette.
const HEAD: usize = 1 + 127 * 3;

/// How many bytes of room to make at a time.
const ROOM: usize = 1 << 16;

type Pixel = [u8; STEP];

/// The decompressor of one connection.
pub(crate) struct Zrle {
    stream: Decompress,
    plain: Vec<u8>,
    tile: Vec<Pixel>,
}

impl Zrle {
    pub(crate) fn new() -> Zrle {
        Zrle {
            stream: Decompress::new(true),
            plain: Vec::new(),
            tile: Vec::new(),
        }
    }

    /// Returns the largest number of bytes that a part can take when decompressed.
    pub(crate) fn most(part: Rectangle) -> usize {
        let tiles = usize::from(part.width.div_ceil(SIDE)) * usize::from(part.height.div_ceil(SIDE));
        part.pixels() * STEP + tiles * HEAD
    }

    /// Draws a checked part.
    pub(crate) fn draw(&mut self, packed: &[u8], part: Rectangle, to: &mut Framebuffer) -> Result<(), RfbError> {
        self.unpack(packed, Zrle::most(part))?;
        let mut bytes = Bytes(&self.plain);
        for y in (0..part.height).step_by(SIDE.into()) {
            for x in (0..part.width).step_by(SIDE.into()) {
                let area = Rectangle {
                    x: part.x + x,
                    y: part.y + y,
                    width: SIDE.min(part.width - x),
                    height: SIDE.min(part.height - y),
                };
                self.tile.resize(area.pixels(), [0; STEP]);
                read_tile(&mut bytes, area, &mut self.tile)?;
                for (row, pixels) in self.tile.chunks_exact(area.width.into()).enumerate() {
                    to.row_mut(area, row).copy_from_slice(pixels.as_flattened());
                }
            }
        }
        Ok(())
    }

    fn unpack(&mut self, packed: &[u8], most: usize) -> Result<(), RfbError> {
        const BROKEN: RfbError = RfbError::Invalid("pixels that cannot be decompressed");
        self.plain.clear();
        let mut rest = packed;
        loop {
            if self.plain.capacity() == self.plain.len() {
                self.plain.reserve(ROOM);
            }
            let (taken, given) = (self.stream.total_in(), self.plain.len());
            let status = self
                .stream
                .decompress_vec(rest, &mut self.plain, FlushDecompress::Sync)
                .map_err(|_| BROKEN)?;
            let taken = (self.stream.total_in() - taken) as usize;
            rest = &rest[taken..];
            if self.plain.len() > most {
                return Err(RfbError::Invalid("more pixels than the rectangle has"));
            }
            if status == Status::StreamEnd {
                // The stream must not end before the connection does.
                return Err(BROKEN);
            }
            if rest.is_empty() && self.plain.len() < self.plain.capacity() {
                return Ok(());
            }
            if taken == 0 && self.plain.len() == given {
                return Err(BROKEN);
            }
        }
    }
}

/// Reads one tile.
fn read_tile(bytes: &mut Bytes<'_>, area: Rectangle, tile: &mut [Pixel]) -> Result<(), RfbError> {
    match bytes.u8()? {
        0 => {
            let raw = bytes.take(tile.len() * 3)?;
            for (pixel, raw) in tile.iter_mut().zip(raw.chunks_exact(3)) {
                *pixel = [raw[0], raw[1], raw[2], 0];
            }
        }
        1 => tile.fill(bytes.pixel()?),
        count @ 2..=16 => {
            let palette = bytes.palette(count.into())?;
            let bits = match count {
                2 => 1,
                3..=4 => 2,
                _ => 4,
            };
            let width = usize::from(area.width);
            for row in tile.chunks_exact_mut(width) {
                let packed = bytes.take((width * bits).div_ceil(8))?;
                for (at, pixel) in row.iter_mut().enumerate() {
                    let bit = at * bits;
                    let index = packed[bit / 8] >> (8 - bits - bit % 8) & ((1 << bits) - 1);
                    *pixel = from_palette(&palette, index)?;
                }
            }
        }
        128 => {
            let mut at = 0;
            while at < tile.len() {
                let pixel = bytes.pixel()?;
                at = fill(tile, at, bytes.run()?, pixel)?;
            }
        }
        count @ 130.. => {
            let palette = bytes.palette(usize::from(count) - 128)?;
            let mut at = 0;
            while at < tile.len() {
                let index = bytes.u8()?;
                let pixel = from_palette(&palette, index & 127)?;
                let run = if index & 128 == 0 { 1 } else { bytes.run()? };
                at = fill(tile, at, run, pixel)?;
            }
        }
        _ => return Err(RfbError::Invalid("an unknown kind of tile")),
    }
    Ok(())
}

fn from_palette(palette: &[Pixel], index: u8) -> Result<Pixel, RfbError> {
    let pixel = palette.get(usize::from(index)).copied();
    pixel.ok_or(RfbError::Invalid("a colour outside the palette"))
}

/// Draws a run of equal pixels; returns the position after it.
fn fill(tile: &mut [Pixel], at: usize, run: usize, pixel: Pixel) -> Result<usize, RfbError> {
    let run = tile.get_mut(at..at + run);
    let run = run.ok_or(RfbError::Invalid("a run of pixels longer than its tile"))?;
    run.fill(pixel);
    Ok(at + run.len())
}

/// Decompressed bytes that have yet to be read.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], RfbError> {
        let (taken, rest) = self
            .0
            .split_at_checked(count)
            .ok_or(RfbError::Invalid("fewer pixels than the rectangle has"))?;
        self.0 = rest;
        Ok(taken)
    }

    fn u8(&mut self) -> Result<u8, RfbError> {
        Ok(self.take(1)?[0])
    }

    fn pixel(&mut self) -> Result<Pixel, RfbError> {
        let raw = self.take(3)?;
        Ok([raw[0], raw[1], raw[2], 0])
    }

    fn palette(&mut self, count: usize) -> Result<Vec<Pixel>, RfbError> {
        (0..count).map(|_| self.pixel()).collect()
    }

    /// Reads the length of a run: one more than the sum of its bytes, of which all but the last are 255.
    fn run(&mut self) -> Result<usize, RfbError> {
        let mut length = 1;
        loop {
            let byte = self.u8()?;
            length += usize::from(byte);
            if byte < 255 {
                return Ok(length);
            }
        }
    }
}
