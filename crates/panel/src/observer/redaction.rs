//! Prepares request bodies for the log by replacing every picture with its hash.

use std::ops::Range;

use base64_simd::forgiving_decode_to_vec;
use franz_chat::picture::stand_in;
use franz_record::digest::sha256_hex;

use super::recorded_request::RecordedRequest;

/// A string of base64 that is at least this long is a picture, or as useless to readers.
const LONG: usize = 1024;

/// Returns `body` with the base64 of every picture replaced. All other bytes stay the same.
pub(super) fn redacted(body: &[u8]) -> Vec<u8> {
    let Ok(text) = str::from_utf8(body) else {
        return body.to_vec();
    };
    replaced(body, RecordedRequest::read(text).pictures)
}

/// Does the same for a request in any other API, whose pictures can be anywhere: in each string that is a data URL, and
/// in each long string of nothing but base64.
pub(super) fn redacted_anywhere(body: &[u8]) -> Vec<u8> {
    let mut pictures = Vec::new();
    let mut at = 0;
    while let Some(opened) = body.get(at..).and_then(|rest| memchr::memchr(b'"', rest)) {
        let start = at + opened + 1;
        let end = end_of_string(body, start);
        let string = body.get(start..end).unwrap_or_default();
        if let Some(data) = data_of(string) {
            pictures.push(end - data.len()..end);
        }
        at = end + 1;
    }
    replaced(body, pictures)
}

/// Returns where the JSON string that starts here ends.
fn end_of_string(body: &[u8], start: usize) -> usize {
    let mut at = start;
    while let Some(byte) = body.get(at) {
        match byte {
            b'"' => break,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    at.min(body.len())
}

/// Returns the base64 in a string.
fn data_of(string: &[u8]) -> Option<&[u8]> {
    const MARK: &[u8] = b";base64,";
    if string.starts_with(b"data:") {
        let at = memchr::memmem::find(string.get(..200.min(string.len()))?, MARK)?;
        return string.get(at + MARK.len()..);
    }
    let is_data = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/=-_\\".contains(byte);
    (string.len() >= LONG && string.iter().all(is_data)).then_some(string)
}

/// Replaces the base64 in these ranges.
fn replaced(body: &[u8], pictures: Vec<Range<usize>>) -> Vec<u8> {
    let mut redacted = Vec::new();
    let mut end = 0;
    for Range { start, end: behind } in pictures {
        let (Some(between), Some(base64)) = (body.get(end..start), body.get(start..behind)) else {
            continue;
        };
        redacted.extend_from_slice(between);
        redacted.extend_from_slice(named(base64).as_bytes());
        end = behind;
    }
    redacted.extend_from_slice(body.get(end..).unwrap_or_default());
    redacted
}

/// Decodes a picture from the base64 in a JSON string; `None` if it is not valid base64.
pub(super) fn picture(base64: &[u8]) -> Option<Vec<u8>> {
    forgiving_decode_to_vec(&unescaped(base64)).ok()
}

fn named(base64: &[u8]) -> String {
    // Even if it is not a picture, a string as long as this is of no use to readers, so replace it with its own hash.
    let bytes = picture(base64);
    stand_in(&sha256_hex(bytes.as_deref().unwrap_or(base64)), unescaped(base64).len())
}

/// Removes backslashes, because some writers put one before every slash.
fn unescaped(base64: &[u8]) -> Vec<u8> {
    base64.iter().copied().filter(|&byte| byte != b'\\').collect()
}

#[cfg(test)]
mod tests {
    use franz_chat::{Form, MessageShape, PictureRef, Prompt, Request, Sampling};
    use franz_json::Story;
    use franz_record::digest::sha256_hex;

    use super::{redacted, redacted_anywhere};

    #[test]
    fn redaction_matches_our_own_agents_log() {
        let png: Vec<u8> = (0..=255).cycle().take(5_000).collect();
        let sha256 = sha256_hex(&png);
        for shape in [MessageShape::Separate, MessageShape::Merged] {
            let prompt = Prompt {
                system: "data:image/png;base64,AAAA",
                story: &Story::from_raw(r#""\ud800 data:image/png;base64,AAAA""#).unwrap(),
                feedback: "f",
                beside: &[],
                picture: Some(PictureRef {
                    png: &png,
                    sha256: &sha256,
                }),
            };
            let form = Form {
                shape,
                empty_story: None,
            };
            let request = Request::new(&prompt, &form, &Sampling::default());
            assert_eq!(redacted(request.body()), request.redacted());
        }
    }

    #[test]
    fn pictures_are_found_anywhere_in_requests_of_other_apis() {
        let long = "iVBORw0K".repeat(200);
        let body = format!(
            r#"{{"a":"say \"hi\"","input":[{{"image_url":"data:image/png;base64,{long}"}},{{"source":{{"data":"{long}"}}}}],"short":"iVBORw0K"}}"#
        );
        let text = String::from_utf8(redacted_anywhere(body.as_bytes())).unwrap();
        assert!(!text.contains(&long), "{text}");
        assert_eq!(text.matches("[b64 sha=").count(), 2, "{text}");
        let (before, after) = (
            r#"{"a":"say \"hi\"","input":[{"image_url":"data:image/png;base64,[b64"#,
            r#""short":"iVBORw0K"}"#,
        );
        assert!(text.starts_with(before) && text.ends_with(after), "{text}");
        for body in [&b"\xff"[..], b"", b"\"", b"\"\\", b"{\"a\":\"data:\"}"] {
            assert_eq!(redacted_anywhere(body), body);
        }
    }

    #[test]
    fn other_json_writers_are_redacted_too() {
        let cases = [
            (
                r#"{"messages":[{"content":[{"image_url":"data:image\/png;base64,\/\/8="}]}]}"#,
                "[b64 sha=",
                "len=4]",
            ),
            (
                r#"{"messages":[{"content":[{"image_url":"data:image/png;base64,!!"}]}]}"#,
                "[b64 sha=",
                "len=2]",
            ),
        ];
        for (body, start, end) in cases {
            let text = String::from_utf8(redacted(body.as_bytes())).unwrap();
            assert!(text.contains(start) && text.contains(end), "{text}");
        }
        for body in [&b"\xff"[..], b"", b"{", b"{\"messages\":[]}"] {
            assert_eq!(redacted(body), body);
        }
    }
}
