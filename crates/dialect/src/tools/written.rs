//! A call as the model wrote it, before any check.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use serde_json::Value;
use serde_json::value::RawValue;

use super::arguments::{CallArguments, NoObject};
use crate::json::{self, Broken, Closers, StringFault};
use crate::notation::bare_name;

/// One call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CallText {
    /// The function's name, which can be empty.
    pub(super) name: String,
    /// The arguments as JSON, or why the call could not be read at all.
    arguments: Result<String, Unreadable>,
    /// The range of the call in the text or array in which it was found.
    pub(super) span: Range<usize>,
}

/// Why a call cannot be read at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unreadable {
    /// It is not JSON.
    Json,
    /// One of its strings is faulty.
    String(StringFault),
    /// Words follow it.
    Followed,
}

impl From<Broken> for Unreadable {
    fn from(broken: Broken) -> Unreadable {
        broken.string.map_or(Unreadable::Json, Unreadable::String)
    }
}

/// Reads the calls that the server reports. Anything in this array can be missing or odd.
pub(super) fn reported(raw: &str) -> Vec<CallText> {
    if matches!(raw.trim(), "" | "null") {
        return Vec::new();
    }
    match json::sequence(raw, 0, Closers::Needed) {
        Ok(sequence) => sequence.values.iter().map(CallText::of).collect(),
        Err(_) => vec![CallText::unreadable(0..raw.len())],
    }
}

impl CallText {
    /// Returns a call with these parts.
    pub(super) fn new(name: String, arguments: String, span: Range<usize>) -> CallText {
        CallText {
            name,
            arguments: Ok(arguments),
            span,
        }
    }

    /// Returns a stand-in for something that should have been a call.
    pub(super) fn unreadable(span: Range<usize>) -> CallText {
        CallText::faulty(span, Unreadable::Json)
    }

    /// Returns a stand-in for something that should have been a call, with what is wrong with it.
    pub(super) fn faulty(span: Range<usize>, why: Unreadable) -> CallText {
        CallText {
            name: String::new(),
            arguments: Err(why),
            span,
        }
    }

    /// Reads a value as a call. The name and the arguments are either in `function` or next to it.
    pub(super) fn of(value: &json::ReadValue) -> CallText {
        let span = value.span.clone();
        let Some(outer) = Members::of(&value.text) else {
            return CallText::unreadable(span);
        };
        let inner = outer.get("function").and_then(|function| Members::of(function.get()));
        let inner = inner.as_ref().unwrap_or(&outer);
        let arguments = inner.arguments().or_else(|| outer.arguments());
        CallText {
            name: inner
                .name()
                .or_else(|| outer.name())
                .map(|name| bare_name(&name).to_owned())
                .unwrap_or_default(),
            arguments: Ok(arguments.map(|json| text(json).into_owned()).unwrap_or_default()),
            span,
        }
    }

    /// Returns the name and the arguments in the form in which people write a call, or `None` if there is no name.
    pub(super) fn in_short(&self) -> Option<String> {
        let arguments = self.arguments.as_ref().ok().filter(|_| !self.name.is_empty())?;
        Some(format!("{}({arguments})", self.name))
    }

    /// Returns how many bytes are kept for the call.
    pub(super) fn length(&self) -> usize {
        self.name.len() + self.arguments.as_ref().map_or(0, String::len)
    }

    /// Checks whether anything could be read at all.
    pub(super) fn is_readable(&self) -> bool {
        self.arguments.is_ok()
    }

    /// Returns why nothing could be read.
    pub(super) fn why(&self) -> Option<Unreadable> {
        self.arguments.as_ref().err().copied()
    }

    /// Checks whether a value looks like a call. It must have a known name, or any name together with arguments.
    pub(super) fn looks_like_one(value: &json::ReadValue, known: impl Fn(&str) -> bool) -> bool {
        let named = |members: &Members<'_>| {
            let name = members.name();
            name.is_some_and(|name| known(bare_name(&name)) || members.spelt_out().is_some())
        };
        Members::of(&value.text).is_some_and(|outer| {
            let inner = outer.get("function").and_then(|function| Members::of(function.get()));
            named(&outer) || inner.is_some_and(|inner| named(&inner))
        })
    }

    /// Parses the arguments as an object.
    pub(super) fn arguments(&self, closers: Closers) -> Result<CallArguments, NoObject> {
        match &self.arguments {
            Ok(arguments) => CallArguments::of(arguments, closers),
            Err(_) => Err(NoObject::Json(None)),
        }
    }
}

/// Spellings of the arguments.
const ARGUMENTS: [&str; 5] = ["arguments", "parameters", "args", "tool_args", "tool_input"];
/// Claude's spelling. Other objects have such a member too, so it does not make them calls.
const INPUT: &str = "input";
/// Spellings of the name.
const NAMES: [&str; 3] = ["name", "function", "tool_name"];

/// The members of an object by name, with the whitespace around the names removed.
struct Members<'a>(BTreeMap<String, &'a RawValue>);

impl<'a> Members<'a> {
    /// Parses the members of strict JSON, or returns `None` if it is not an object.
    fn of(json: &'a str) -> Option<Members<'a>> {
        let members: BTreeMap<String, &RawValue> = serde_json::from_str(json).ok()?;
        let trimmed = members.into_iter().map(|(key, value)| (key.trim().to_owned(), value));
        Some(Members(trimmed.collect()))
    }

    /// Returns the member with this name; `null` counts as missing.
    fn get(&self, name: &str) -> Option<&'a RawValue> {
        self.0.get(name).copied().filter(|value| value.get() != "null")
    }

    fn name(&self) -> Option<Cow<'a, str>> {
        let name = NAMES.iter().find_map(|name| self.get(name))?;
        name.get().starts_with('"').then(|| text(name))
    }

    fn arguments(&self) -> Option<&'a RawValue> {
        self.spelt_out().or_else(|| self.get(INPUT))
    }

    /// Returns the arguments under a name that nothing but a call has.
    fn spelt_out(&self) -> Option<&'a RawValue> {
        ARGUMENTS.iter().find_map(|name| self.get(name))
    }
}

/// Returns the text of a string, or the JSON of anything else.
fn text(value: &RawValue) -> Cow<'_, str> {
    match serde_json::from_str(value.get()) {
        Ok(Value::String(text)) => Cow::Owned(text),
        _ => Cow::Borrowed(value.get()),
    }
}
