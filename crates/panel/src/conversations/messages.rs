//! Identifies the conversation that a request belongs to, by hashes of its messages. The messages themselves are never
//! kept.

use franz_json::literal::each_unit;
use franz_json::{each_item, members, says, string, text};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};

use crate::hash::Hash;
use crate::verify::request;

/// How many messages of a request to compare. A request with more messages counts as unreadable, which limits the
/// resources that it can use.
const MOST: usize = 20_000;

/// The maximum length of a title, in characters.
const TITLE: usize = 80;

/// A SHA-256 hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Fingerprint(#[serde(with = "hexadecimal")] Hash);

/// The properties of a request's messages that are used in comparisons.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Messages {
    /// One fingerprint for each prefix of the list of messages: the first message, the first two, and so on.
    pub(crate) prefixes: Vec<Fingerprint>,
    /// A fingerprint of the contents of each message from the model that has text or calls.
    pub(crate) echoes: Vec<Option<Fingerprint>>,
    /// The fingerprint of the last message from the model, if that has text or calls.
    pub(crate) last_echo: Option<Fingerprint>,
    /// The user's first message, if no message is from the model, and whether that message is empty.
    pub(crate) story: Option<(Fingerprint, bool)>,
    /// Whether the messages have the shape of a request that sends a story.
    pub(crate) is_story: bool,
    /// The fingerprint of the system message.
    pub(crate) system: Option<Fingerprint>,
    /// The beginning of the user's last message, to show to people.
    pub(crate) title: String,
}

impl Fingerprint {
    /// Returns the fingerprint of a string literal, computed from its UTF-16 units, so that escapes make no difference.
    pub(crate) fn of_literal(literal: &str) -> Fingerprint {
        let mut hasher = Sha256::new();
        take_literal(&mut hasher, literal);
        Fingerprint(hasher.finalize().into())
    }

    /// Returns the fingerprint of a model's reply, computed from its text and the IDs of its calls.
    pub(crate) fn of_reply(content: Option<&str>, calls: Option<&str>) -> Fingerprint {
        let mut hasher = Sha256::new();
        if let Some(content) = content {
            take_literal(&mut hasher, content);
        }
        each_item(calls.unwrap_or_default(), |call| {
            let [id] = members(call.get(), ["id"]).unwrap_or_default();
            hasher.update([0xff]);
            take_literal(&mut hasher, id.map_or("", RawValue::get));
        });
        Fingerprint(hasher.finalize().into())
    }

    /// Extends a list's fingerprint with this message.
    fn then(before: Option<Fingerprint>, message: &str) -> Fingerprint {
        let mut hasher = Sha256::new();
        if let Some(Fingerprint(before)) = before {
            hasher.update(before);
        }
        hasher.update(message);
        Fingerprint(hasher.finalize().into())
    }
}

impl Messages {
    /// Reads the body of a chat request. Returns `None` if it contains no messages to compare.
    pub(crate) fn read(body: &[u8]) -> Option<Messages> {
        let body = str::from_utf8(body).ok()?;
        let [messages] = members(body, ["messages"])?;
        let mut read = Messages::default();
        let mut of_the_model = false;
        let mut first_of_the_user = None;
        let mut last_of_the_user = None;
        let nothing = Fingerprint::of_reply(None, None);
        let whole = each_item(messages?.get(), |message| {
            if read.prefixes.len() > MOST {
                return;
            }
            let message = message.get();
            read.prefixes
                .push(Fingerprint::then(read.prefixes.last().copied(), message));
            let [role, content, calls] = members(message, ["role", "content", "tool_calls"]).unwrap_or_default();
            let is = |name| says(role, name);
            let echo = is("assistant").then(|| {
                let content = content.and_then(|content| lone_text(content.get()));
                Fingerprint::of_reply(content, calls.map(RawValue::get))
            });
            // An empty reply must not look like a message in several parts, whose text is not compared.
            let comparable = echo.filter(|echo| *echo != nothing);
            read.echoes.push(comparable);
            if echo.is_some() {
                read.last_echo = comparable;
            }
            of_the_model |= is("assistant") || is("tool") || is("function");
            if is("user") {
                first_of_the_user = first_of_the_user.or(content);
                last_of_the_user = content;
            } else if read.system.is_none() && (is("system") || is("developer")) {
                read.system = Some(Fingerprint::of_literal(message));
            }
        });
        if !whole || read.prefixes.is_empty() || read.prefixes.len() > MOST {
            return None;
        }
        let story = first_of_the_user.filter(|_| !of_the_model);
        let story = story.and_then(|content| first_text(content.get()));
        read.story = story.map(|text| (Fingerprint::of_literal(text), text == "\"\""));
        read.is_story = request::story(body.as_bytes()).is_ok();
        read.title = title(last_of_the_user);
        Some(read)
    }

    /// Returns the number of messages.
    pub(crate) fn count(&self) -> usize {
        self.prefixes.len()
    }
}

fn take_literal(hasher: &mut Sha256, literal: &str) {
    for unit in each_unit(literal) {
        hasher.update(unit.to_le_bytes());
    }
}

/// Returns a message's content if it is a string, or the text of its only part.
fn lone_text(content: &str) -> Option<&str> {
    let mut parts = 0;
    if !content.starts_with('"') {
        each_item(content, |_| parts += 1);
    }
    first_text(content).filter(|_| parts < 2)
}

/// Returns a message's content if it is a string, or the text of its first part.
fn first_text(content: &str) -> Option<&str> {
    if content.starts_with('"') {
        return Some(content);
    }
    let mut first = None;
    each_item(content, |part| {
        if first.is_none() {
            let [text] = members(part.get(), ["text"]).unwrap_or_default();
            first = Some(text.and_then(string));
        }
    });
    first.flatten()
}

fn title(content: Option<&RawValue>) -> String {
    let said = content.and_then(|content| first_text(content.get()));
    let said = said.and_then(|said| text(serde_json::from_str(said).ok()?));
    let said = said.unwrap_or_default();
    let words: Vec<&str> = said.split_whitespace().take(TITLE).collect();
    words.join(" ").chars().take(TITLE).collect()
}

/// Fingerprints as 64 hexadecimal digits.
mod hexadecimal {
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    use crate::hash::{Hash, digits, hash};

    pub(super) fn serialize<S: Serializer>(fingerprint: &Hash, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&digits(fingerprint))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Hash, D::Error> {
        let fingerprint = hash(&String::deserialize(deserializer)?);
        fingerprint.ok_or_else(|| D::Error::custom("a fingerprint has 64 lowercase hexadecimal digits"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversation_prefixes_echoes_and_stories_are_found() {
        let read = |messages: &str| Messages::read(format!("{{\"messages\":[{messages}]}}").as_bytes());
        let system = r#"{"role":"system","content":"s"}"#;
        let user = r#"{"role":"user","content":"a\u0062"}"#;
        let model = r#"{"role":"assistant","content":"ab","tool_calls":[{"id":"c1"}]}"#;
        let one = read(&[system, user].join(",")).unwrap();
        let two = read(&[system, user, model, user].join(", ")).unwrap();
        assert_eq!(one.prefixes[..], two.prefixes[..2]);
        assert_eq!(one.story, Some((Fingerprint::of_literal("\"ab\""), false)));
        assert_eq!((two.story, two.count()), (None, 4));
        let calls = r#"[{"id":"c1","x":0}]"#;
        assert_eq!(
            two.echoes[2],
            Some(Fingerprint::of_reply(Some("\"\\u0061b\""), Some(calls)))
        );
        assert_ne!(two.echoes[2], Some(Fingerprint::of_reply(Some("\"ab\""), None)));
        assert_eq!((one.system, one.title.as_str()), (two.system, "ab"));
        let parts = read(r#"{"role":"user","content":[{"type":"text","text":""},{"type":"image_url"}]}"#).unwrap();
        assert_eq!(parts.story, Some((Fingerprint::of_literal("\"\""), true)));
        let swapped = read(&[user, system].join(",")).unwrap();
        assert_ne!(one.prefixes[1], swapped.prefixes[1]);
    }

    #[test]
    fn a_body_without_messages_is_not_compared() {
        for body in [
            "",
            "[]",
            "{}",
            "{\"messages\":[]}",
            "{\"messages\":[1,}",
            "{\"messages\":{}}",
        ] {
            assert_eq!(Messages::read(body.as_bytes()), None, "{body}");
        }
        let many = format!("{{\"messages\":[{}0]}}", "0,".repeat(MOST + 5));
        assert_eq!(Messages::read(many.as_bytes()), None);
        assert_eq!(Messages::read(b"{\"messages\":[\"\xff\"]}"), None);
    }

    #[test]
    fn fingerprints_are_kept_as_digits() {
        let kept = serde_json::to_string(&Fingerprint::of_literal("\"x\"")).unwrap();
        assert_eq!(kept.len(), 66);
        assert_eq!(
            serde_json::from_str::<Fingerprint>(&kept).unwrap(),
            Fingerprint::of_literal("\"x\"")
        );
        for wrong in ["\"\"", "\"00\"", "1", &kept.replace('0', "x")] {
            assert!(serde_json::from_str::<Fingerprint>(wrong).is_err() || wrong == kept);
        }
    }
}
