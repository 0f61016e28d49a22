//! Reads a model server's answer and decides whether it is a story.
//!
//! Every field stays raw until it is interpreted separately. No field, known or unknown, whatever its type and text,
//! can make the rest of the reply unreadable.

use bytes::Bytes;
use franz_json::{Object, Raw, Story, kind};
use serde_json::value::RawValue;

use crate::content;
use crate::defect::Defect;
use crate::envelope;
use crate::pace::ServerPace;
use crate::plausible;
use crate::reasoning::ApartReasoning;
use crate::think;

/// A reply: one JSON object as the server wrote it, and everything that could be read from it.
#[derive(Debug, Clone)]
pub struct Reply {
    body: Bytes,
    story: Result<Story, Defect>,
    tool_calls: Option<Raw>,
    reasoning: Option<ApartReasoning>,
    finish: Option<String>,
    model: Option<String>,
    usage: Usage,
    pace: ServerPace,
}

/// The tokens that a server counted; `None` for a count that it did not report as a whole number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// The number of tokens in the request.
    pub prompt: Option<u64>,
    /// The number of tokens in the reply, including reasoning.
    pub completion: Option<u64>,
    /// The sum of both.
    pub total: Option<u64>,
    /// The number of request tokens that the server had cached from earlier requests.
    pub cached: Option<u64>,
}

impl Usage {
    /// Adds the counts in `other`. A count that neither of them reports stays unknown.
    pub fn add(&mut self, other: Usage) {
        let sums = [
            (&mut self.prompt, other.prompt),
            (&mut self.completion, other.completion),
            (&mut self.total, other.total),
            (&mut self.cached, other.cached),
        ];
        for (sum, more) in sums {
            *sum = match (*sum, more) {
                (Some(sum), Some(more)) => Some(sum.saturating_add(more)),
                (sum, more) => sum.or(more),
            };
        }
    }
}

/// The finish reason of a reply that FRANZ cut off because it repeated the same lines.
pub(crate) const REPEATS: &str = "repeats";

/// The ways in which servers report that a reply reached a limit: `length` in the chat-completions API, the others in
/// gateways to other APIs.
const CUT: [&str; 6] = [
    REPEATS,
    "length",
    "max_tokens",
    "model_length",
    "max_output_tokens",
    "incomplete",
];

/// The content that an answer must have to be usable.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Expect {
    /// A story.
    #[default]
    Story,
    /// A story, tool calls, or both.
    StoryOrToolCalls,
}

impl Reply {
    /// Reads the body of an answer with status 200. Fails only if the body is not a JSON object.
    pub fn read(body: Bytes) -> Result<Self, Defect> {
        let top = envelope::open(&body)?;
        let choices = top.items("choices").unwrap_or_default();
        let choice = choices
            .first()
            .and_then(|choice| Object::read(choice.get()))
            .unwrap_or_default();
        let message = choice.object("message").unwrap_or_default();
        Ok(Self {
            story: story(&top, (!choices.is_empty()).then_some(&choice), &message),
            tool_calls: tool_calls(&message).map(Raw::from),
            reasoning: ApartReasoning::of(&message),
            finish: choice.text("finish_reason"),
            model: top.text("model"),
            usage: usage(&top),
            pace: ServerPace::of(&top),
            body,
        })
    }

    /// Returns the body, byte for byte.
    pub fn raw(&self) -> &Bytes {
        &self.body
    }

    /// Returns the story. This is the only definition of a story: `choices[0].message.content` is a JSON string,
    /// possibly `""`, or an array of parts, whose texts are joined, and the reply reports no error.
    pub fn story(&self) -> Option<&Story> {
        self.story.as_ref().ok()
    }

    /// Returns why the reply is not a story; `None` if it is one.
    pub fn defect(&self) -> Option<&Defect> {
        self.story.as_ref().err()
    }

    /// Returns the array of tool calls as raw JSON; `None` if it is missing or empty.
    pub fn tool_calls(&self) -> Option<&Raw> {
        self.tool_calls.as_ref()
    }

    /// Returns the model's reasoning if the server separates it from the content; `None` if it is empty.
    pub fn reasoning(&self) -> Option<&ApartReasoning> {
        self.reasoning.as_ref()
    }

    /// Checks whether the model thought before it answered, in the content or separately.
    pub fn thinks(&self) -> bool {
        let apart = self
            .reasoning
            .as_ref()
            .is_some_and(|thought| !thought.text().trim().is_empty());
        apart || self.story().is_some_and(|story| think::is_in(&story.text()))
    }

    /// Returns the reason why the model stopped: `stop`, `length`, `tool_calls`, or anything else that the server
    /// reports.
    pub fn finish(&self) -> Option<&str> {
        self.finish.as_deref()
    }

    /// Returns the model's name, as reported by the server.
    pub fn model(&self) -> Option<&str> {
        self.model.as_deref()
    }

    /// Returns the token counts.
    pub fn usage(&self) -> Usage {
        self.usage
    }

    /// Returns how fast the reply arrived.
    pub fn pace(&self) -> ServerPace {
        self.pace
    }

    /// Returns whether the reply was cut off because it repeated the same few lines over and over.
    pub fn repeats(&self) -> bool {
        self.finish() == Some(REPEATS)
    }

    /// Returns whether the reply was cut off, by a token limit or because it repeated itself.
    pub fn cut(&self, max_tokens: Option<u32>) -> bool {
        let at_limit = match (self.usage.completion, max_tokens) {
            (Some(used), Some(most)) => used >= u64::from(most),
            _ => false,
        };
        at_limit || self.finish().is_some_and(is_limit)
    }

    /// Returns the reply if it has the expected content; otherwise returns its defect.
    pub fn check(self, expect: Expect) -> Result<Self, Defect> {
        match &self.story {
            Ok(_) => Ok(self),
            Err(Defect::ToolCallsOnly) if expect == Expect::StoryOrToolCalls => Ok(self),
            Err(defect) => Err(defect.clone()),
        }
    }
}

fn is_limit(finish: &str) -> bool {
    CUT.iter().any(|limit| finish.eq_ignore_ascii_case(limit))
}

fn story(top: &Object<'_>, choice: Option<&Object<'_>>, message: &Object<'_>) -> Result<Story, Defect> {
    if let Some(error) = top.get("error").filter(|error| says_something(error)) {
        return Err(Defect::of_error(error));
    }
    let Some(choice) = choice else {
        return Err(Defect::NoChoices);
    };
    if let Some(defect) = error_of_choice(choice) {
        return Err(defect);
    }
    let content = message.get("content");
    let story = content.and_then(content::story);
    let says_nothing = match &story {
        Some(story) => story.is_empty(),
        None => content.is_none_or(|content| content.get() == "null"),
    };
    if says_nothing && is_cut_thought(choice, message) {
        return Err(match choice.text("finish_reason").as_deref() {
            Some(REPEATS) => Defect::ThoughtRepeats,
            _ => Defect::ThoughtCut,
        });
    }
    story.ok_or_else(|| no_story(content, message))
}

/// Returns the error that a choice reports in place of the rest of the reply, as `OpenRouter` does.
fn error_of_choice(choice: &Object<'_>) -> Option<Defect> {
    if let Some(error) = choice.get("error").filter(|error| says_something(error)) {
        return Some(Defect::of_error(error));
    }
    let finish = choice.text("finish_reason")?;
    finish.eq_ignore_ascii_case("error").then(|| Defect::ErrorInside {
        code: None,
        words: "the reply ended with an error".to_owned(),
    })
}

/// Checks whether the model was still thinking when it reached the token limit: besides the content, which is empty,
/// there is reasoning and nothing else. Empty content from a model that had nothing to say is an empty story instead.
fn is_cut_thought(choice: &Object<'_>, message: &Object<'_>) -> bool {
    choice.text("finish_reason").is_some_and(|finish| is_limit(&finish))
        && ApartReasoning::of(message).is_some()
        && tool_calls(message).is_none()
}

/// Checks whether an `error` member reports an error. Servers that always write this member use `null`, `{}`, `""` or
/// `false` if there is no error.
pub(crate) fn says_something(error: &RawValue) -> bool {
    !matches!(error.get(), "null" | "\"\"" | "false")
        && !Object::read(error.get()).is_some_and(|object| object.is_empty())
}

fn no_story(content: Option<&RawValue>, message: &Object<'_>) -> Defect {
    if tool_calls(message).is_some() {
        return Defect::ToolCallsOnly;
    }
    if ApartReasoning::of(message).is_some() {
        return Defect::ReasoningOnly;
    }
    let Some(content) = content else {
        return Defect::MissingContent;
    };
    match content.get() {
        "null" => Defect::NullContent,
        _ => Defect::ContentNotText { kind: kind(content) },
    }
}

fn tool_calls<'a>(message: &Object<'a>) -> Option<&'a RawValue> {
    let calls = message.items("tool_calls")?;
    (!calls.is_empty()).then(|| message.get("tool_calls")).flatten()
}

fn usage(top: &Object<'_>) -> Usage {
    let usage = top.object("usage").unwrap_or_default();
    let details = usage.object("prompt_tokens_details").unwrap_or_default();
    let timings = top.object("timings").unwrap_or_default();
    let count = |name| usage.count(name).and_then(plausible::tokens);
    // llama.cpp also counts cached tokens next to its timings; older versions count them only there.
    let cached = details.count("cached_tokens").or_else(|| timings.count("cache_n"));
    Usage {
        prompt: count("prompt_tokens"),
        completion: count("completion_tokens"),
        total: count("total_tokens"),
        cached: cached.and_then(plausible::tokens),
    }
}

#[cfg(test)]
mod tests;
