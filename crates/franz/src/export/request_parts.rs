//! Splits a logged request into its system prompt and tools, which most turns share, and the rest.

use std::borrow::Cow;

use franz_json::{each_item, each_member, says, splice};

/// Replaces a picture's base64 in the log. The beginning of the picture's hash follows.
const STAND_IN: &str = "[b64 sha=";

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
    let mut rest = request;
    while let Some(at) = rest.find(STAND_IN) {
        let (before, behind) = rest.split_at(at);
        let found = picture(before, behind).and_then(|(begin, hash, end)| Some((begin, file(hash)?, end)));
        if let Some((begin, file, end)) = found {
            named.push_str(&before[..begin]);
            named.push_str(&file);
            rest = &behind[end..];
        } else {
            named.push_str(before);
            named.push_str(STAND_IN);
            rest = &behind[STAND_IN.len()..];
        }
    }
    named.push_str(rest);
    named
}

/// Returns where a picture's address begins in `before`, how the picture's hash begins, and where the address ends in
/// `behind`.
fn picture<'a>(before: &str, behind: &'a str) -> Option<(usize, &'a str, usize)> {
    let end = behind.find(']')? + 1;
    // The address must fill the whole string, so that text that only mentions an address stays.
    if !behind[end..].starts_with('"') {
        return None;
    }
    let begin = before.rfind('"')? + 1;
    if !before[begin..].starts_with("data:image") {
        return None;
    }
    let (hash, _) = behind[STAND_IN.len()..end].split_once(' ')?;
    Some((begin, hash, end))
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
        let known = |hash: &str| (hash == "abc").then(|| "pictures/abcdef.png".to_owned());
        for (request, named) in [
            (
                r#"{"url":"data:image/png;base64,[b64 sha=abc len=9]"}"#,
                r#"{"url":"pictures/abcdef.png"}"#,
            ),
            (
                r#"{"url":"data:image\/png;base64,[b64 sha=abc len=9]"}"#,
                r#"{"url":"pictures/abcdef.png"}"#,
            ),
            (r#"{"url":"data:image/png;base64,[b64 sha=abd len=9]"}"#, ""),
            (r#"{"text":"data:image/png;base64,[b64 sha=abc len=9] it said"}"#, ""),
            (r#"{"text":"[b64 sha=abc len=9]"}"#, ""),
            (r#"{"text":"[b64 sha="}"#, ""),
        ] {
            let named = if named.is_empty() { request } else { named };
            assert_eq!(with_files(request, known), named);
        }
    }
}
