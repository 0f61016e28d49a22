//! A picture in memory.

use crate::area::Area;
use crate::color::Color;
use crate::pixel_format::PixelFormat;

/// Why a frame could not be created.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// A side is zero or longer than [`Frame::MAX_SIDE`].
    #[error("a picture cannot have {width}x{height} pixels; use sides from 1 to {max}", max = Frame::MAX_SIDE)]
    Side {
        /// The width in pixels.
        width: u32,
        /// The height in pixels.
        height: u32,
    },
    /// The length of the data does not match the size.
    #[error("a {width}x{height} picture in {format:?} needs {expected} bytes, not {actual}; pass rows without padding")]
    Length {
        /// The width in pixels.
        width: u32,
        /// The height in pixels.
        height: u32,
        /// The pixel format.
        format: PixelFormat,
        /// The required length in bytes.
        expected: usize,
        /// The actual length in bytes.
        actual: usize,
    },
}

/// A picture: rows from top to bottom, pixels from left to right, with no padding between rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    width: u32,
    height: u32,
    format: PixelFormat,
    data: Vec<u8>,
}

impl Frame {
    /// The largest number of pixels per side; X11 and PNG readers have about the same limit.
    pub const MAX_SIDE: u32 = 32_767;

    /// Creates a frame from its pixels.
    pub fn new(width: u32, height: u32, format: PixelFormat, data: Vec<u8>) -> Result<Frame, FrameError> {
        let expected = length(width, height, format)?;
        if data.len() != expected {
            return Err(FrameError::Length {
                width,
                height,
                format,
                expected,
                actual: data.len(),
            });
        }
        Ok(Frame {
            width,
            height,
            format,
            data,
        })
    }

    /// Creates a black frame.
    pub fn black(width: u32, height: u32, format: PixelFormat) -> Result<Frame, FrameError> {
        Ok(Frame {
            width,
            height,
            format,
            data: vec![0; length(width, height, format)?],
        })
    }

    /// Returns the number of pixels from left to right.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Returns the number of pixels from top to bottom.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// Returns the pixel format.
    pub fn format(&self) -> PixelFormat {
        self.format
    }

    /// Returns the bytes, which are `height` rows of `width` pixels each.
    pub fn data(&self) -> &[u8] {
        &self.data
    }

    /// Returns the bytes for writing.
    pub fn data_mut(&mut self) -> &mut [u8] {
        &mut self.data
    }

    /// Returns a pixel's colour, or `None` outside the picture.
    pub fn color(&self, x: u32, y: u32) -> Option<Color> {
        if x >= self.width || y >= self.height {
            return None;
        }
        let step = self.format.bytes();
        let start = (y as usize * self.width as usize + x as usize) * step;
        let pixel = &self.data[start..start + step];
        Some(match self.format {
            PixelFormat::Gray8 => Color::rgb(pixel[0], pixel[0], pixel[0]),
            PixelFormat::Rgb8 => Color::rgb(pixel[0], pixel[1], pixel[2]),
            PixelFormat::Bgrx8 => Color::rgb(pixel[2], pixel[1], pixel[0]),
        })
    }

    /// Returns whether all pixels are identical.
    pub fn is_plain(&self) -> bool {
        let step = self.format.bytes();
        self.data[step..] == self.data[..self.data.len() - step]
    }

    /// Returns a copy of the part of the picture that lies in an area, or `None` if there is none.
    pub fn part(&self, area: Area) -> Option<Frame> {
        let area = area.intersection(&Area::whole(self.width, self.height))?;
        let step = self.format.bytes();
        let (left, length) = (area.x as usize * step, area.width as usize * step);
        let rows = self.data.chunks_exact(self.width as usize * step).skip(area.y as usize);
        let data: Vec<u8> = rows
            .take(area.height as usize)
            .flat_map(|row| &row[left..left + length])
            .copied()
            .collect();
        Some(Frame {
            width: area.width,
            height: area.height,
            format: self.format,
            data,
        })
    }

    /// Replaces the pixels of an area, which must lie inside the frame. `rows` has the format of the frame, and each
    /// row begins `stride` bytes after the previous one. Returns the smallest area that contains every changed pixel,
    /// or `None` if no pixel changed.
    pub fn update(&mut self, area: Area, rows: &[u8], stride: usize) -> Option<Area> {
        let step = self.format.bytes();
        let (left, length) = (area.x as usize * step, area.width as usize * step);
        let whole = self.width as usize * step;
        let old = self
            .data
            .chunks_exact_mut(whole)
            .skip(area.y as usize)
            .take(area.height as usize);
        let mut changed: Option<Area> = None;
        for (y, (old, new)) in (area.y..).zip(old.zip(rows.chunks(stride))) {
            let (old, new) = (&mut old[left..left + length], &new[..length]);
            if old == new {
                continue;
            }
            let differs = |(old, new): (&[u8], &[u8])| old != new;
            let mut pixels = old.chunks_exact(step).zip(new.chunks_exact(step));
            let first = pixels.position(differs).unwrap_or_default();
            let behind = pixels.rposition(differs).map_or(0, |last| last + 1);
            let row = Area {
                x: area.x + first as i32,
                y,
                width: behind as u32 + 1,
                height: 1,
            };
            changed = Some(changed.map_or(row, |before| before.union(&row)));
            old.copy_from_slice(new);
        }
        changed
    }

    /// Returns one row of pixels. `y` must lie inside the frame.
    pub(crate) fn row_mut(&mut self, y: usize) -> &mut [u8] {
        let stride = self.width as usize * self.format.bytes();
        &mut self.data[y * stride..][..stride]
    }
}

fn length(width: u32, height: u32, format: PixelFormat) -> Result<usize, FrameError> {
    let sides = 1..=Frame::MAX_SIDE;
    if !sides.contains(&width) || !sides.contains(&height) {
        return Err(FrameError::Side { width, height });
    }
    Ok(width as usize * height as usize * format.bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_holds_the_pixels_of_its_area() {
        let data: Vec<u8> = (0..4 * 3).collect();
        let frame = Frame::new(4, 3, PixelFormat::Gray8, data).unwrap();
        let part = |x, y, width, height| frame.part(Area { x, y, width, height });
        let middle = part(1, 1, 2, 2).unwrap();
        assert_eq!(
            (middle.width(), middle.height(), middle.data()),
            (2, 2, &[5, 6, 9, 10][..])
        );
        assert_eq!(part(3, 2, 9, 9).unwrap().data(), [11]);
        assert_eq!(part(-1, -1, 2, 2).unwrap().data(), [0]);
        assert_eq!(part(4, 0, 1, 1), None);
    }

    #[test]
    fn sizes_that_disagree_are_refused() {
        let short = Frame::new(2, 2, PixelFormat::Rgb8, vec![0; 11]);
        assert!(matches!(
            short,
            Err(FrameError::Length {
                expected: 12,
                actual: 11,
                ..
            })
        ));
        for (width, height) in [(0, 1), (1, 0), (Frame::MAX_SIDE + 1, 1), (1, u32::MAX)] {
            let refused = Frame::new(width, height, PixelFormat::Gray8, Vec::new());
            assert_eq!(refused, Err(FrameError::Side { width, height }));
        }
    }

    #[test]
    fn an_update_returns_the_area_that_changed() {
        let mut frame = Frame::black(5, 4, PixelFormat::Gray8).unwrap();
        let all = Area::whole(5, 4);
        assert_eq!(frame.update(all, &[0; 20], 5), None);
        let area = Area {
            x: 1,
            y: 1,
            width: 3,
            height: 2,
        };
        let rows = [0, 7, 0, 99, 0, 0, 8, 99];
        let changed = Area {
            x: 2,
            y: 1,
            width: 2,
            height: 2,
        };
        assert_eq!(frame.update(area, &rows, 4), Some(changed));
        assert_eq!(
            frame.data(),
            [0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0]
        );
        assert_eq!(frame.update(area, &rows, 4), None);
        let mut wide = Frame::black(2, 1, PixelFormat::Bgrx8).unwrap();
        let one = Area {
            x: 1,
            ..Area::whole(1, 1)
        };
        assert_eq!(wide.update(Area::whole(2, 1), &[0, 0, 0, 0, 0, 1, 0, 0], 8), Some(one));
    }

    #[test]
    fn every_format_reads_as_the_same_color() {
        let color = Color::rgb(10, 20, 30);
        let rgb = Frame::new(1, 1, PixelFormat::Rgb8, vec![10, 20, 30]).unwrap();
        let bgrx = Frame::new(1, 1, PixelFormat::Bgrx8, vec![30, 20, 10, 99]).unwrap();
        let gray = Frame::new(1, 1, PixelFormat::Gray8, vec![7]).unwrap();
        assert_eq!(rgb.color(0, 0), Some(color));
        assert_eq!(bgrx.color(0, 0), Some(color));
        assert_eq!(gray.color(0, 0), Some(Color::rgb(7, 7, 7)));
        assert_eq!(gray.color(1, 0), None);
    }
}
