//! What a model says in one turn, and what it is an example of.

use serde_json::value::RawValue;

/// One reply.
pub(super) struct Said {
    /// What is worth noticing about it.
    pub(super) about: &'static str,
    /// The raw literal of its content.
    pub(super) content: String,
    /// The raw array of its tool calls.
    pub(super) tool_calls: Option<String>,
    /// Whether the token limit ended it.
    pub(super) cut: bool,
}

/// A reply of text alone.
#[derive(Clone, Copy)]
pub(super) struct Text {
    about: &'static str,
    words: &'static str,
    cut: bool,
}

/// A reply of these words; the line break that a raw string begins with is not part of it.
pub(super) const fn says(about: &'static str, words: &'static str) -> Text {
    Text {
        about,
        words,
        cut: false,
    }
}

/// A reply whose content is this JSON.
pub(super) fn literal(about: &'static str, content: &str) -> Said {
    Said {
        about,
        content: content.to_owned(),
        tool_calls: None,
        cut: false,
    }
}

/// These replies in order.
pub(super) fn all(texts: &[Text]) -> Vec<Said> {
    texts.iter().copied().map(Said::from).collect()
}

impl Text {
    /// The same, broken off by the token limit.
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
    /// The same with tool calls, the members of a JSON array.
    pub(super) fn calling(self, calls: &str) -> Said {
        Said {
            tool_calls: Some(format!("[{}]", calls.trim())),
            ..self
        }
    }

    /// The same, broken off by the token limit.
    pub(super) fn cut(self) -> Said {
        Said { cut: true, ..self }
    }

    /// The line of a script that says it.
    pub(super) fn line(&self) -> String {
        let content = &self.content;
        let finish = format!(",\"finish_reason\":\"{}\"", self.finish());
        let calls = self.tool_calls.as_ref();
        let calls = calls.map(|calls| format!(",\"tool_calls\":{}", calls.replace('\n', " ")));
        format!("{{\"content\":{content}{finish}{}}}", calls.unwrap_or_default())
    }

    /// Why the server says that it ended.
    pub(super) fn finish(&self) -> &'static str {
        match (self.cut, &self.tool_calls) {
            (true, _) => "length",
            (false, Some(_)) => "tool_calls",
            (false, None) => "stop",
        }
    }

    /// The calls one by one.
    pub(super) fn calls(&self) -> Vec<&RawValue> {
        let calls = self.tool_calls.as_deref().unwrap_or("[]");
        serde_json::from_str(calls).unwrap()
    }
}
