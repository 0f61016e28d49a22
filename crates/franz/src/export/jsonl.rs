//! One line of JSON per turn, with the pictures as files. Made for studying a run or training on it.

use std::collections::BTreeMap;
use std::io::{BufWriter, Write};

use anyhow::Result;
use franz_json::{Raw, members, splice};
use franz_record::digest::sha256_hex;
use franz_record::{Image, TurnLine};
use serde::Serialize;

use super::recording::Recording;
use super::request_parts::{RequestParts, with_files};
use super::unfinished::{RUN_FILE, Unfinished};

const TURNS_FILE: &str = "turns.jsonl";
const PICTURES: &str = "pictures";

/// The version of the format.
const VERSION: u32 = 1;

/// The members that a line copies byte for byte from the recorded line.
const RECORDED: [&str; 20] = [
    "started",
    "status",
    "mode",
    "goal",
    "feedback",
    "reply",
    "by",
    "reasoning",
    "reasoning_name",
    "tool_calls",
    "finish",
    "cut",
    "read_as",
    "model",
    "usage",
    "attempts",
    "ms",
    "change",
    "elements",
    "errors",
];

/// Data that is stored only once for all turns.
#[derive(Serialize)]
struct ExportedRun {
    v: u32,
    franz: &'static str,
    run: String,
    turns: usize,
    /// System prompts, by the SHA-256 of their JSON.
    system: BTreeMap<String, Raw>,
    /// Arrays of tools, by the SHA-256 of their JSON.
    tools: BTreeMap<String, Raw>,
}

/// A picture's entry in a line.
#[derive(Serialize)]
struct PictureEntry<'a> {
    file: &'a str,
    sha256: &'a str,
    width: u32,
    height: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    words: Option<&'a str>,
}

/// Writes the run into a directory.
pub(crate) fn write(recording: &Recording, target: Unfinished) -> Result<()> {
    target.directory()?;
    target.directory_within(PICTURES)?;
    let mut lines = BufWriter::new(target.file_within(TURNS_FILE)?);
    let mut writer = LineWriter {
        recording,
        target: &target,
        run: ExportedRun {
            v: VERSION,
            franz: env!("CARGO_PKG_VERSION"),
            run: recording.cleaned_text(&recording.name()),
            turns: 0,
            system: BTreeMap::new(),
            tools: BTreeMap::new(),
        },
        pictures: BTreeMap::new(),
    };
    for turn in recording.turns() {
        if let Some(line) = writer.line(turn)? {
            writeln!(lines, "{line}")?;
            writer.run.turns += 1;
        }
    }
    lines.flush()?;
    let run = writer.run;
    let mut file = BufWriter::new(target.file_within(RUN_FILE)?);
    serde_json::to_writer_pretty(&mut file, &run)?;
    file.flush()?;
    Ok(target.finish()?)
}

struct LineWriter<'a> {
    recording: &'a Recording,
    target: &'a Unfinished,
    run: ExportedRun,
    /// The pictures' files, by the hashes under which the pictures were recorded.
    pictures: BTreeMap<String, (String, String)>,
}

impl LineWriter<'_> {
    fn line(&mut self, turn: u64) -> Result<Option<String>> {
        let Some((recorded, line)) = self.recording.turn(turn)? else {
            return Ok(None);
        };
        let TurnLine { image, beside, .. } = &recorded.line;
        let (picture, why) = match image {
            Some(image) => self.picture(turn, image, None)?,
            None => ("null".to_owned(), Some("none was sent")),
        };
        let mut others = Vec::new();
        for one in beside {
            others.push(
                self.picture(turn, &one.image, Some(&self.recording.cleaned_text(&one.words)))?
                    .0,
            );
        }
        let [system, tools, request] = self.request(turn)?;
        let story = recorded.story.as_ref().map(|story| self.recording.cleaned(story.raw()));
        let verdict = recorded
            .verdicts
            .last()
            .map(|verdict| serde_json::to_string(&verdict.verdict));
        let null = || "null".to_owned();
        let mut all = vec![
            ("v", VERSION.to_string()),
            ("turn", turn.to_string()),
            ("system", system),
            ("tools", tools),
            ("request", request),
            ("story", story.unwrap_or_else(null)),
            ("picture", picture),
        ];
        all.extend(why.map(|why| ("picture_missing", Raw::string(why).get().to_owned())));
        if !others.is_empty() {
            all.push(("beside", format!("[{}]", others.join(","))));
        }
        let replied = recorded.line.reply.is_some() || recorded.line.tool_calls.is_some();
        let actions = if replied { self.recording.outcomes(turn)? } else { None };
        all.push(("actions", actions.unwrap_or_else(null)));
        all.push(("verdict", verdict.transpose()?.unwrap_or_else(null)));
        let values = members(&line, RECORDED).unwrap_or_default();
        let values = RECORDED.iter().zip(values);
        all.extend(values.filter_map(|(name, value)| Some((*name, value?.get().to_owned()))));
        Ok(Some(splice(all)))
    }

    /// Returns the hash of the system prompt, the hash of the tools, and the rest of the request.
    fn request(&mut self, turn: u64) -> Result<[String; 3]> {
        let null = || "null".to_owned();
        let Some(request) = self.recording.request(turn) else {
            return Ok([null(), null(), null()]);
        };
        let request = with_files(&request, |hash| {
            let (known, (file, _)) = self.pictures.range(hash.to_owned()..).next()?;
            known.starts_with(hash).then(|| file.clone())
        });
        let Some(parts) = RequestParts::of(&request) else {
            return Ok([null(), null(), request]);
        };
        let system = kept(&mut self.run.system, parts.system)?;
        let tools = kept(&mut self.run.tools, parts.tools)?;
        Ok([system, tools, parts.rest])
    }

    /// Returns the entry of a picture, and writes the picture's file if it is new. If there is no picture, the entry is
    /// null and comes with the reason.
    fn picture(&mut self, turn: u64, image: &Image, words: Option<&str>) -> Result<(String, Option<&'static str>)> {
        if !self.pictures.contains_key(&image.sha256) {
            let found = match words {
                None => self.recording.picture(turn, &image.sha256),
                Some(_) => self.recording.picture_beside(turn, &image.sha256),
            };
            let picture = match found {
                Ok(picture) => picture,
                Err(why) => return Ok(("null".to_owned(), Some(why))),
            };
            let file = format!("{PICTURES}/{}.png", picture.sha256);
            if !self.pictures.values().any(|(other, _)| *other == file) {
                self.target.file_within(&file)?.write_all(&picture.png)?;
            }
            self.pictures.insert(image.sha256.clone(), (file, picture.sha256));
        }
        let (file, sha256) = &self.pictures[&image.sha256];
        let entry = PictureEntry {
            file,
            sha256,
            width: image.width,
            height: image.height,
            words,
        };
        Ok((serde_json::to_string(&entry)?, None))
    }
}

/// Stores a part that many requests share, and returns its hash as JSON.
fn kept(all: &mut BTreeMap<String, Raw>, part: Option<String>) -> Result<String> {
    let Some(part) = part else { return Ok("null".to_owned()) };
    let hash = sha256_hex(part.as_bytes());
    let json = format!("\"{hash}\"");
    all.insert(hash, Raw::parse(&part)?);
    Ok(json)
}
