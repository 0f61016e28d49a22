//! A model's reply in one turn, and a note on what it exemplifies.

use serde_json::value::RawValue;

/// One reply.
pub(super) struct Said {
    /// A note on the reply for people.
    pub(super) about: &'static str,
    /// The raw literal of the reply's content.
    pub(super) content: String,
    /// The raw array of the reply's tool calls.
    pub(super) tool_calls: Option<String>,
    /// Whether the token limit ended the reply.
    pub(super) cut: bool,
}

/// A reply that consists only of text.
#[derive(Clone, Copy)]
pub(super) struct Text {
    about: &'static str,
    words: &'static str,
    cut: bool,
}

/// Creates a reply with these words, without the line break at the beginning of a raw string.
pub(super) const fn says(about: &'static str, words: &'static str) -> Text {
    Text {
        about,
        words,
        cut: false,
    }
}

/// Creates a reply whose content is this JSON.
pub(super) fn literal(about: &'static str, content: &str) -> Said {
    Said {
        about,
        content: content.to_owned(),
        tool_calls: None,
        cut: false,
    }
}

/// Returns these replies, in order.
pub(super) fn all(texts: &[Text]) -> Vec<Said> {
    texts.iter().copied().map(Said::from).collect()
}

impl Text {
    /// Returns the same reply, cut off by the token limit.
    pub(super) const fn cut(self) -> Text {
        Text { cut: true, ..self }
    }
}

impl From<Text> for Said {
    fn from(said: Text) -> Said {
        let text = said.words.strip_prefix('\n').unwrap_or(said.words);
        Said {
            cut: said.cut,
            ..literal(said.about, &serde_json::Value::from(text).to_string())
        }
    }
}

impl Said {
    /// Returns the same reply with tool calls, which are the members of a JSON array.
    pub(super) fn calling(self, calls: &str) -> Said {
        Said {
            tool_calls: Some(format!("[{}]", calls.trim())),
            ..self
        }
    }

    /// Returns the same reply, cut off by the token limit.
    pub(super) fn cut(self) -> Said {
        Said { cut: true, ..self }
    }

    /// Returns the script line for the reply.
    pub(super) fn line(&self) -> String {
        let content = &self.content;
        let finish = format!(",\"finish_reason\":\"{}\"", self.finish());
        let calls = self.tool_calls.as_ref();
        let calls = calls.map(|calls| format!(",\"tool_calls\":{}", calls.replace('\n', " ")));
        format!("{{\"content\":{content}{finish}{}}}", calls.unwrap_or_default())
    }

    /// Returns the server's reason for ending the reply.
    pub(super) fn finish(&self) -> &'static str {
        match (self.cut, &self.tool_calls) {
            (true, _) => "length",
            (false, Some(_)) => "tool_calls",
            (false, None) => "stop",
        }
    }

    /// Returns the calls one by one.
    pub(super) fn calls(&self) -> Vec<&RawValue> {
        let calls = self.tool_calls.as_deref().unwrap_or("[]");
        serde_json::from_str(calls).unwrap()
    }
}
