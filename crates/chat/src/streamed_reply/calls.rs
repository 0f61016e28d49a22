//! Reassembles the tool calls of a streamed reply.

use franz_json::{literal, members, splice, string};
use serde_json::value::RawValue;

/// The largest number of calls in one reply. Each fragment searches for its call, so without a limit the cost would
/// grow with the square of their number.
pub(super) const MOST_CALLS: usize = 1_000;

/// The calls received so far.
#[derive(Debug, Default)]
pub(super) struct StreamedCalls(Vec<Call>);

/// One call, in raw JSON.
#[derive(Debug, Default)]
struct Call {
    index: Option<u64>,
    id: Option<String>,
    /// The name between the quotes.
    name: String,
    /// The arguments between the quotes.
    arguments: String,
    /// The arguments, if they were sent as an object instead of a string.
    object: Option<String>,
}

impl StreamedCalls {
    /// Adds a fragment. It belongs to the call with its index, unless that call has a different ID: some servers give
    /// all calls the index 0. Without an index, the ID decides. Without either, a name begins a new call, and anything
    /// else continues the last one. A repeated name is not appended.
    pub(super) fn take(&mut self, fragment: &str) {
        let Some([index, id, function]) = members(fragment, ["index", "id", "function"]) else {
            return;
        };
        let index = index.and_then(|index| index.get().parse().ok());
        let id = id.and_then(text);
        let function = function.and_then(|function| members(function.get(), ["name", "arguments"]));
        let [name, arguments] = function.unwrap_or_default();
        let name = name.and_then(text);
        let place = self.place(index, id, name).unwrap_or_else(|| {
            self.0.push(Call::default());
            self.0.len() - 1
        });
        let call = &mut self.0[place];
        call.index = call.index.or(index);
        call.id = call.id.take().or_else(|| id.map(str::to_owned));
        if let Some(more) = name.map(literal::unquoted).filter(|more| *more != call.name) {
            call.name.push_str(more);
        }
        if let Some(arguments) = arguments.filter(|arguments| arguments.get() != "null") {
            match string(arguments) {
                Some(text) => call.arguments.push_str(literal::unquoted(text)),
                None => call.object = Some(arguments.get().to_owned()),
            }
        }
    }

    /// Returns whether there are more than [`MOST_CALLS`].
    pub(super) fn are_too_many(&self) -> bool {
        self.0.len() > MOST_CALLS
    }

    /// Returns the position of the call that a fragment continues; `None` if the fragment begins a call.
    fn place(&self, index: Option<u64>, id: Option<&str>, name: Option<&str>) -> Option<usize> {
        let other_id = |call: &Call| matches!((call.id.as_deref(), id), (Some(known), Some(id)) if known != id);
        let place = |wanted: &dyn Fn(&Call) -> bool| self.0.iter().rposition(wanted);
        match (index, id, name) {
            (Some(_), ..) => place(&|call| call.index == index && !other_id(call)),
            (None, Some(id), _) => place(&|call| call.id.as_deref() == Some(id)),
            (None, None, Some(_)) => None,
            (None, None, None) => self.0.len().checked_sub(1),
        }
    }

    /// Returns the array of calls, ordered by index; `None` if there are none.
    pub(super) fn array(mut self) -> Option<String> {
        self.0.sort_by_key(|call| call.index.unwrap_or(u64::MAX));
        let calls: Vec<String> = self.0.into_iter().map(Call::json).collect();
        (!calls.is_empty()).then(|| format!("[{}]", calls.join(",")))
    }
}

impl Call {
    fn json(self) -> String {
        let arguments = match (self.object, self.arguments) {
            (Some(object), text) if text.is_empty() => object,
            (_, text) if text.is_empty() => "\"{}\"".to_owned(),
            (_, text) => format!("\"{text}\""),
        };
        let name = (!self.name.is_empty()).then(|| ("name", format!("\"{}\"", self.name)));
        let function = splice(name.into_iter().chain([("arguments", arguments)]));
        let typed = [("type", "\"function\"".to_owned()), ("function", function)];
        splice(self.id.map(|id| ("id", id)).into_iter().chain(typed))
    }
}

/// Returns a value's string literal if the string is not empty.
fn text(value: &RawValue) -> Option<&str> {
    string(value).filter(|literal| literal.len() > 2)
}

#[cfg(test)]
mod tests {
    use super::StreamedCalls;

    fn calls(fragments: &[&str]) -> Option<String> {
        let mut calls = StreamedCalls::default();
        for fragment in fragments {
            calls.take(fragment);
        }
        calls.array()
    }

    fn call(id: &str, name: &str, arguments: &str) -> String {
        format!(r#"{{"id":"{id}","type":"function","function":{{"name":"{name}","arguments":{arguments}}}}}"#)
    }

    #[test]
    fn fragments_find_their_calls() {
        let (a, b) = (call("a", "f", r#""{}""#), call("b", "g", r#""{\"x\":1}""#));
        let both = Some(format!("[{a},{b}]"));
        let by_index = [
            r#"{"index":1,"id":"b","function":{"name":"g","arguments":"{\"x\""}}"#,
            r#"{"index":0,"id":"a","function":{"name":"f"}}"#,
            r#"{"index":1,"function":{"name":"g","arguments":":1}"}}"#,
            r#"{"index":0,"function":{"arguments":null}}"#,
        ];
        assert_eq!(calls(&by_index), both);
        let all_numbered_0 = [
            r#"{"index":0,"id":"a","function":{"name":"f","arguments":""}}"#,
            r#"{"index":0,"id":"b","function":{"name":"g","arguments":"{\"x\""}}"#,
            r#"{"index":0,"id":"b","function":{"arguments":":1}"}}"#,
        ];
        assert_eq!(calls(&all_numbered_0), both);
        let without_index = [
            r#"{"id":"a","function":{"name":"f"}}"#,
            r#"{"id":"b","function":{"name":"g","arguments":"{\"x\""}}"#,
            r#"{"function":{"arguments":":1}"}}"#,
        ];
        assert_eq!(calls(&without_index), both);
        let named_in_pieces_and_again = [
            r#"{"index":0,"id":"a","function":{"name":"cli"}}"#,
            r#"{"index":0,"function":{"name":"ck"}}"#,
            r#"{"index":0,"function":{"name":"click"}}"#,
        ];
        assert_eq!(
            calls(&named_in_pieces_and_again),
            Some(format!("[{}]", call("a", "click", r#""{}""#)))
        );
        assert_eq!(
            calls(&[r#"{"id":"c","function":{"name":"h","arguments":{"y":2}}}"#]),
            Some(format!("[{}]", call("c", "h", r#"{"y":2}"#)))
        );
        assert_eq!(calls(&["[]", "7"]), None);
    }
}
