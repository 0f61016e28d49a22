//! Searches the text of a run. A quick look at the bytes rules out most lines, so only the few that might match are
//! parsed.

use std::sync::Arc;

use franz_json::literal::decode;
use franz_record::Acted;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::excerpt::Excerpt;
use super::matcher::Matcher;
use super::place::LinePosition;
use super::{History, HistoryError};
use franz_secret::Secret;

/// How many bytes to read at a time, unless a line is longer.
const BLOCK: u64 = 4 << 20;

/// The matches, newest first.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub struct SearchResult {
    /// The matches, at most one for each turn and field.
    pub hits: Vec<Hit>,
    /// Whether there are more matches than requested.
    pub more: bool,
}

/// A match in a turn.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Hit {
    /// The turn.
    pub turn: u64,
    /// The part of the turn that contains the match.
    pub field: Field,
    /// A few words around the match.
    pub excerpt: String,
    /// The number of UTF-16 units before the match in the excerpt.
    pub at: usize,
    /// The number of UTF-16 units in the match.
    pub length: usize,
}

/// A searchable part of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Field {
    /// The story that was sent. Not searched if it is the previous reply, which is searched anyway.
    Story,
    /// The reply.
    Reply,
    /// The feedback to the model about its actions.
    Feedback,
    /// The goal.
    Goal,
    /// The actions and their outcomes.
    Actions,
    /// The errors.
    Errors,
}

/// The searchable parts of a line, as recorded.
#[derive(Deserialize)]
struct Texts<'a> {
    #[serde(default, borrow)]
    story: Option<&'a RawValue>,
    #[serde(default, borrow)]
    reply: Option<&'a RawValue>,
    #[serde(default, borrow)]
    feedback: Option<&'a RawValue>,
    #[serde(default, borrow)]
    goal: Option<&'a RawValue>,
    #[serde(default, borrow)]
    acted: Option<&'a RawValue>,
    #[serde(default, borrow)]
    errors: Option<&'a RawValue>,
}

impl History {
    /// Returns up to `limit` matches for `text`, ignoring case. The secret is removed before the search, so that nobody
    /// can find it out by searching.
    pub fn search(&self, text: &str, limit: usize, secret: &Secret) -> Result<SearchResult, HistoryError> {
        let mut found = SearchResult::default();
        let Some(needle) = Matcher::new(text) else {
            return Ok(found);
        };
        let index = self.up_to_date();
        let turns = index.below(None).filter_map(|turn| index.known(turn));
        let places: Vec<(u64, LinePosition)> = turns.map(|known| (known.turn, known.place)).collect();
        drop(index);
        for block in blocks(&places) {
            let Some((start, bytes)) = read(block)? else { continue };
            for (turn, place) in block {
                let line = usize::try_from(place.offset - start)
                    .ok()
                    .and_then(|from| bytes.get(from..));
                let line = line
                    .and_then(|line| line.get(..place.length as usize))
                    .unwrap_or_default();
                if needle.may_be_in(line) {
                    found.hits.extend(hits(*turn, &secret.bytes(line), &needle));
                }
                if found.hits.len() > limit {
                    found.hits.truncate(limit);
                    found.more = true;
                    return Ok(found);
                }
            }
        }
        Ok(found)
    }
}

/// Groups lines that can be read together, because they are close to each other in one file.
fn blocks(places: &[(u64, LinePosition)]) -> Vec<&[(u64, LinePosition)]> {
    let mut blocks = Vec::new();
    let mut rest = places;
    while let Some((_, first)) = rest.first() {
        let end = first.offset + u64::from(first.length);
        // The lines come newest first, so each one is before the previous one in the file, unless a turn was recorded
        // again.
        let near = |place: &LinePosition| {
            Arc::ptr_eq(&place.file, &first.file) && place.offset <= first.offset && end - place.offset <= BLOCK
        };
        let count = 1 + rest.iter().skip(1).take_while(|(_, place)| near(place)).count();
        let (block, others) = rest.split_at(count);
        blocks.push(block);
        rest = others;
    }
    blocks
}

/// Reads the bytes from the first to the last of these lines, which are all in one file. Also returns the offset of the
/// first byte.
fn read(block: &[(u64, LinePosition)]) -> Result<Option<(u64, Vec<u8>)>, HistoryError> {
    let start = block.iter().map(|(_, place)| place.offset).min();
    let end = block
        .iter()
        .map(|(_, place)| place.offset + u64::from(place.length))
        .max();
    let (Some(start), Some(end), Some((_, first))) = (start, end, block.first()) else {
        return Ok(None);
    };
    let length = usize::try_from(end - start).unwrap_or(usize::MAX);
    Ok(Some((start, first.file.read(start, length)?)))
}

/// Returns the matches in one line. The secret has already been removed from the line.
fn hits(turn: u64, line: &[u8], needle: &Matcher) -> Vec<Hit> {
    let Ok(texts) = serde_json::from_slice::<Texts<'_>>(line) else {
        return Vec::new();
    };
    let fields = [
        (Field::Story, texts.story),
        (Field::Reply, texts.reply),
        (Field::Feedback, texts.feedback),
        (Field::Goal, texts.goal),
        (Field::Actions, texts.acted),
        (Field::Errors, texts.errors),
    ];
    let there = fields.into_iter().filter_map(|(field, raw)| Some((field, raw?.get())));
    let candidates = there.filter(|(_, raw)| needle.may_be_in(raw.as_bytes()));
    let hits = candidates.filter_map(|(field, raw)| {
        let text = text(field, raw);
        let excerpt = Excerpt::of(&text, needle.find(&text)?)?;
        Some(Hit {
            turn,
            field,
            excerpt: excerpt.text,
            at: excerpt.at,
            length: excerpt.length,
        })
    });
    hits.collect()
}

/// Returns a field in the form that people read.
fn text(field: Field, raw: &str) -> String {
    match field {
        Field::Actions => actions(raw),
        Field::Errors => list(raw),
        _ if raw.starts_with('"') => decode(raw),
        _ => String::new(),
    }
}

fn actions(raw: &str) -> String {
    let acted: Vec<Acted> = serde_json::from_str(raw).unwrap_or_default();
    let lines = acted.into_iter().map(|acted| match acted.outcome.why() {
        Some(why) => format!("{}: {why}", acted.action),
        None => acted.action,
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn list(raw: &str) -> String {
    let texts: Vec<&RawValue> = serde_json::from_str(raw).unwrap_or_default();
    texts
        .iter()
        .map(|text| decode(text.get()))
        .collect::<Vec<_>>()
        .join("\n")
}
