//! Writes text on frames.

mod fallback;
mod glyph;
mod missing;

use std::collections::HashMap;

use ab_glyph::{Font, FontRef};

use crate::color::{Ink, Paint};
use crate::frame::Frame;
use glyph::Glyph;

pub use missing::Missing;

/// `DejaVu Sans`: Latin, Greek, Cyrillic and symbols. A file next to it documents how the subset was made.
const BUNDLED: &[u8] = include_bytes!("../assets/DejaVuSans-subset.ttf");

/// The width of a tab in spaces.
const TAB_SPACES: f32 = 4.0;

/// The largest number of glyphs in the cache. Beyond that it is cleared, so that it cannot grow without limit.
const MOST_GLYPHS: usize = 2_000;

/// The sizes that can be drawn, in pixels; other sizes are clamped to this range.
const SIZES: std::ops::RangeInclusive<f32> = 1.0..=512.0;

/// Writes text in one typeface and caches the glyphs it has drawn.
///
/// A size is the line height in pixels, from the tops of the tallest letters to the bottoms of the lowest; capitals
/// take up about six tenths of it. `\n` breaks the line, and `\t` is four spaces wide. `\r` and characters without a
/// shape are skipped.
///
/// ```
/// use franz_frame::{Color, Frame, Lettering, PixelFormat};
///
/// let mut frame = Frame::black(160, 48, PixelFormat::Gray8)?;
/// let mut lettering = Lettering::new();
/// let missing = lettering.draw_text(&mut frame, "Grüße, мир", (4.0, 4.0), 24.0, Color::WHITE);
/// assert!(missing.is_empty());
/// # Ok::<(), franz_frame::FrameError>(())
/// ```
pub struct Lettering {
    bundled: FontRef<'static>,
    glyphs: HashMap<(char, u32), Glyph>,
}

impl Default for Lettering {
    fn default() -> Lettering {
        Lettering::new()
    }
}

impl Lettering {
    /// Creates a lettering with the bundled font and an empty cache.
    pub fn new() -> Lettering {
        Lettering {
            bundled: FontRef::try_from_slice(BUNDLED).expect("the bundled font is a font"),
            glyphs: HashMap::new(),
        }
    }

    /// Returns the width of the widest line and the height of all lines, in pixels.
    pub fn measure(&mut self, text: &str, size: f32) -> (f32, f32) {
        self.walk(text, size, |_, _, _, _| ())
    }

    /// Writes `text` with the top left corner of its first line at position `at`. Returns the characters that had to be
    /// drawn as boxes.
    pub fn draw_text(
        &mut self,
        frame: &mut Frame,
        text: &str,
        at: (f32, f32),
        size: f32,
        paint: impl Into<Paint>,
    ) -> Missing {
        let ink = Ink::new(paint.into(), frame.format());
        let mut missing = Missing::default();
        self.walk(text, size, |character, x, y, glyph| {
            glyph.draw(frame, &ink, (at.0 + x, at.1 + y));
            if glyph.is_box {
                missing.add(character);
            }
        });
        missing
    }

    /// Calls `visit` for each glyph with its position relative to the text's top left corner. Returns the width of the
    /// widest line and the height of all lines.
    fn walk(&mut self, text: &str, size: f32, mut visit: impl FnMut(char, f32, f32, &Glyph)) -> (f32, f32) {
        let (mut x, mut line, mut widest) = (0.0, 0, 0.0f32);
        for character in text.chars() {
            match character {
                '\n' => {
                    x = 0.0;
                    line += 1;
                }
                '\t' => {
                    let space = self.glyph(' ', size);
                    x += space.advance * TAB_SPACES;
                }
                shapeless if is_shapeless(shapeless) => {}
                character => {
                    let glyph = self.glyph(character, size);
                    visit(character, x, line as f32 * line_height(size), glyph);
                    x += glyph.advance;
                }
            }
            widest = widest.max(x);
        }
        (widest, (line + 1) as f32 * line_height(size))
    }

    fn glyph(&mut self, character: char, size: f32) -> &Glyph {
        let size = line_height(size);
        let key = (character, size.to_bits());
        if self.glyphs.len() >= MOST_GLYPHS && !self.glyphs.contains_key(&key) {
            self.glyphs.clear();
        }
        let bundled = &self.bundled;
        self.glyphs.entry(key).or_insert_with(|| {
            // One em is the same for every font, whatever line height the font specifies. The baseline is that of the
            // bundled font.
            let em = size * bundled.units_per_em().unwrap_or(1.0) / bundled.height_unscaled();
            let baseline = size * bundled.ascent_unscaled() / bundled.height_unscaled();
            if bundled.glyph_id(character).0 != 0 {
                return Glyph::outlined(bundled, character, em, baseline);
            }
            let outlined = fallback::drawn(character, |font| Glyph::outlined(&font, character, em, baseline));
            outlined.unwrap_or_else(|| Glyph::boxed(em, baseline))
        })
    }
}

/// Returns the line height of text in this size.
fn line_height(size: f32) -> f32 {
    // `max` turns NaN into the smallest size.
    size.max(*SIZES.start()).min(*SIZES.end())
}

/// Returns whether a character changes its neighbours but has no shape of its own: joiners, direction marks, variation
/// selectors.
fn is_shapeless(character: char) -> bool {
    matches!(character, '\r' | '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}'
        | '\u{2066}'..='\u{2069}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{e0100}'..='\u{e01ef}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::color::Color;
    use crate::pixel_format::PixelFormat;
    use proptest::prelude::*;

    /// A noncharacter, which no font can contain.
    const NOWHERE: &str = "\u{10fffe}";

    fn written(text: &str, size: f32) -> (Frame, Missing) {
        let mut frame = Frame::black(300, 120, PixelFormat::Gray8).unwrap();
        let missing = Lettering::new().draw_text(&mut frame, text, (10.0, 10.0), size, Color::WHITE);
        (frame, missing)
    }

    /// Returns the left, top, right and bottom edges of everything that is not black.
    fn bounds(frame: &Frame) -> Option<(u32, u32, u32, u32)> {
        let width = frame.width();
        let lit = |&(_, value): &(usize, &u8)| *value > 0;
        let places = frame.data().iter().enumerate().filter(lit);
        places
            .map(|(index, _)| (index as u32 % width, index as u32 / width))
            .fold(None, |bounds, (x, y)| {
                let (left, top, right, bottom) = bounds.unwrap_or((x, y, x, y));
                Some((left.min(x), top.min(y), right.max(x), bottom.max(y)))
            })
    }

    #[test]
    fn the_bundled_font_covers_the_alphabets_it_is_meant_to() {
        let text = "The quick brown fox 0123456789 (x, y) €äöüß ąęłž Ωλφ Жщя “—” → ⇐ ∑ ≤ ┌─┐ █ ● ◆ ☺ ♥ ♫ ✓ ✗";
        let lettering = Lettering::new();
        for character in text.chars() {
            assert_ne!(lettering.bundled.glyph_id(character).0, 0, "{character}");
        }
    }

    #[test]
    fn drawn_text_lies_within_what_was_measured() {
        for size in [9.0, 24.0, 48.0] {
            let (frame, missing) = written("Agjp (1,2)", size);
            let (width, height) = Lettering::new().measure("Agjp (1,2)", size);
            let (left, top, right, bottom) = bounds(&frame).unwrap();
            assert!(missing.is_empty());
            assert!(left >= 9 && top >= 9, "{left}, {top}");
            assert!(right as f32 <= 11.0 + width && bottom as f32 <= 11.0 + height);
            assert!(
                right as f32 >= 0.9 * width,
                "the text is not much narrower than measured"
            );
        }
    }

    #[test]
    fn line_breaks_and_tabs_move_the_pen() {
        let mut lettering = Lettering::new();
        let (one, line) = lettering.measure("ab", 20.0);
        let (two, lines) = lettering.measure("ab\nab", 20.0);
        assert!((one - two).abs() < 0.01 && (lines - 2.0 * line).abs() < 0.01);
        let (tab, _) = lettering.measure("\ta", 20.0);
        let (spaces, _) = lettering.measure("    a", 20.0);
        assert!((tab - spaces).abs() < 0.01);
        let (tab, _) = lettering.measure("a\t", 20.0);
        let (spaces, _) = lettering.measure("a    ", 20.0);
        assert!((tab - spaces).abs() < 0.01, "also at the end");
    }

    #[test]
    fn a_character_without_a_font_is_a_box_and_is_reported_once() {
        let (frame, missing) = written(&format!("{NOWHERE}{NOWHERE}"), 40.0);
        assert_eq!(missing.characters(), ['\u{10fffe}']);
        assert!(bounds(&frame).is_some());
    }

    #[test]
    fn shapeless_characters_take_no_room() {
        let mut lettering = Lettering::new();
        assert_eq!(
            lettering.measure("a\u{200d}\u{fe0f}\r", 20.0),
            lettering.measure("a", 20.0)
        );
    }

    #[test]
    fn the_cache_stays_bounded() {
        let mut lettering = Lettering::new();
        for size in 1..400 {
            lettering.measure("0123456789", size as f32);
        }
        assert!(lettering.glyphs.len() <= MOST_GLYPHS);
    }

    proptest! {
        #[test]
        fn no_text_size_or_place_panics(
            text in "[ -~äЖ→\\n\\t\\r\u{10fffe}]{0,8}",
            x in prop_oneof![-100.0f32..100.0, prop::num::f32::ANY],
            y in prop_oneof![-100.0f32..100.0, prop::num::f32::ANY],
            size in prop_oneof![0.0f32..60.0, prop::num::f32::ANY],
            side in 1u32..40,
        ) {
            let mut frame = Frame::black(side, side, PixelFormat::Rgb8).unwrap();
            let mut lettering = Lettering::new();
            lettering.measure(&text, size);
            let _ = lettering.draw_text(&mut frame, &text, (x, y), size, Color::WHITE);
        }
    }
}
