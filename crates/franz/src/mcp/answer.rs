//! A call's result in the form that the host gets: words, and a picture that is small enough for the host.

use base64_simd::STANDARD;
use franz_frame::{Frame, PixelFormat, png};
use jpeg_encoder::{ColorType, Encoder};
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::json;

use super::asked::{Asked, News};
use super::handover::Told;

/// The maximum size of a result in bytes. Claude Desktop refuses a megabyte.
const LARGEST: usize = 990_000;

/// The bytes in a result besides its words and the picture.
const FRAMING: usize = 2_000;

/// The JPEG qualities to try, from best to worst, for a picture that is too large as a PNG.
const QUALITIES: [u8; 4] = [90, 75, 50, 25];

const TOO_LARGE: &str = "The picture is too large for a result; zoom shows a part of it. The person can make pictures smaller: --set image.width=1024 --set image.height=576";

const DROPPED: &str =
    "perhaps not performed: FRANZ was interrupted as it received the call. Look at the screen before you repeat it";

const NO_FURTHER: &str = "No further calls are performed until the person restarts this server";

/// Returns the result that tells the host about a call.
pub(super) fn of(told: Told, shows: bool) -> CallToolResult {
    match told {
        Told::Done(asked) => done(asked, shows),
        Told::Withdrawn => failure("withdrawn before it was performed"),
        Told::Ended(why) => failure(&format!(
            "not performed, because the run has ended: {why}. {NO_FURTHER}"
        )),
        Told::Dropped => failure(DROPPED),
        Told::Cut(why) => failure(&format!(
            "perhaps performed, wholly or in part: the run has ended: {why}. {NO_FURTHER}"
        )),
    }
}

/// Returns an error that the host's model reads.
pub(super) fn failure(words: &str) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(words)])
}

fn done(asked: Asked, shows: bool) -> CallToolResult {
    let is_shown = |news: &News| shows || matches!(news, News::Words(_));
    let news: Vec<News> = asked.news.into_iter().filter(is_shown).collect();
    let words: usize = news.iter().map(written).sum();
    let pictures = news.iter().filter(|news| matches!(news, News::Picture { .. })).count();
    let room = LARGEST.saturating_sub(words + FRAMING) / pictures.max(1);
    let content = news.into_iter().map(|news| match news {
        News::Words(words) => ContentBlock::text(words),
        News::Picture { media_type, data } => match fitting((media_type, data), room) {
            Some((media_type, data)) => ContentBlock::image(data, media_type),
            None => ContentBlock::text(TOO_LARGE),
        },
    });
    if asked.failed {
        CallToolResult::error(content.collect())
    } else {
        CallToolResult::success(content.collect())
    }
}

/// Returns how many bytes the words take up in a result.
fn written(news: &News) -> usize {
    match news {
        News::Words(words) => json!(words).to_string().len(),
        News::Picture { .. } => 0,
    }
}

/// Returns the picture in at most this many bytes of base64, either unchanged or as a JPEG.
fn fitting((media_type, data): (String, String), room: usize) -> Option<(String, String)> {
    if data.len() <= room {
        return Some((media_type, data));
    }
    let frame = png::decode(&STANDARD.decode_to_vec(&data).ok()?).ok()?;
    let smaller = QUALITIES.iter().filter_map(|quality| jpeg(&frame, *quality));
    let fits = |jpeg: &Vec<u8>| STANDARD.encoded_length(jpeg.len()) <= room;
    let jpeg = smaller.into_iter().find(fits)?;
    Some(("image/jpeg".to_owned(), STANDARD.encode_to_string(jpeg)))
}

fn jpeg(frame: &Frame, quality: u8) -> Option<Vec<u8>> {
    let colors = match frame.format() {
        PixelFormat::Gray8 => ColorType::Luma,
        PixelFormat::Rgb8 => ColorType::Rgb,
        PixelFormat::Bgrx8 => ColorType::Bgra,
    };
    let width = u16::try_from(frame.width()).ok()?;
    let height = u16::try_from(frame.height()).ok()?;
    let mut bytes = Vec::new();
    let encoder = Encoder::new(&mut bytes, quality);
    encoder.encode(frame.data(), width, height, colors).ok()?;
    Some(bytes)
}

#[cfg(test)]
mod tests;
