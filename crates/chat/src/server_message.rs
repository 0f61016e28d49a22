//! Extracts a server's own words from an error answer, cleaned up to fit on one line of a terminal.

use franz_json::Object;
use serde_json::value::RawValue;

/// The largest number of characters to keep. Every real message fits, and the limit prevents servers from flooding the
/// logs.
const MOST: usize = 500;

/// Extracts the words from an error answer's body.
///
/// Looks where servers put the words: in `error.message`, `error`, `message` or `detail`. If they are not there, uses
/// the whole text. An HTML page is described by its title.
pub fn of_body(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    let text = text.trim();
    if text.is_empty() {
        return "no explanation".to_owned();
    }
    if text.starts_with('<') {
        return page(text);
    }
    let found = Object::read(text).and_then(|object| {
        let names = ["error", "message", "detail"];
        let mut members = names.iter().filter_map(|name| object.get(name));
        members.find(|member| member.get() != "null")
    });
    found.map_or_else(|| one_line(text), of_error)
}

/// Extracts the words in an `error` member: its `message` if it is an object, its text if it is a string, or else its
/// JSON.
pub(crate) fn of_error(error: &RawValue) -> String {
    let message = || Object::read(error.get())?.text("message");
    let words = franz_json::text(error).or_else(message);
    one_line(words.as_deref().unwrap_or(error.get()))
}

/// Returns whether an error answer's body says that the account has no credit left.
pub(crate) fn lacks_credit(body: &[u8]) -> bool {
    let error = str::from_utf8(body)
        .ok()
        .and_then(|text| Object::read(text)?.object("error"));
    error.is_some_and(|error| is_out_of_credit(&error))
}

fn is_out_of_credit(error: &Object<'_>) -> bool {
    let names = ["code", "type"];
    names
        .iter()
        .any(|name| error.text(name).is_some_and(|text| text == "insufficient_quota"))
}

/// Extracts from an `error` member its `code` if that is the HTTP status of an error: a number, or its digits. A lack of
/// credit has the status 402.
pub(crate) fn code_of(error: &RawValue) -> Option<u16> {
    let error = Object::read(error.get())?;
    if is_out_of_credit(&error) {
        return Some(402);
    }
    let digits = || error.text("code")?.parse().ok();
    let code = error.count("code").or_else(digits)?;
    u16::try_from(code).ok().filter(|code| (400..600).contains(code))
}

/// Extracts the reason a FRANZ relay's answer gives for not reaching the server.
pub(crate) fn reason(body: &[u8]) -> Option<String> {
    let error = Object::read(str::from_utf8(body).ok()?)?;
    Some(one_line(&error.object("error")?.text("why")?))
}

/// Puts text on one line without control characters, because a server must not control the terminal, and shortens it if
/// it is too long.
pub(crate) fn one_line(text: &str) -> String {
    let printable = text.replace(char::is_control, " ");
    let words: Vec<&str> = printable.split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

fn page(html: &str) -> String {
    match title(html) {
        Some(title) if !title.trim().is_empty() => format!("an HTML page titled \"{}\"", one_line(title)),
        _ => "an HTML page".to_owned(),
    }
}

fn title(html: &str) -> Option<&str> {
    let lower = html.to_ascii_lowercase();
    let start = lower.find("<title")?;
    let start = start + lower[start..].find('>')? + 1;
    let end = start + lower[start..].find('<')?;
    html.get(start..end)
}

#[cfg(test)]
mod tests {
    use super::{code_of, lacks_credit, of_body};
    use serde_json::value::RawValue;

    #[test]
    fn error_messages_are_found_in_every_known_field() {
        let cases: &[(&[u8], &str)] = &[
            (br#"{"error":{"message":"no such model","code":1}}"#, "no such model"),
            (br#"{"error":"out of\n memory"}"#, "out of memory"),
            (br#"{"error":{"code":7}}"#, r#"{"code":7}"#),
            (br#"{"error":null,"message":"plain"}"#, "plain"),
            (br#"{"detail":[{"loc":["body"]}]}"#, r#"[{"loc":["body"]}]"#),
            (br#"{"error":{"message":"\ud800 odd"}}"#, "\u{fffd} odd"),
            (
                b"<html><TITLE>502 Bad\nGateway</TITLE>",
                "an HTML page titled \"502 Bad Gateway\"",
            ),
            (b"<!doctype html>", "an HTML page"),
            (b"  ", "no explanation"),
            (b"text \x1b[31m red\xff", "text [31m red\u{fffd}"),
        ];
        for (body, words) in cases {
            assert_eq!(of_body(body), *words);
        }
    }

    #[test]
    fn a_code_is_a_status_or_nothing() {
        for (error, code) in [
            (r#"{"code":402,"message":"no credit"}"#, Some(402)),
            (r#"{"code":"429"}"#, Some(429)),
            (r#"{"code":200}"#, None),
            (r#"{"code":65938}"#, None),
            (r#"{"code":-402}"#, None),
            (r#"{"code":"rate_limit_exceeded"}"#, None),
            (r#"{"code":"insufficient_quota"}"#, Some(402)),
            (r#"{"type":"insufficient_quota","code":null}"#, Some(402)),
            (r#"{"code":null}"#, None),
            (r#"{"message":"402"}"#, None),
            (r#""402""#, None),
        ] {
            let raw = RawValue::from_string(error.to_owned()).unwrap();
            assert_eq!(code_of(&raw), code, "{error}");
        }
    }

    #[test]
    fn a_lack_of_credit_is_told_apart_from_too_many_requests() {
        for (body, is_lacking) in [
            (
                r#"{"error":{"message":"m","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}"#,
                true,
            ),
            (r#"{"error":{"message":"m","type":"insufficient_quota"}}"#, true),
            (
                r#"{"error":{"message":"insufficient_quota","code":"rate_limit_exceeded"}}"#,
                false,
            ),
            (r#"{"error":"insufficient_quota"}"#, false),
            ("insufficient_quota", false),
        ] {
            assert_eq!(lacks_credit(body.as_bytes()), is_lacking, "{body}");
        }
        assert!(!lacks_credit(b"\xff"));
    }

    #[test]
    fn a_long_message_is_cut_between_characters() {
        let words = of_body("é".repeat(10_000).as_bytes());
        assert_eq!(words.chars().count(), 501);
        assert!(words.ends_with('…'));
    }
}
