//! What the model answers, before it is JSON: a text, and a call of a function where the protocol has such.

use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};

/// One answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Speech {
    /// The text.
    pub(crate) content: String,
    /// The call.
    pub(crate) call: Option<SpokenCall>,
}

/// A call of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SpokenCall {
    /// The function's name, as it was offered.
    pub(crate) name: String,
    /// The text of an object.
    pub(crate) arguments: String,
}

impl Speech {
    /// An answer without a call.
    pub(crate) fn text(content: String) -> Speech {
        Speech { content, call: None }
    }

    /// Why the answer ends.
    pub(crate) fn finish(&self) -> &'static str {
        if self.call.is_some() { "tool_calls" } else { "stop" }
    }

    /// The array of calls; `number` tells their ids apart.
    pub(crate) fn tool_calls(&self, number: u64) -> Option<Box<RawValue>> {
        let call = self.call.as_ref()?;
        let function = json!({ "name": call.name, "arguments": call.arguments });
        // Where an answer comes in pieces the index says which call a piece belongs to.
        let calls = json!([{ "index": 0, "id": format!("call_{number}"), "type": "function", "function": function }]);
        Some(to_raw_value(&calls).expect("values are always JSON"))
    }
}
