//! Splits a logged request into its system prompt and tools, which most turns share, and the rest.

use std::borrow::Cow;
use std::ops::Range;

use franz_chat::picture::stand_ins;
use franz_json::{each_item, each_member, says, splice};

/// The roles that a system prompt can have.
const SYSTEM: [&str; 2] = ["system", "developer"];

/// The parts of a request. Each value is exactly as it was sent.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct RequestParts {
    /// The first message, if it is a system prompt.
    pub(super) system: Option<String>,
    /// The array of tools, if there is one.
    pub(super) tools: Option<String>,
    /// The request object without the other parts.
    pub(super) rest: String,
}

impl RequestParts {
    /// Splits a request into its parts; `None` if it is not a JSON object.
    pub(super) fn of(body: &str) -> Option<RequestParts> {
        let mut parts = RequestParts::default();
        let mut rest = Vec::new();
        each_member(body, |key, value| {
            let name = key.get().trim_matches('"');
            match name {
                "tools" => parts.tools = Some(value.get().to_owned()),
                "messages" => {
                    let mut messages = Vec::new();
                    each_item(value.get(), |message| messages.push(message.get()));
                    if let Some(first) = messages.first().filter(|first| is_system(first)) {
                        parts.system = Some((*first).to_owned());
                        messages.remove(0);
                    }
                    rest.push((name, Cow::Owned(format!("[{}]", messages.join(",")))));
                }
                _ => rest.push((name, Cow::Borrowed(value.get()))),
            }
        })?;
        parts.rest = splice(rest);
        Some(parts)
    }
}

fn is_system(message: &str) -> bool {
    let role = franz_json::members(message, ["role"]).and_then(|[role]| role);
    SYSTEM.iter().any(|system| says(role, system))
}

/// Replaces each picture in a request with the name of its file. `file` returns that name, given the beginning of the
/// picture's hash. If it returns none, the placeholder stays.
pub(super) fn with_files(request: &str, file: impl Fn(&str) -> Option<String>) -> String {
    let mut named = String::with_capacity(request.len());
    let mut written = 0;
    for (stand_in, digits) in stand_ins(request) {
        let found = address(request, stand_in).and_then(|address| Some((address, file(digits)?)));
        if let Some((address, file)) = found {
            named.push_str(&request[written..address.start]);
            named.push_str(&file);
            written = address.end;
        }
    }
    named.push_str(&request[written..]);
    named
}

/// Returns where the picture's address is that ends with this stand-in. The address must fill the whole string, so that
/// text that only mentions an address stays.
fn address(request: &str, stand_in: Range<usize>) -> Option<Range<usize>> {
    let begin = request[..stand_in.start].rfind('"')? + 1;
    let is_address = request[begin..].starts_with("data:image") && request[stand_in.end..].starts_with('"');
    is_address.then_some(begin..stand_in.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_falls_into_parts_to_the_byte() {
        let system = r#"{"role":"system","content":"\ud800\/ be kind"}"#;
        let user = r#"{ "role":"user","content":"\u0041"}"#;
        let tools = r#"[ {"type":"function"} ]"#;
        let body = format!(r#"{{"model":"m","tools":{tools},"messages":[{system}, {user}],"temperature":1.50}}"#);
        let parts = RequestParts::of(&body).unwrap();
        assert_eq!(parts.system.as_deref(), Some(system));
        assert_eq!(parts.tools.as_deref(), Some(tools));
        assert_eq!(
            parts.rest,
            format!(r#"{{"model":"m","messages":[{user}],"temperature":1.50}}"#)
        );

        let without = RequestParts::of(r#"{"messages":[{"role":"user"}]}"#).unwrap();
        assert_eq!((without.system, without.tools), (None, None));
        assert_eq!(RequestParts::of("[]"), None);
    }

    #[test]
    fn pictures_are_named_by_their_files() {
        let known = |hash: &str| (hash == "abcabcabcabc").then(|| "pictures/abcdef.png".to_owned());
        for (request, named) in [
            (
                r#"{"url":"data:image/png;base64,[b64 sha=abcabcabcabc len=9]"}"#,
                r#"{"url":"pictures/abcdef.png"}"#,
            ),
            (
                r#"{"url":"data:image\/png;base64,[b64 sha=abcabcabcabc len=9]"}"#,
                r#"{"url":"pictures/abcdef.png"}"#,
            ),
            (r#"{"url":"data:image/png;base64,[b64 sha=abdabdabdabd len=9]"}"#, ""),
            (
                r#"{"text":"data:image/png;base64,[b64 sha=abcabcabcabc len=9] it said"}"#,
                "",
            ),
            (r#"{"text":"[b64 sha=abcabcabcabc len=9]"}"#, ""),
            (r#"{"text":"[b64 sha="}"#, ""),
        ] {
            let named = if named.is_empty() { request } else { named };
            assert_eq!(with_files(request, known), named);
        }
    }
}
