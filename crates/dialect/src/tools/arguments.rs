//! The arguments of a call as a JSON object.

use std::collections::BTreeMap;

use franz_action::ToolSet;
use serde_json::{Map, Value};

use super::call_error::ToolCallError;
use super::function::Function;
use crate::json::{self, Closers, StringFault};
use crate::notation::Arguments;

/// The arguments of a call as an object.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct CallArguments {
    /// Strict, compact JSON.
    pub(super) text: String,
    members: Map<String, Value>,
}

/// What models write around all arguments of a call. No function has a parameter with such a name.
const WRAPPERS: [&str; 5] = ["arguments", "parameters", "properties", "args", "input"];

/// Why arguments are not an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoObject {
    /// They are not JSON, perhaps because of a string.
    Json(Option<StringFault>),
    /// They are JSON, but not an object.
    Other,
}

impl NoObject {
    /// Returns the error to report.
    pub(super) fn fault(self, function: &Function, tools: &ToolSet) -> ToolCallError {
        match self {
            NoObject::Json(Some(string)) => ToolCallError::String(string),
            NoObject::Json(None) => ToolCallError::Json(function.shape(tools)),
            NoObject::Other => ToolCallError::args(function, tools, "the arguments must be one JSON object"),
        }
    }
}

impl CallArguments {
    /// Reads an object, which can also be in a string. Empty text counts as an empty object.
    pub(super) fn of(written: &str, closers: Closers) -> Result<CallArguments, NoObject> {
        CallArguments::within(written, closers, true)
    }

    /// Returns the members, to be read the way other programs would.
    pub(super) fn raw(&self) -> Arguments {
        Arguments::of(self.members.clone())
    }

    /// Returns the arguments with a placeholder as the label.
    pub(super) fn labelled(mut self) -> CallArguments {
        self.members.retain(|name, _| name.trim() != "label");
        self.members.insert("label".to_owned(), Value::from("target"));
        self
    }

    /// Returns the values that are not empty, by name.
    pub(super) fn values(&self) -> BTreeMap<&str, &Value> {
        let members = self.members.iter().map(|(name, value)| (name.trim(), value));
        members.filter(|(_, value)| !value.is_null()).collect()
    }

    fn within(written: &str, closers: Closers, in_string: bool) -> Result<CallArguments, NoObject> {
        let read = match written.trim() {
            "" => "{}".to_owned(),
            written => {
                let read = json::value(written, closers);
                read.map_err(|broken| NoObject::Json(broken.string))?.text
            }
        };
        match serde_json::from_str(&read).map_err(|_| NoObject::Json(None))? {
            Value::Object(members) => Ok(CallArguments {
                text: read,
                members: unwrapped(members),
            }),
            Value::Null => CallArguments::within("", closers, false),
            Value::String(inner) if in_string => CallArguments::within(&inner, closers, false),
            _ => Err(NoObject::Other),
        }
    }
}

/// Returns the members of the object that is the only member, if its name says that these are the arguments.
fn unwrapped(mut members: Map<String, Value>) -> Map<String, Value> {
    if members.len() == 1 {
        for wrapper in WRAPPERS {
            if let Some(Value::Object(inner)) = members.get_mut(wrapper) {
                return std::mem::take(inner);
            }
        }
    }
    members
}
