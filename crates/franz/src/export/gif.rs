//! An animation that shows each turn with a caption. A frame contains only the pixels that changed.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{BufWriter, Write};

use anyhow::{Context as _, Result};
use color_quant::NeuQuant;
use franz_frame::{Area, Color, Frame, Lettering, PixelFormat, Scaler};
use gif::{DisposalMethod, Encoder, Repeat};

use super::changed_areas::changed;
use super::recording::Recording;
use super::unfinished::Unfinished;

/// How long to show each turn but the last, and how long to show the last, in hundredths of a second.
const SHOWN: u16 = 100;
const SHOWN_LAST: u16 = 300;

/// The heights of the caption and of its letters, as fractions of the picture's width.
const CAPTION: f32 = 0.045;
const LETTERS: f32 = 0.034;
/// The smallest readable height of letters, in pixels.
const READABLE: f32 = 12.0;

/// The maximum number of colours in a frame. The 256th is transparent, for pixels that have not changed.
const COLORS: usize = 255;
/// How thoroughly to choose the colours. 1 is the best, 30 the fastest.
const THOROUGHNESS: i32 = 10;

/// Writes the chosen turns to a file.
pub(crate) fn write(recording: &Recording, width: u16, target: Unfinished) -> Result<()> {
    let turns = recording.turns();
    let mut album = Album::new(width);
    let out = BufWriter::new(target.file()?);
    let mut pages = turns.iter().map(|&turn| album.of_turn(recording, turn));
    let mut shown = pages.next().context("there is no turn")??;
    let mut encoder = Encoder::new(out, shown.width() as u16, shown.height() as u16, &[])?;
    encoder.set_repeat(Repeat::Infinite)?;
    let mut next = frame_of(None, &shown);
    for page in pages {
        let page = page?;
        encoder.write_frame(&next)?;
        next = frame_of(Some(&shown), &page);
        shown = page;
    }
    next.delay = SHOWN_LAST;
    encoder.write_frame(&next)?;
    encoder.into_inner()?.flush()?;
    Ok(target.finish()?)
}

/// Makes pages of equal size, each with a picture above its caption.
struct Album {
    width: u32,
    /// The height of all pictures, which is the height of the first one.
    height: Option<u32>,
    scaler: Scaler,
    lettering: Lettering,
}

impl Album {
    fn new(width: u16) -> Album {
        Album {
            width: u32::from(width),
            height: None,
            scaler: Scaler::new(),
            lettering: Lettering::new(),
        }
    }

    fn of_turn(&mut self, recording: &Recording, turn: u64) -> Result<Frame> {
        let recorded = recording.turn(turn)?;
        let image = recorded.as_ref().and_then(|(recorded, _)| recorded.line.image.as_ref());
        Ok(self.page(&recording.frame(turn, image), &recording.caption(turn)?))
    }

    fn page(&mut self, frame: &Frame, caption: &str) -> Frame {
        let scaled =
            |width: u32| (u64::from(frame.height()) * u64::from(width) / u64::from(frame.width())).max(1) as u32;
        let height = *self
            .height
            .get_or_insert_with(|| scaled(self.width).min(self.width * 4));
        let picture = self.scaler.scale(frame, self.width, height);
        let letters = (self.width as f32 * LETTERS).max(READABLE);
        let below = (self.width as f32 * CAPTION).max(READABLE * 1.3) as u32;
        let mut page = Frame::black(self.width, height + below, PixelFormat::Rgb8).expect("a page within bounds");
        page.data_mut()[..picture.data().len()].copy_from_slice(picture.data());
        let caption = self.fitting(caption, letters);
        let at = (letters * 0.4, height as f32 + (below as f32 - letters) / 2.0);
        // Characters without a glyph become boxes.
        let _ = self.lettering.draw_text(&mut page, &caption, at, letters, Color::WHITE);
        page
    }

    /// Returns as much of the beginning of a caption as fits.
    fn fitting<'a>(&mut self, caption: &'a str, letters: f32) -> Cow<'a, str> {
        let room = self.width as f32 - letters;
        if self.lettering.measure(caption, letters).0 <= room {
            return Cow::Borrowed(caption);
        }
        let mut short = String::new();
        for character in caption.chars() {
            if self.lettering.measure(&format!("{short}{character}…"), letters).0 > room {
                break;
            }
            short.push(character);
        }
        Cow::Owned(short + "…")
    }
}

impl Recording {
    /// Returns a caption with the turn's number and the actions in its reply.
    fn caption(&self, turn: u64) -> Result<String> {
        let actions = self.actions(turn)?;
        let words = if actions.is_empty() {
            "no action".to_owned()
        } else {
            actions.join("; ")
        };
        Ok(format!("{turn}  {}", words.replace(['\n', '\r'], " ")))
    }
}

/// Returns the GIF frame that changes one page into another.
fn frame_of(before: Option<&Frame>, page: &Frame) -> gif::Frame<'static> {
    let whole = Area::whole(page.width(), page.height());
    let point = Area {
        width: 1,
        height: 1,
        ..whole
    };
    let area = before
        .map_or(Some(whole), |before| changed(before, page))
        .unwrap_or(point);
    let new = page.part(area).expect("an area of the page");
    let old = before.and_then(|before| before.part(area));
    let new = pixels(&new);
    let old = old.as_ref().map(pixels);
    let is_new = |index: usize| old.as_ref().is_none_or(|old| old[index] != new[index]);
    let painted: Vec<[u8; 3]> = (0..new.len())
        .filter(|&index| is_new(index))
        .map(|index| new[index])
        .collect();
    let palette = Palette::of(&painted);
    let buffer = (0..new.len()).map(|index| {
        if is_new(index) {
            palette.index(new[index])
        } else {
            COLORS as u8
        }
    });
    gif::Frame {
        delay: SHOWN,
        dispose: DisposalMethod::Keep,
        transparent: Some(COLORS as u8),
        left: area.x as u16,
        top: area.y as u16,
        width: area.width as u16,
        height: area.height as u16,
        buffer: Cow::Owned(buffer.collect()),
        palette: Some(palette.colors()),
        ..gif::Frame::default()
    }
}

fn pixels(frame: &Frame) -> Vec<[u8; 3]> {
    let (pixels, _) = frame.data().as_chunks::<3>();
    pixels.to_vec()
}

/// The colours of a frame: all of them if there are few enough, otherwise the closest ones.
enum Palette {
    Exact(HashMap<[u8; 3], u8>),
    Chosen(NeuQuant, HashMap<[u8; 3], u8>),
}

impl Palette {
    fn of(painted: &[[u8; 3]]) -> Palette {
        let mut exact = HashMap::new();
        for &color in painted {
            let next = exact.len();
            if next == COLORS && !exact.contains_key(&color) {
                return Palette::chosen(painted);
            }
            exact.entry(color).or_insert(next as u8);
        }
        Palette::Exact(exact)
    }

    fn chosen(painted: &[[u8; 3]]) -> Palette {
        let rgba: Vec<u8> = painted.iter().flat_map(|&[r, g, b]| [r, g, b, 255]).collect();
        let chosen = NeuQuant::new(THOROUGHNESS, COLORS, &rgba);
        let mut known = HashMap::new();
        for &[r, g, b] in painted {
            known
                .entry([r, g, b])
                .or_insert_with(|| chosen.index_of(&[r, g, b, 255]) as u8);
        }
        Palette::Chosen(chosen, known)
    }

    fn index(&self, color: [u8; 3]) -> u8 {
        let (Palette::Exact(known) | Palette::Chosen(_, known)) = self;
        known.get(&color).copied().unwrap_or_default()
    }

    /// Returns the frame's colour table. It has 256 entries, so that the last can be transparent.
    fn colors(&self) -> Vec<u8> {
        let mut table = match self {
            Palette::Chosen(chosen, _) => chosen.color_map_rgb(),
            Palette::Exact(known) => {
                let mut table = vec![0; COLORS * 3];
                for (color, &index) in known {
                    table[usize::from(index) * 3..][..3].copy_from_slice(color);
                }
                table
            }
        };
        table.resize(256 * 3, 0);
        table
    }
}
