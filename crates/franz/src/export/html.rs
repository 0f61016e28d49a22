//! A single file that any browser can open: the dashboard's page with the run in it.

use std::collections::BTreeMap;
use std::io::{BufWriter, Write};

use anyhow::Result;
use base64_simd::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use franz_frame::{Frame, Scaler, png};
use franz_panel::export::{OfflinePage, OfflineTurn};
use franz_record::TurnLine;
use serde::Serialize;
use serde_json::value::RawValue;

use super::changed_areas::changed_areas;
use super::recording::Recording;
use super::unfinished::Unfinished;

/// How many turns to pack together.
const GROUP: usize = 20;

/// The number of turns after which a whole picture is written again, so that none has to be assembled from too many
/// parts.
const WHOLE_AFTER: u64 = 20;

/// Writes the chosen turns to a file.
pub(crate) fn write(recording: &Recording, target: Unfinished) -> Result<()> {
    let page = OfflinePage::new();
    let mut file = PageFile {
        out: BufWriter::new(target.file()?),
        pictures: BTreeMap::new(),
        shown: None,
        count: 0,
    };
    file.out.write_all(page.head.as_bytes())?;
    let turns = recording.turns();
    let mut index = Index::of(recording, &turns)?;
    for (number, group) in turns.chunks(GROUP).enumerate() {
        let mut packed = BTreeMap::new();
        for &turn in group {
            let Some(mut answer) = recording.offline_turn(turn)? else {
                continue;
            };
            answer.detail.previous = answer.detail.previous.filter(|previous| turns.contains(previous));
            answer.detail.next = answer.detail.next.filter(|next| turns.contains(next));
            file.pictures_of(recording, turn, &answer)?;
            index.summaries.push(raw(recording, answer.summary())?);
            packed.insert(turn, raw(recording, &answer)?);
        }
        let ends = group.first().zip(group.last());
        index.groups.extend(ends.map(|(first, last)| [*first, *last]));
        file.packed(&format!("turns-{number}"), &packed)?;
    }
    index.pictures = std::mem::take(&mut file.pictures);
    file.packed("index", &index)?;
    file.out.write_all(page.tail.as_bytes())?;
    file.out.flush()?;
    Ok(target.finish()?)
}

/// The data that the page starts with.
#[derive(Serialize)]
struct Index {
    run: Box<RawValue>,
    summaries: Vec<Box<RawValue>>,
    /// The first and last turn of each group.
    groups: Vec<[u64; 2]>,
    /// The pictures, by their recorded hashes.
    pictures: BTreeMap<String, PackedPicture>,
}

/// A picture made of parts, each with its position and number. The parts lie over another picture, or stand alone if
/// they make up a whole picture.
#[derive(Serialize)]
struct PackedPicture {
    width: u32,
    height: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    over: Option<String>,
    parts: Vec<(i32, i32, usize)>,
}

impl Index {
    fn of(recording: &Recording, turns: &[u64]) -> Result<Index> {
        let mut run = recording.offline_run();
        run.keep(turns);
        Ok(Index {
            run: raw(recording, &run)?,
            summaries: Vec::new(),
            groups: Vec::new(),
            pictures: BTreeMap::new(),
        })
    }
}

/// Returns a value as JSON that is safe to share, because it contains neither API keys nor redacted words.
fn raw(recording: &Recording, value: &impl Serialize) -> Result<Box<RawValue>> {
    let json = recording.cleaned(&serde_json::to_string(value)?);
    Ok(RawValue::from_string(json)?)
}

struct PageFile<W: Write> {
    out: W,
    pictures: BTreeMap<String, PackedPicture>,
    /// The last picture that was written, and the turn of the whole picture on which it is based.
    shown: Option<(String, Frame, u64)>,
    /// How many parts have been written so far.
    count: usize,
}

impl<W: Write> PageFile<W> {
    fn pictures_of(&mut self, recording: &Recording, turn: u64, answer: &OfflineTurn) -> Result<()> {
        let line: TurnLine = serde_json::from_str(answer.detail.line.get())?;
        if let Some(image) = &line.image
            && !self.pictures.contains_key(&image.sha256)
        {
            let frame = recording.frame(turn, Some(image));
            self.picture(turn, &image.sha256, &frame)?;
        }
        if let Some(plain) = &answer.detail.plain
            && !self.pictures.contains_key(plain)
            && let Ok(frame) = recording.frame_of(turn, plain)
        {
            self.picture(turn, plain, &frame)?;
        }
        for one in &line.beside {
            let hash = &one.image.sha256;
            if !self.pictures.contains_key(hash) {
                let frame = recording.frame_beside(turn, &one.image);
                let parts = vec![(0, 0, self.part(&frame)?)];
                self.keep(hash, &frame, None, parts);
            }
        }
        Ok(())
    }

    /// Writes a picture of the screen: either the parts that differ from the previous one, or all of it.
    fn picture(&mut self, turn: u64, hash: &str, frame: &Frame) -> Result<()> {
        let frame = Scaler::new().scale(frame, frame.width(), frame.height());
        let below = self.shown.take().filter(|(_, before, whole)| {
            turn - whole < WHOLE_AFTER && (before.width(), before.height()) == (frame.width(), frame.height())
        });
        let (over, parts, whole) = match below {
            Some((over, before, whole)) => {
                let mut parts = Vec::new();
                for area in changed_areas(&before, &frame) {
                    let part = frame.part(area).expect("an area of the picture");
                    parts.push((area.x, area.y, self.part(&part)?));
                }
                (Some(over), parts, whole)
            }
            None => (None, vec![(0, 0, self.part(&frame)?)], turn),
        };
        self.keep(hash, &frame, over, parts);
        self.shown = Some((hash.to_owned(), frame, whole));
        Ok(())
    }

    fn keep(&mut self, hash: &str, frame: &Frame, over: Option<String>, parts: Vec<(i32, i32, usize)>) {
        let picture = PackedPicture {
            width: frame.width(),
            height: frame.height(),
            over,
            parts,
        };
        self.pictures.insert(hash.to_owned(), picture);
    }

    /// Writes a part of a picture, and returns its number.
    fn part(&mut self, frame: &Frame) -> Result<usize> {
        let number = self.count;
        self.count += 1;
        self.element(&format!("picture-{number}"), &png::encode_small(frame)?)?;
        Ok(number)
    }

    fn packed(&mut self, id: &str, value: &impl Serialize) -> Result<()> {
        let mut packed = GzEncoder::new(Vec::new(), Compression::best());
        serde_json::to_writer(&mut packed, value)?;
        self.element(id, &packed.finish()?)
    }

    fn element(&mut self, id: &str, bytes: &[u8]) -> Result<()> {
        let base64 = STANDARD.encode_to_string(bytes);
        Ok(writeln!(
            self.out,
            "<script type=\"text/plain\" id=\"{id}\">{base64}</script>"
        )?)
    }
}
