//! Paints masks: a dark, hatched area with its name, entirely in grey.

use franz_frame::{Area, Color, Frame, Lettering, PixelFormat};

use super::cover::{Cover, MaskedPart};

const DARK: u8 = 0x20;
const LINE: u8 = 0x68;
const NAME: u8 = 0xe0;

/// The distance between hatching lines, as a share of the picture's height and at least this many pixels: the lines
/// must be visible in the small picture that a model gets.
const LINES: (u32, u32) = (36, 8);

/// The height of a name, as a share of the picture's height and at least this many pixels.
const LETTERS: (u32, f32) = (22, 9.0);

/// The space around a name, in pixels.
const SPACE: u32 = 3;

/// Paints masks.
#[derive(Default)]
pub(super) struct Painter {
    lettering: Lettering,
}

impl Painter {
    /// Paints over everything that is covered.
    pub(super) fn paint(&mut self, frame: &mut Frame, cover: &Cover) {
        let whole = Area::whole(frame.width(), frame.height());
        let distance = (frame.height() / LINES.0).max(LINES.1);
        for part in &cover.parts {
            let Some(area) = part.area.intersection(&whole) else {
                continue;
            };
            fill(frame, area, |x, y| {
                let is_line = (x + y) % distance < distance / 4;
                if is_line { LINE } else { DARK }
            });
        }
        for part in &cover.parts {
            self.write(frame, part);
        }
    }

    /// Writes a part's name at its top left, as large as the limits and the space allow.
    fn write(&mut self, frame: &mut Frame, part: &MaskedPart) {
        let room = |side: u32| side.saturating_sub(4 * SPACE) as f32;
        let (width, height) = (room(part.area.width), room(part.area.height));
        let wanted = (frame.height() / LETTERS.0) as f32;
        let (wide, _) = self.lettering.measure(&part.name, wanted.max(LETTERS.1));
        let size = wanted
            .max(LETTERS.1)
            .min(height)
            .min(wanted.max(LETTERS.1) * width / wide.max(1.0))
            .floor();
        if size < LETTERS.1 {
            return;
        }
        let (wide, high) = self.lettering.measure(&part.name, size);
        let plate = Area {
            x: part.area.x.saturating_add_unsigned(SPACE),
            y: part.area.y.saturating_add_unsigned(SPACE),
            width: wide.ceil() as u32 + 2 * SPACE,
            height: high.ceil() as u32 + 2 * SPACE,
        };
        let Some(plate) = plate.intersection(&part.area) else {
            return;
        };
        fill(frame, plate, |_, _| DARK);
        let at = ((plate.x as u32 + SPACE) as f32, (plate.y as u32 + SPACE) as f32);
        let _boxes = self
            .lettering
            .draw_text(frame, &part.name, at, size, Color::rgb(NAME, NAME, NAME));
    }
}

/// Gives each pixel of an area, which must be inside the frame, a shade of grey.
fn fill(frame: &mut Frame, area: Area, shade: impl Fn(u32, u32) -> u8) {
    let (step, width) = (frame.format().bytes(), frame.width() as usize);
    let is_padded = frame.format() == PixelFormat::Bgrx8;
    let (left, top) = (area.x as u32, area.y as u32);
    let rows = frame.data_mut().chunks_exact_mut(width * step).skip(top as usize);
    for (y, row) in (top..).zip(rows.take(area.height as usize)) {
        let pixels = row.chunks_exact_mut(step).skip(left as usize);
        for (x, pixel) in (left..).zip(pixels.take(area.width as usize)) {
            pixel.fill(shade(x, y));
            if is_padded {
                pixel[3] = 0;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const FORMATS: [PixelFormat; 3] = [PixelFormat::Gray8, PixelFormat::Rgb8, PixelFormat::Bgrx8];

    fn part(area: Area, name: &str) -> MaskedPart {
        MaskedPart {
            area,
            name: name.to_owned(),
            window: None,
        }
    }

    /// Returns a frame without any grey in its colours.
    fn colourful(width: u32, height: u32, format: PixelFormat) -> Frame {
        let length = width as usize * height as usize * format.bytes();
        let data = (0..length).map(|at| [250, 3, 90, 0][at % format.bytes()]).collect();
        Frame::new(width, height, format, data).unwrap()
    }

    #[test]
    fn a_mask_is_hatched_and_named() {
        let mut frame = colourful(400, 300, PixelFormat::Bgrx8);
        let area = Area {
            x: 20,
            y: 30,
            width: 200,
            height: 100,
        };
        let parts = vec![part(area, "Passwords")];
        Painter::default().paint(&mut frame, &Cover { parts });
        let shades = |from: Area| -> std::collections::BTreeSet<u8> {
            let part = frame.part(from).unwrap();
            part.data().chunks(4).map(|pixel| pixel[0]).collect()
        };
        assert!(shades(area).contains(&NAME), "no name");
        let below = Area {
            y: 80,
            height: 50,
            ..area
        };
        assert_eq!(shades(below).into_iter().collect::<Vec<_>>(), [DARK, LINE]);
    }

    proptest! {
        #[test]
        fn nothing_is_left_under_a_mask_and_nothing_else_is_touched(
            (x, y, width, height) in (-30..130i32, -30..90i32, 1..150u32, 1..120u32),
            format in 0..3usize,
            name in "[a-zäß ]{0,20}",
        ) {
            let before = colourful(120, 80, FORMATS[format]);
            let area = Area { x, y, width, height };
            let mut cover = Cover::default();
            cover.add(Area::whole(120, 80), part(area, &name));
            let mut frame = before.clone();
            Painter::default().paint(&mut frame, &cover);
            // Whatever was there before, the result is the same.
            let mut other = Frame::black(120, 80, FORMATS[format]).unwrap();
            Painter::default().paint(&mut other, &cover);
            for (column, row) in (0..120).flat_map(|column| (0..80).map(move |row| (column, row))) {
                let now = frame.color(column, row).unwrap();
                if area.contains(column as i32, row as i32) {
                    prop_assert_eq!(Some(now), other.color(column, row));
                } else {
                    prop_assert_eq!(Some(now), before.color(column, row));
                }
            }
        }
    }
}
