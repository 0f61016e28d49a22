//! A call of a tool as a model wrote it, made fit to be sent back.

use std::collections::HashSet;

use crate::envelope::{DEEPEST, deeper_than};
use crate::object::Object;

/// One call, as a conversation keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall {
    /// The call's id, by which its result is told; may be empty.
    pub id: String,
    /// The tool's name; may be empty.
    pub name: String,
    /// The text of a JSON object, or whatever else the model wrote there.
    pub arguments: String,
}

impl ToolCall {
    /// What is sent back as the call's arguments: servers parse them, and would refuse this request and every later one
    /// for a slip of the model. What is no object is left out; its result says what was wrong.
    pub(crate) fn sendable_arguments(&self) -> &str {
        let is_object = Object::read(&self.arguments).is_some();
        if is_object && !deeper_than(&self.arguments, DEEPEST) {
            &self.arguments
        } else {
            "{}"
        }
    }
}

/// Gives an id of ours, `call_<turn>_<n>`, to each call whose own is empty or in use already.
pub(crate) fn tell_apart(calls: &mut [ToolCall], mut in_use: HashSet<String>, turn: u64) {
    let mut number = 0;
    for (at, call) in calls.iter_mut().enumerate() {
        if call.id.is_empty() || in_use.contains(&call.id) {
            number = at.max(number);
            // The number never goes back, so that odd ids cannot make this quadratic.
            call.id = loop {
                number += 1;
                let id = format!("call_{turn}_{number}");
                if !in_use.contains(&id) {
                    break id;
                }
            };
        }
        in_use.insert(call.id.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::{ToolCall, tell_apart};
    use std::collections::HashSet;

    fn call(id: &str) -> ToolCall {
        ToolCall {
            id: id.to_owned(),
            name: "f".to_owned(),
            arguments: "{}".to_owned(),
        }
    }

    #[test]
    fn only_an_object_is_sent_back() {
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
    fn ids_of_ours_take_the_place_of_those_that_say_nothing() {
        let cases: [(&[&str], &[&str]); 5] = [
            (&["a", "b"], &["a", "b"]),
            (&["old", ""], &["call_7_1", "call_7_2"]),
            (&["a", "a", "a"], &["a", "call_7_2", "call_7_3"]),
            (&["", "call_7_1", "call_7_2"], &["call_7_1", "call_7_2", "call_7_3"]),
            (&["call_7_2", ""], &["call_7_2", "call_7_3"]),
        ];
        for (written, sent) in cases {
            let mut calls: Vec<_> = written.iter().map(|id| call(id)).collect();
            tell_apart(&mut calls, HashSet::from(["old".to_owned()]), 7);
            let ids: Vec<_> = calls.iter().map(|call| &*call.id).collect();
            assert_eq!(ids, sent, "{written:?}");
        }
    }
}
