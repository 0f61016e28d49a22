//! Represents one character as a coverage mask.

use ab_glyph::{Font, PxScale};

use crate::color::Ink;
use crate::frame::Frame;

/// The shape of a character at one size.
pub(super) struct Glyph {
    /// The distance to the next character in pixels.
    pub(super) advance: f32,
    /// Whether this box stands for a character that no font contains.
    pub(super) is_box: bool,
    /// The offset of the mask from the pen and from the top of the line.
    offset: (f32, f32),
    width: usize,
    /// Rows of `width` values; 255 means fully covered.
    mask: Vec<u8>,
}

impl Glyph {
    /// Renders the character in `font`, with one em and the baseline given in pixels.
    pub(super) fn outlined(font: &impl Font, character: char, em: f32, baseline: f32) -> Glyph {
        let units = font.units_per_em().unwrap_or(1000.0);
        let id = font.glyph_id(character);
        let scale = PxScale::from(em * font.height_unscaled() / units);
        let mut glyph = Glyph {
            advance: font.h_advance_unscaled(id) * em / units,
            is_box: false,
            offset: (0.0, 0.0),
            width: 0,
            mask: Vec::new(),
        };
        if let Some(outline) = font.outline_glyph(id.with_scale(scale)) {
            let bounds = outline.px_bounds();
            glyph.offset = (bounds.min.x, baseline.round() + bounds.min.y);
            glyph.width = bounds.width() as usize;
            glyph.mask = vec![0; glyph.width * bounds.height() as usize];
            outline.draw(|x, y, coverage| {
                let index = y as usize * glyph.width + x as usize;
                if let Some(covered) = glyph.mask.get_mut(index) {
                    *covered = (coverage * 255.0).round() as u8;
                }
            });
        }
        glyph
    }

    /// Creates an empty box that is slightly narrower than a capital.
    pub(super) fn boxed(em: f32, baseline: f32) -> Glyph {
        let (width, height) = ((em * 0.5).ceil() as usize, (em * 0.73).ceil() as usize);
        let border = ((em / 14.0).round() as usize).max(1);
        let within = |at: usize, size: usize| at >= border && at + border < size;
        let pixel = |index: usize| {
            let hollow = within(index % width, width) && within(index / width, height);
            if hollow { 0 } else { 255 }
        };
        Glyph {
            advance: em * 0.65,
            is_box: true,
            offset: ((em * 0.07).round(), baseline.round() - height as f32),
            width,
            mask: (0..width * height).map(pixel).collect(),
        }
    }

    /// Draws the glyph with the pen at `x` and the top of the line at `y`. It is aligned to whole pixels, which keeps
    /// small text crisp.
    pub(super) fn draw(&self, frame: &mut Frame, ink: &Ink, (x, y): (f32, f32)) {
        if self.width == 0 {
            return;
        }
        // Clamp the values: a float beyond i64 saturates, and the additions must not overflow.
        let whole = |value: f32| (value.round() as i64).clamp(-1 << 40, 1 << 40);
        let (left, top) = (whole(x) + whole(self.offset.0), whole(y) + whole(self.offset.1));
        let skipped = usize::try_from(-left).unwrap_or(0).min(self.width);
        for (mask, row) in self.mask.chunks_exact(self.width).zip(top..) {
            if (0..i64::from(frame.height())).contains(&row) {
                let coverages = mask[skipped..].iter().map(|&covered| f32::from(covered) / 255.0);
                let start = usize::try_from(left).unwrap_or(0);
                ink.blend(frame.row_mut(row as usize), start, coverages);
            }
        }
    }
}
