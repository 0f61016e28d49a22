//! Represents the model's answer before it becomes JSON: text, and a function call if the protocol has function calls.

use franz_action::Action;
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};

use crate::aim::Aim;
use crate::artist::Thought;

/// One answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Speech {
    /// The text.
    pub(crate) content: String,
    /// The call, if any.
    pub(crate) call: Option<SpokenCall>,
}

/// A function call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SpokenCall {
    /// The function's name, as it was offered.
    pub(crate) name: String,
    /// The arguments, as the text of a JSON object.
    pub(crate) arguments: String,
}

/// The parts of a reply, which each protocol arranges in its own form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Voice {
    /// The calls that carry out a thought, in order.
    pub calls: Vec<String>,
    /// A call that only looks.
    pub look: String,
    /// The rules to remember, if the reply includes them.
    pub rules: String,
}

impl Voice {
    /// Returns FRANZ's own calls and the rules of a thought.
    pub fn own(thought: &Thought) -> Voice {
        Voice {
            calls: thought.calls(&Aim::EXACT),
            look: Action::Observe.to_string(),
            rules: format!("\n{}", thought.rules.list()),
        }
    }
}

impl Speech {
    /// Creates an answer without a call.
    pub(crate) fn text(content: String) -> Speech {
        Speech { content, call: None }
    }

    /// Moves the call into the text, as an object on the last line.
    pub(crate) fn in_text(self) -> Speech {
        let Some(SpokenCall { name, arguments }) = self.call else {
            return self;
        };
        let call = format!("{{\"name\": {}, \"parameters\": {arguments}}}", json!(name));
        Speech::text(format!("{}\n{call}", self.content))
    }

    /// Returns the reason why the answer ends.
    pub(crate) fn finish(&self) -> &'static str {
        if self.call.is_some() { "tool_calls" } else { "stop" }
    }

    /// Returns the array of calls; `number` makes their IDs unique.
    pub(crate) fn tool_calls(&self, number: u64) -> Option<Box<RawValue>> {
        let call = self.call.as_ref()?;
        let function = json!({ "name": call.name, "arguments": call.arguments });
        // In a streamed answer, the index identifies the call that a piece belongs to.
        let calls = json!([{ "index": 0, "id": format!("call_{number}"), "type": "function", "function": function }]);
        Some(to_raw_value(&calls).expect("values are always JSON"))
    }
}
