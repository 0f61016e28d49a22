//! Writes an exchange down for people to read. Every request is shown in full, except for the parts that are identical
//! in an earlier one.

use std::collections::BTreeMap;
use std::fmt;

use franz_demo::Received;
use franz_record::{Acted, TurnLine};
use serde_json::value::RawValue;

use super::Exchange;
use super::said::Said;

/// The members of a JSON object, each as it was sent.
type Members<'a> = BTreeMap<&'a str, &'a RawValue>;

/// The number of Base64 characters that contain a PNG's width and height and everything before them.
const PNG_HEAD: usize = 32;

impl fmt::Display for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sent: Vec<Request<'_>> = self.requests.iter().map(Request::of).collect();
        for (at, ((request, said), line)) in sent.iter().zip(&self.replies).zip(&self.turns).enumerate() {
            let before = at.checked_sub(1).and_then(|before| sent.get(before));
            writeln!(f, "TURN {}{}", line.turn, mode(line))?;
            request.write(f, before, &sent[0])?;
            reply(f, said, line)?;
            done(f, self.turns.get(at + 1))?;
            writeln!(f)?;
        }
        Ok(())
    }
}

fn mode(line: &TurnLine) -> String {
    line.mode.as_ref().map(|mode| format!(" ({mode})")).unwrap_or_default()
}

/// A request taken apart, with its parts as they were sent.
struct Request<'a> {
    messages: Vec<&'a RawValue>,
    tools: Option<&'a RawValue>,
    /// The model and the sampling parameters.
    rest: Members<'a>,
}

impl Request<'_> {
    fn of(received: &Received) -> Request<'_> {
        let mut rest: Members<'_> = serde_json::from_slice(&received.body).unwrap();
        Request {
            messages: serde_json::from_str(rest.remove("messages").unwrap().get()).unwrap(),
            tools: rest.remove("tools"),
            rest,
        }
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, before: Option<&Self>, first: &Self) -> fmt::Result {
        writeln!(f, "\nasked with {}", members(&self.rest))?;
        self.write_tools(f, before.map(|_| first))?;
        self.write_messages(f, before, first)
    }

    /// Writes every message. Leaves out a system prompt that is identical to the first one and, in conversations,
    /// messages that are identical to those at the same position in the previous request. Stories and feedback are
    /// written again even if they are identical.
    fn write_messages(&self, f: &mut fmt::Formatter<'_>, before: Option<&Self>, first: &Self) -> fmt::Result {
        let is_same = |at: usize| {
            let earlier = before.filter(|_| at == 0 || self.tools.is_some());
            let earlier = earlier.map(|before| if at == 0 { first } else { before });
            let earlier = earlier.and_then(|request| request.messages.get(at));
            earlier.map(|message| message.get()) == Some(self.messages[at].get())
        };
        let places: Vec<usize> = (0..self.messages.len()).collect();
        for places in places.chunk_by(|one, next| *one > 0 && is_same(*one) && is_same(*next)) {
            match *places {
                [0] if is_same(0) => writeln!(f, "message 1 (as in turn 1)")?,
                [one] if is_same(one) => writeln!(f, "message {} (as before)", one + 1)?,
                [one] => write_message(f, one + 1, self.messages[one])?,
                [first, .., last] => writeln!(f, "messages {} to {} (as before)", first + 1, last + 1)?,
                [] => {}
            }
        }
        Ok(())
    }

    fn write_tools(&self, f: &mut fmt::Formatter<'_>, first: Option<&Self>) -> fmt::Result {
        let Some(tools) = self.tools else { return Ok(()) };
        if first.is_some_and(|first| first.tools.map(RawValue::get) == Some(tools.get())) {
            return writeln!(f, "tools (as in turn 1)");
        }
        let tools: Vec<&RawValue> = serde_json::from_str(tools.get()).unwrap();
        let names = tools.iter().map(|tool| function_name(tool));
        writeln!(f, "tools: {}", names.collect::<Vec<_>>().join(", "))?;
        tools.iter().try_for_each(|tool| writeln!(f, "  {tool}"))
    }
}

fn function_name(tool: &RawValue) -> String {
    let tool: serde_json::Value = serde_json::from_str(tool.get()).unwrap();
    tool["function"]["name"].as_str().unwrap().to_owned()
}

fn write_message(f: &mut fmt::Formatter<'_>, number: usize, message: &RawValue) -> fmt::Result {
    let mut message: Members<'_> = serde_json::from_str(message.get()).unwrap();
    let role = text(message.remove("role").unwrap());
    let content = message.remove("content");
    let calls = message.remove("tool_calls");
    let head = format!("message {number}, {role} {}", members(&message));
    writeln!(f, "{}", head.trim_end())?;
    if let Some(content) = content {
        write_content(f, content)?;
    }
    let calls = calls.map(|calls| serde_json::from_str::<Vec<&RawValue>>(calls.get()).unwrap());
    let mut calls = calls.into_iter().flatten();
    calls.try_for_each(|call| writeln!(f, "  [call] {call}"))
}

/// Writes text, or parts that are each text or a picture. Anything else is written unchanged.
fn write_content(f: &mut fmt::Formatter<'_>, content: &RawValue) -> fmt::Result {
    match content.get().as_bytes().first() {
        Some(b'"') => write_text(f, &text(content)),
        Some(b'[') => {
            let parts: Vec<Members<'_>> = serde_json::from_str(content.get()).unwrap();
            parts.iter().try_for_each(|part| write_part(f, part))
        }
        _ => writeln!(f, "  {content}"),
    }
}

fn write_part(f: &mut fmt::Formatter<'_>, part: &Members<'_>) -> fmt::Result {
    match part.get("text") {
        Some(words) => write_text(f, &text(words)),
        None => writeln!(f, "  [picture {}]", size(part["image_url"])),
    }
}

/// Returns the width and height of a picture, which are at the beginning of its file.
fn size(image: &RawValue) -> String {
    let image: Members<'_> = serde_json::from_str(image.get()).unwrap();
    let url = text(image["url"]);
    let base64 = url.strip_prefix("data:image/png;base64,").unwrap();
    let head = base64_simd::STANDARD.decode_to_vec(&base64[..PNG_HEAD]).unwrap();
    assert!(head.starts_with(b"\x89PNG\r\n\x1a\n"), "{head:?}");
    let number = |from: usize| u32::from_be_bytes(head[from..from + 4].try_into().unwrap());
    format!("{}x{}", number(16), number(20))
}

fn reply(f: &mut fmt::Formatter<'_>, said: &Said, line: &TurnLine) -> fmt::Result {
    writeln!(f, "\nanswered: {} (finish_reason {})", said.about, said.finish())?;
    let content: &RawValue = serde_json::from_str(&said.content).unwrap();
    write_content(f, content)?;
    for call in said.calls() {
        writeln!(f, "  [call] {}", call.get().replace('\n', " "))?;
    }
    for error in &line.errors {
        writeln!(f, "recorded with it: {error}")?;
    }
    Ok(())
}

/// Writes the outcome of a reply, according to the next turn's line.
fn done(f: &mut fmt::Formatter<'_>, next: Option<&TurnLine>) -> fmt::Result {
    let Some(next) = next else {
        return writeln!(f, "\ndone: the run ended here");
    };
    if next.acted.is_empty() {
        return writeln!(f, "\ndone: nothing");
    }
    writeln!(f, "\ndone:")?;
    next.acted
        .iter()
        .try_for_each(|acted| writeln!(f, "  {}", became(acted)))
}

fn became(acted: &Acted) -> String {
    format!("{} -> {}", acted.action, acted.outcome)
}

/// Writes text with a mark before every line and a dot for each space at the end of a line, so that all of the text is
/// visible.
fn write_text(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    if text.is_empty() {
        return writeln!(f, "  (empty)");
    }
    let mut lines = text.split('\n');
    lines.try_for_each(|line| {
        let seen = line.trim_end_matches(' ');
        let blanks = "\u{b7}".repeat(line.len() - seen.len());
        writeln!(f, "{}", format!("  | {seen}{blanks}").trim_end())
    })
}

fn members(members: &Members<'_>) -> String {
    let pairs = members.iter().map(|(name, value)| format!("{name}={value}"));
    pairs.collect::<Vec<_>>().join(" ")
}

fn text(literal: &RawValue) -> String {
    serde_json::from_str(literal.get()).unwrap()
}
