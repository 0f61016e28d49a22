//! The stored form of one turn: one line of JSON.

use franz_json::{Raw, Story, lossy};
use serde::{Deserialize, Serialize};

use crate::acted::Acted;
use crate::read_as::ReadAs;
use crate::story::StoredStory;
use crate::timings::Timings;
use crate::told_element::{ToldElement, without_elements};

/// One turn, as stored in `turns_*.jsonl`.
///
/// Only `turn` is required. A missing field is read as empty, an unknown one is skipped, and a lone surrogate in a
/// string is read as U+FFFD. Text from a server that is passed on stays raw.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TurnLine {
    /// Version of this format, [`TurnLine::VERSION`].
    #[serde(default)]
    pub v: u32,
    /// The turn's number, from 1.
    pub turn: u64,
    /// When the turn began, RFC 3339.
    #[serde(default, deserialize_with = "lossy::string")]
    pub started: String,
    /// How long each step took.
    #[serde(default)]
    pub ms: Timings,
    /// Whether a story came back.
    #[serde(default)]
    pub status: Status,
    /// The mode that was sent; `None` in profiles without modes.
    #[serde(default, deserialize_with = "lossy::option")]
    pub mode: Option<String>,
    /// The goal that was sent.
    #[serde(default, deserialize_with = "lossy::option")]
    pub goal: Option<String>,
    /// The outcomes of the actions in the previous turn's reply.
    #[serde(default)]
    pub acted: Vec<Acted>,
    /// The feedback that was sent, including notices.
    #[serde(default, deserialize_with = "lossy::string")]
    pub feedback: String,
    /// The story that was sent. The agent supplies it in full; [`crate::Run::append_turn`] shortens it.
    #[serde(default)]
    pub story: StoredStory,
    /// The picture that was sent; `None` if there was none.
    #[serde(default)]
    pub image: Option<Image>,
    /// The time of day that the picture shows, as it is written there; `None` if it shows none.
    #[serde(default, deserialize_with = "lossy::option", skip_serializing_if = "Option::is_none")]
    pub clock: Option<String>,
    /// The pictures that were sent before it, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<BesideImage>,
    /// The elements that the model got with the picture, in the order of their numbers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub elements: Vec<ToldElement>,
    /// How the screen differs from the picture that the last reply answered; `None` if unknown.
    #[serde(default)]
    pub change: Option<ScreenChange>,
    /// The reply's content, which is the new story; `None` if the turn failed, or if the reply had only tool calls.
    #[serde(default)]
    pub reply: Option<Story>,
    /// The author of the reply, if it was not the model: `person`.
    #[serde(default, deserialize_with = "lossy::option", skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The model's thinking before the reply, if the server separates it from the reply.
    #[serde(default, deserialize_with = "lossy::option", skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// The name of the field in which the server sent it.
    #[serde(default, deserialize_with = "lossy::option", skip_serializing_if = "Option::is_none")]
    pub reasoning_name: Option<String>,
    /// The reply's tool calls as the server wrote them.
    #[serde(default)]
    pub tool_calls: Option<Raw>,
    /// The server's reason for ending the reply.
    #[serde(default, deserialize_with = "lossy::option")]
    pub finish: Option<String>,
    /// Whether the reply reached the token limit, so that its end is missing.
    #[serde(default, skip_serializing_if = "is_false")]
    pub cut: bool,
    /// How to read the reply; `None` for FRANZ's own forms, with coordinates in thousandths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_as: Option<ReadAs>,
    /// The server's token counts, as the server wrote them.
    #[serde(default)]
    pub usage: Option<Raw>,
    /// How many requests were made for this turn, from 1.
    #[serde(default)]
    pub attempts: u32,
    /// The model that answered or, if none did, the model that the request named.
    #[serde(default, deserialize_with = "lossy::option")]
    pub model: Option<String>,
    /// The sampling parameters that were sent, a JSON object.
    #[serde(default)]
    pub sampling: Option<Raw>,
    /// The turns from which the request repeats the conversation, as a JSON object; `None` in story memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<Raw>,
    /// Errors, in words.
    #[serde(default, deserialize_with = "lossy::list")]
    pub errors: Vec<String>,
}

impl TurnLine {
    /// The current version of the format.
    pub const VERSION: u32 = 1;

    /// Creates an otherwise empty line for turn number `turn`, begun at `started` (RFC 3339).
    pub fn new(turn: u64, started: impl Into<String>) -> Self {
        Self {
            v: Self::VERSION,
            turn,
            started: started.into(),
            ms: Timings::default(),
            status: Status::Ok,
            mode: None,
            goal: None,
            acted: Vec::new(),
            feedback: String::new(),
            story: StoredStory::default(),
            image: None,
            clock: None,
            beside: Vec::new(),
            elements: Vec::new(),
            change: None,
            reply: None,
            by: None,
            reasoning: None,
            reasoning_name: None,
            tool_calls: None,
            finish: None,
            cut: false,
            read_as: None,
            usage: None,
            attempts: 0,
            model: None,
            sampling: None,
            window: None,
            errors: Vec::new(),
        }
    }
}

impl TurnLine {
    /// Puts this list of elements, which begins with [`ELEMENTS`](crate::ELEMENTS), at the end of the feedback.
    /// Replaces any earlier list.
    pub fn tell_elements(&mut self, list: &str) {
        let feedback = without_elements(&self.feedback).trim_end_matches('\n');
        self.feedback = match feedback {
            "" => list.to_owned(),
            feedback => format!("{feedback}\n\n{list}"),
        };
    }
}

/// Negates a flag, for `#[serde(skip_serializing_if)]`, which passes a reference.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for this shape")]
pub(crate) fn is_false(flag: &bool) -> bool {
    !flag
}

/// How a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The reply is a story.
    #[default]
    Ok,
    /// The request failed for good. The story has not changed.
    Failed,
}

/// The change on the screen, not counting the mouse cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScreenChange {
    /// Left, top, right and bottom of the smallest rectangle around all changes, in 0..=1000; `None` if nothing
    /// changed.
    #[serde(default)]
    pub area: Option<[u16; 4]>,
    /// The effect of the actions; `None` if there were none or the effect is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<Effect>,
}

/// The position of the changes relative to the actions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Nothing changed except perhaps a caret.
    None,
    /// Something changed where an action was performed.
    Near,
    /// Something changed, but only elsewhere.
    Elsewhere,
}

/// The picture that the model saw.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Image {
    /// The picture's file in the run directory, see [`crate::PictureName`].
    #[serde(deserialize_with = "lossy::string")]
    pub file: String,
    /// SHA-256 of the file, 64 lowercase hexadecimal digits.
    #[serde(default, deserialize_with = "lossy::string")]
    pub sha256: String,
    /// Width in pixels.
    #[serde(default)]
    pub width: u32,
    /// Height in pixels.
    #[serde(default)]
    pub height: u32,
    /// Size of the file in bytes.
    #[serde(default)]
    pub bytes: u64,
}

/// A picture that the model saw in addition to the one of the whole screen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BesideImage {
    /// The line that described the picture to the model.
    #[serde(default, deserialize_with = "lossy::string")]
    pub words: String,
    /// The picture itself.
    pub image: Image,
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use franz_action::Outcome;

    use super::*;

    fn full() -> TurnLine {
        TurnLine {
            ms: Timings {
                model: Duration::from_nanos(1_234_567_890).into(),
                ..Timings::default()
            },
            mode: Some("executing".to_owned()),
            goal: Some("draw a cat".to_owned()),
            acted: vec![
                Acted::new("left_click(500, 500)", Outcome::DONE),
                Acted::new("type(\"a\")", Outcome::NotApplied("no click yet".to_owned())),
            ],
            feedback: "OK: 1 action executed.".to_owned(),
            image: Some(Image {
                file: "turn_0002.png".to_owned(),
                sha256: "00".repeat(32),
                width: 512,
                height: 288,
                bytes: 1234,
            }),
            reply: Story::from_raw(r#""\ud800\/""#),
            cut: true,
            usage: Some(Raw::parse(r#"{"total_tokens": 12}"#).unwrap()),
            attempts: 1,
            errors: vec!["429 Too Many Requests".to_owned()],
            ..TurnLine::new(2, "2026-01-01T00:00:00.123Z")
        }
    }

    #[test]
    fn survives_json() {
        let json = serde_json::to_string(&full()).unwrap();
        assert_eq!(serde_json::from_str::<TurnLine>(&json).unwrap(), full());
    }

    #[test]
    fn the_fields_stand_in_the_order_of_the_format() {
        let json = serde_json::to_string(&full()).unwrap();
        let order = "v turn started ms status mode goal acted feedback story image reply tool_calls finish cut usage \
            attempts model sampling errors";
        let mut rest = json.as_str();
        for field in order.split_whitespace() {
            let key = format!("\"{field}\":");
            rest = rest
                .split_once(&key)
                .unwrap_or_else(|| panic!("{field} is missing in {rest}"))
                .1;
        }
        assert!(json.contains(r#""status":"ok""#) && json.contains(r#""outcome":"not_applied""#));
        assert!(json.contains(r#""model":1234.568,"#), "{json}");
        assert!(json.contains(r#""tool_calls":null"#));
    }

    #[test]
    fn only_a_cut_reply_is_marked_as_cut() {
        for (cut, said) in [(true, true), (false, false)] {
            let line = TurnLine { cut, ..full() };
            let json = serde_json::to_string(&line).unwrap();
            assert_eq!(json.contains(r#""cut":true"#), said, "{json}");
            assert_eq!(json.contains("\"cut\""), said, "{json}");
            assert_eq!(serde_json::from_str::<TurnLine>(&json).unwrap(), line);
        }
    }

    #[test]
    fn only_the_turn_number_is_needed() {
        let line: TurnLine = serde_json::from_str(r#"{"turn":7,"later":{"a":[1]}}"#).unwrap();
        assert_eq!(
            line,
            TurnLine {
                v: 0,
                ..TurnLine::new(7, "")
            }
        );
        assert!(serde_json::from_str::<TurnLine>(r#"{"v":1}"#).is_err());
    }

    #[test]
    fn lone_surrogates_are_read_in_every_field() {
        let line: TurnLine = serde_json::from_str(
            r#"{"turn":1,"started":"\ud800","mode":"\ud800","goal":"\ud800","feedback":"\ud800","story":"\ud800",
                "acted":[{"action":"\ud800","outcome":"done","why":"\ud800"}],
                "image":{"file":"\ud800","sha256":"\ud800"},"reply":"\ud800","tool_calls":["\ud800"],
                "finish":"\ud800","usage":{"\ud800":"\ud800"},"model":"\ud800","sampling":{"a":"\ud800"},
                "errors":["\ud800"],"unknown":"\ud800"}"#,
        )
        .unwrap();
        assert_eq!(line.feedback, "\u{fffd}");
        assert_eq!(line.errors, ["\u{fffd}"]);
        assert_eq!(line.acted[0].outcome, Outcome::Done(Some("\u{fffd}".to_owned())));
        assert_eq!(line.usage.unwrap().get(), r#"{"\ud800":"\ud800"}"#);
    }
}
