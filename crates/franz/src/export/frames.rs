//! The pictures of turns as pixels. A grey picture with an explanation stands in for a missing one.

use franz_frame::{Color, Frame, Lettering, PixelFormat, png};
use franz_record::Image;

use super::recording::Recording;

const GREY: u8 = 96;

/// The size of a stand-in for a picture whose size is unknown.
const UNKNOWN: (u32, u32) = (640, 360);

impl Recording {
    /// Returns the picture that a turn recorded, or a grey one.
    pub(super) fn frame(&self, turn: u64, image: Option<&Image>) -> Frame {
        let Some(image) = image else {
            return grey(UNKNOWN, &format!("Turn {turn} sent no picture."));
        };
        let why = match self.frame_of(turn, &image.sha256) {
            Ok(frame) => return frame,
            Err(why) => why,
        };
        grey((image.width, image.height), &format!("Turn {turn}: {why}."))
    }

    /// Returns the picture with this hash. If there is none, notes the reason and returns it.
    pub(super) fn frame_of(&self, turn: u64, sha256: &str) -> Result<Frame, &'static str> {
        let picture = self.picture(turn, sha256)?;
        self.decoded(turn, &picture.png)
    }

    /// Returns an extra picture that was shown with the screen, or a grey one.
    pub(super) fn frame_beside(&self, turn: u64, image: &Image) -> Frame {
        let found = self.picture_beside(turn, &image.sha256);
        let frame = found.and_then(|picture| self.decoded(turn, &picture.png));
        frame.unwrap_or_else(|why| grey((image.width, image.height), &format!("Turn {turn}: {why}.")))
    }

    fn decoded(&self, turn: u64, bytes: &[u8]) -> Result<Frame, &'static str> {
        let why = "the picture cannot be read";
        png::decode(bytes).map_err(|_| {
            self.note(turn, why);
            why
        })
    }
}

/// Returns a grey picture with a sentence in the middle.
pub(super) fn grey((width, height): (u32, u32), sentence: &str) -> Frame {
    let (width, height) = match (width, height) {
        (1..=Frame::MAX_SIDE, 1..=Frame::MAX_SIDE) => (width, height),
        _ => UNKNOWN,
    };
    let data = vec![GREY; width as usize * height as usize * PixelFormat::Rgb8.bytes()];
    let mut frame = Frame::new(width, height, PixelFormat::Rgb8, data).expect("a size within bounds");
    let mut lettering = Lettering::new();
    let mut size = width as f32 / 24.0;
    let (wide, _) = lettering.measure(sentence, size);
    size *= (width as f32 * 0.9 / wide.max(1.0)).min(1.0);
    let (wide, tall) = lettering.measure(sentence, size);
    let at = ((width as f32 - wide) / 2.0, (height as f32 - tall) / 2.0);
    // Characters without a glyph become boxes.
    let _ = lettering.draw_text(&mut frame, sentence, at, size, Color::WHITE);
    frame
}
