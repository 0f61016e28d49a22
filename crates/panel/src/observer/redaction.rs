//! Prepares request bodies for the log by replacing every picture with its hash.

use std::ops::Range;

use base64_simd::forgiving_decode_to_vec;
use franz_chat::picture::stand_in;
use franz_record::digest::sha256_hex;

use super::recorded_request::RecordedRequest;

/// Returns `body` with the base64 of every picture replaced. All other bytes stay the same.
pub(super) fn redacted(body: &[u8]) -> Vec<u8> {
    let Ok(text) = str::from_utf8(body) else {
        return body.to_vec();
    };
    let mut redacted = Vec::new();
    let mut end = 0;
    for Range { start, end: behind } in RecordedRequest::read(text).pictures {
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

    use super::redacted;

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
