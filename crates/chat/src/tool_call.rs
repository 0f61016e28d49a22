//! Represents a tool call written by the model, in a form that can be sent back.

use franz_json::{Object, deeper_than};

use crate::envelope::DEEPEST;

/// One call, as a conversation stores it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall {
    /// The ID that links the call to its result; assigned by a conversation.
    pub(crate) id: String,
    /// The tool's name, which can be empty.
    pub(crate) name: String,
    /// The text of a JSON object, or anything else the model wrote there.
    pub(crate) arguments: String,
}

impl ToolCall {
    /// Creates a call of the tool `name`, which can be empty. `arguments` is the text of a JSON object, or anything
    /// else the model wrote there.
    pub fn new(name: impl Into<String>, arguments: impl Into<String>) -> Self {
        Self {
            id: String::new(),
            name: name.into(),
            arguments: arguments.into(),
        }
    }

    /// Returns the arguments to send back. Servers parse them and would refuse this request and every later one because
    /// of the model's mistake. Anything but an object is omitted; the call's result says what was wrong.
    pub(crate) fn sendable_arguments(&self) -> &str {
        let is_object = Object::read(&self.arguments).is_some();
        if is_object && !deeper_than(&self.arguments, DEEPEST) {
            &self.arguments
        } else {
            "{}"
        }
    }
}

/// Gives each call the ID with which it is sent.
///
/// The server's own IDs cannot be used: some are empty, some repeat in every reply, and whether an ID repeats depends
/// on how much is still remembered. Mistral's templates require nine letters or digits. All other servers accept such
/// IDs as well.
pub(crate) fn name(calls: &mut [ToolCall], turn: u64) {
    for (number, call) in (1..).zip(calls) {
        call.id = format!("{turn:06}{number:03}");
    }
}

#[cfg(test)]
mod tests {
    use super::{ToolCall, name};
    use std::collections::HashSet;

    fn call(id: &str) -> ToolCall {
        ToolCall {
            id: id.to_owned(),
            name: "f".to_owned(),
            arguments: "{}".to_owned(),
        }
    }

    #[test]
    fn only_object_arguments_are_sent_back() {
        let deep = format!(r#"{{"x":{}{}}}"#, "[".repeat(100_000), "]".repeat(100_000));
        let cases = [
            (r#" {"x": "\ud800"} "#, r#" {"x": "\ud800"} "#),
            ("{open", "{}"),
            ("[1]", "{}"),
            ("", "{}"),
            (&deep, "{}"),
        ];
        for (arguments, sent) in cases {
            let call = ToolCall {
                arguments: arguments.to_owned(),
                ..call("a")
            };
            assert_eq!(call.sendable_arguments(), sent);
        }
    }

    #[test]
    fn server_ids_are_replaced_by_our_own() {
        for written in [["a", "b", "c"], ["a", "a", ""], ["000007002", "", "\u{fffd}\0"]] {
            let mut calls = written.map(call);
            name(&mut calls, 7);
            assert_eq!(calls.map(|call| call.id), ["000007001", "000007002", "000007003"]);
        }
    }

    #[test]
    fn ids_never_repeat_across_neighbouring_turns() {
        let mut ids = HashSet::new();
        let mut calls = vec![call("same"); 1_010];
        for turn in [1, 2, 10, 11, 100, 999_998, 999_999, 1_000_000, 1_000_001] {
            name(&mut calls, turn);
            assert!(calls.iter().all(|call| ids.insert(call.id.clone())), "{turn}");
            let nine = |call: &ToolCall| call.id.len() == 9 && call.id.bytes().all(|byte| byte.is_ascii_alphanumeric());
            assert!(turn > 999_999 || calls.iter().take(999).all(nine), "{turn}");
        }
    }
}
