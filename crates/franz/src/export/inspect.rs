//! A log for Inspect's viewer, <https://inspect.aisi.org.uk/eval-logs.html>: the run is one sample.

use std::collections::BTreeMap;
use std::io::{BufWriter, Write};

use anyhow::{Result, bail};
use base64_simd::STANDARD;
use franz_json::text;
use franz_record::{RunEnd, Tokens, TurnLine};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::recording::Recording;
use super::request_parts::RequestParts;
use super::unfinished::Unfinished;

/// The version of the log's format.
const VERSION: u32 = 2;

/// Stands for a picture in a message. The picture's key in the attachments follows.
const ATTACHMENT: &str = "attachment://";

#[derive(Serialize)]
struct InspectLog<'a> {
    version: u32,
    status: &'static str,
    eval: Value,
    stats: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Value>,
    samples: [Sample<'a>; 1],
}

#[derive(Serialize)]
struct Sample<'a> {
    id: String,
    epoch: u32,
    input: Value,
    target: &'static str,
    messages: Vec<Box<RawValue>>,
    output: Value,
    model_usage: Value,
    metadata: Value,
    attachments: Attachments<'a>,
}

/// The pictures. Each one is read only when it is written, because together they might not fit in memory.
struct Attachments<'a> {
    recording: &'a Recording,
    /// For each picture, by its recorded hash: the turn, and whether it is an extra picture.
    pictures: BTreeMap<String, (u64, bool)>,
}

/// Writes the chosen turns to a file.
pub(crate) fn write(recording: &Recording, end: Option<&RunEnd>, target: Unfinished) -> Result<()> {
    let mut conversation = Messages {
        recording,
        said: Vec::new(),
        pictures: BTreeMap::new(),
    };
    let mut used: BTreeMap<String, Tokens> = BTreeMap::new();
    let mut ends: Option<(TurnLine, TurnLine)> = None;
    for turn in recording.turns() {
        let Some((recorded, _)) = recording.turn(turn)? else {
            continue;
        };
        if ends.is_none() {
            conversation.system(turn)?;
        }
        let line = recorded.line;
        conversation.turn(&line)?;
        let model = recording.cleaned_text(line.model.as_deref().unwrap_or_default());
        let tokens = used.entry(model).or_default();
        tokens.add(Tokens::of(&line));
        let first = ends.take().map_or_else(|| line.clone(), |(first, _)| first);
        ends = Some((first, line));
    }
    let Messages { said, pictures, .. } = conversation;
    let Some((first, line)) = ends else {
        bail!("none of the turns can be read")
    };
    let name = recording.cleaned_text(&recording.name());
    let began = &first.started;
    let model = line
        .model
        .clone()
        .or(first.model)
        .unwrap_or_else(|| "unknown".to_owned());
    let usage: BTreeMap<String, Value> = used.into_iter().map(|(model, tokens)| (model, usage(tokens))).collect();
    let (status, error) = status(recording, end);
    let log = InspectLog {
        version: VERSION,
        status,
        eval: cleaned(
            recording,
            &json!({
                "created": began,
                "task": name,
                "task_version": 0,
                "dataset": { "name": "franz", "samples": 1, "sample_ids": [name] },
                "model": model,
                "config": {},
                "packages": { "franz": env!("CARGO_PKG_VERSION") },
            }),
        )?,
        stats: json!({
            "started_at": began,
            "completed_at": end.map_or(&line.started, |end| &end.at),
            "model_usage": usage,
        }),
        error,
        samples: [Sample {
            id: name.clone(),
            epoch: 1,
            input: Value::String(recording.cleaned_text(line.goal.as_deref().unwrap_or_default())),
            target: "",
            messages: said,
            output: output(recording, &line, &model)?,
            model_usage: json!(usage),
            metadata: json!({ "turns": line.turn, "end": end.map(|end| recording.cleaned_text(&end.reason)) }),
            attachments: Attachments { recording, pictures },
        }],
    };
    let mut file = BufWriter::new(target.file()?);
    serde_json::to_writer(&mut file, &log)?;
    file.flush()?;
    Ok(target.finish()?)
}

/// The messages of the run, in order.
struct Messages<'a> {
    recording: &'a Recording,
    said: Vec<Box<RawValue>>,
    pictures: BTreeMap<String, (u64, bool)>,
}

impl Messages<'_> {
    /// Adds the system prompt, if the turn's request is in the log.
    fn system(&mut self, turn: u64) -> Result<()> {
        let request = self.recording.request(turn);
        let parts = request.and_then(|request| RequestParts::of(&request));
        let Some(system) = parts.and_then(|parts| parts.system) else {
            return Ok(());
        };
        let mut system: Value = serde_json::from_str(&system)?;
        system["role"] = json!("system");
        self.add(&system)
    }

    /// Adds a turn's feedback and pictures, and then the reply.
    fn turn(&mut self, line: &TurnLine) -> Result<()> {
        let mut content = vec![json!({ "type": "text", "text": line.feedback })];
        for one in &line.beside {
            content.push(json!({ "type": "text", "text": one.words }));
            content.push(self.picture(line.turn, &one.image.sha256, true));
        }
        if let Some(image) = &line.image {
            content.push(self.picture(line.turn, &image.sha256, false));
        }
        self.add(&json!({ "id": format!("turn-{}-told", line.turn), "role": "user", "content": content, "metadata": { "turn": line.turn } }))?;
        if line.reply.is_none() && line.tool_calls.is_none() {
            return Ok(());
        }
        self.add(&reply(line))
    }

    /// Returns a picture in the form that a message contains, or text that says why there is none.
    fn picture(&mut self, turn: u64, sha256: &str, is_beside: bool) -> Value {
        if !self.pictures.contains_key(sha256)
            && let Err(why) = found(self.recording, turn, sha256, is_beside)
        {
            return json!({ "type": "text", "text": format!("[{why}]") });
        }
        self.pictures.entry(sha256.to_owned()).or_insert((turn, is_beside));
        json!({ "type": "image", "image": format!("{ATTACHMENT}{sha256}") })
    }

    fn add(&mut self, message: &Value) -> Result<()> {
        let json = self.recording.cleaned(&message.to_string());
        self.said.push(RawValue::from_string(json)?);
        Ok(())
    }
}

fn found(recording: &Recording, turn: u64, sha256: &str, is_beside: bool) -> Result<Vec<u8>, &'static str> {
    let found = if is_beside {
        recording.picture_beside(turn, sha256)
    } else {
        recording.picture(turn, sha256)
    };
    found.map(|picture| picture.png)
}

/// Returns a turn's reply as a message.
fn reply(line: &TurnLine) -> Value {
    let mut content = Vec::new();
    if let Some(reasoning) = &line.reasoning {
        content.push(json!({ "type": "reasoning", "reasoning": reasoning }));
    }
    let said = line.reply.as_ref().map(franz_json::Story::text).unwrap_or_default();
    content.push(json!({ "type": "text", "text": said }));
    let mut message = json!({
        "id": format!("turn-{}-reply", line.turn),
        "role": "assistant",
        "source": "generate",
        "content": content,
        "model": line.model,
        "metadata": { "turn": line.turn },
    });
    let calls: Vec<Value> = line
        .tool_calls
        .as_ref()
        .map(|calls| tool_calls(calls.get()))
        .unwrap_or_default();
    if !calls.is_empty() {
        message["tool_calls"] = Value::Array(calls);
    }
    message
}

/// Returns the tool calls that can be parsed. Arguments that are not an object stay text.
fn tool_calls(json: &str) -> Vec<Value> {
    let mut calls = Vec::new();
    franz_json::each_item(json, |call| {
        let Some([id, Some(function)]) = franz_json::members(call.get(), ["id", "function"]) else {
            return;
        };
        let Some([Some(name), arguments]) = franz_json::members(function.get(), ["name", "arguments"]) else {
            return;
        };
        let written = arguments.and_then(text).unwrap_or_default();
        let read = serde_json::from_str::<Value>(&written).ok().filter(Value::is_object);
        let mut told = json!({
            "id": id.and_then(text).unwrap_or_default(),
            "function": text(name).unwrap_or_default(),
            "type": "function",
            "arguments": read.clone().unwrap_or_else(|| json!({})),
        });
        if read.is_none() {
            told["parse_error"] = Value::String(written);
        }
        calls.push(told);
    });
    calls
}

/// Returns the last reply as the sample's output.
fn output(recording: &Recording, line: &TurnLine, model: &str) -> Result<Value> {
    if line.reply.is_none() && line.tool_calls.is_none() {
        return Ok(json!({ "model": model, "choices": [] }));
    }
    let reason = if line.cut { "max_tokens" } else { "stop" };
    cleaned(
        recording,
        &json!({
            "model": model,
            "choices": [{ "message": reply(line), "stop_reason": reason }],
            "completion": line.reply.as_ref().map(franz_json::Story::text).unwrap_or_default(),
            "usage": usage(Tokens::of(line)),
        }),
    )
}

fn usage(tokens: Tokens) -> Value {
    json!({
        "input_tokens": tokens.prompt - tokens.cached.min(tokens.prompt),
        "input_tokens_cache_read": tokens.cached,
        "output_tokens": tokens.completion,
        "total_tokens": tokens.total,
    })
}

/// Returns the status of the run's end, and its error, if any.
fn status(recording: &Recording, end: Option<&RunEnd>) -> (&'static str, Option<Value>) {
    use franz_record::Exit;
    let Some(end) = end else { return ("started", None) };
    let is = |exit: Exit| exit.code() == end.exit_code;
    if is(Exit::Finished) {
        return ("success", None);
    }
    if is(Exit::Stopped) || is(Exit::Terminated) {
        return ("cancelled", None);
    }
    let why = recording.cleaned_text(&end.reason);
    (
        "error",
        Some(json!({ "message": why, "traceback": "", "traceback_ansi": "" })),
    )
}

fn cleaned(recording: &Recording, value: &Value) -> Result<Value> {
    Ok(serde_json::from_str(&recording.cleaned(&value.to_string()))?)
}

impl Serialize for Attachments<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.pictures.iter().map(|(sha256, &(turn, is_beside))| {
            let png = found(self.recording, turn, sha256, is_beside).unwrap_or_default();
            (
                sha256,
                format!("data:image/png;base64,{}", STANDARD.encode_to_string(png)),
            )
        }))
    }
}
