//! Parses the body of an answer into its JSON object, or determines why there is none.

use franz_json::{Object, deeper_than};
use serde_json::value::RawValue;

use crate::defect::Defect;
use crate::server_message;

/// The deepest nesting of brackets to read. A chat reply needs about a dozen levels; deeper nesting could exhaust the
/// stack of recursive readers.
pub(crate) const DEEPEST: usize = 128;

/// Returns the JSON object in a body.
pub(crate) fn open(body: &[u8]) -> Result<Object<'_>, Defect> {
    let text = str::from_utf8(body).map_err(|error| Defect::NotUtf8 {
        at: error.valid_up_to(),
    })?;
    // Values stay raw here, so deep nesting cannot cause deep recursion.
    let object = Object::read(text).ok_or_else(|| no_object(text))?;
    if deeper_than(text, DEEPEST) {
        return Err(Defect::TooDeep { limit: DEEPEST });
    }
    Ok(object)
}

fn no_object(text: &str) -> Defect {
    let start = text.trim_start();
    let Err(error) = serde_json::from_str::<&RawValue>(text) else {
        return Defect::NotAnObject;
    };
    if start.is_empty() {
        Defect::Empty
    } else if start.starts_with('<') {
        Defect::Html {
            words: server_message::of_body(start.as_bytes()),
        }
    } else {
        let start = server_message::one_line(&start.chars().take(60).collect::<String>());
        Defect::NotJson {
            line: error.line(),
            column: error.column(),
            start,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::open;
    use crate::defect::Defect;

    #[test]
    fn bodies_that_are_not_objects_get_a_named_fault() {
        let cases = [
            ("", "empty_body"),
            (" \r\n", "empty_body"),
            ("<html>", "html"),
            ("data: {\"choices\":[]}\n\n", "not_json"),
            ("{\"choices\":[", "not_json"),
            ("{} {}", "not_json"),
            ("{\"a\":\"line\nbreak\"}", "not_json"),
            ("Internal Server Error", "not_json"),
            ("[]", "not_an_object"),
            ("\"text\"", "not_an_object"),
        ];
        for (body, name) in cases {
            assert_eq!(open(body.as_bytes()).unwrap_err().name(), name, "{body}");
        }
        assert_eq!(open(b"{\"a\":\"\xff\"}").unwrap_err(), Defect::NotUtf8 { at: 6 });
    }

    #[test]
    fn nesting_has_a_limit_and_never_overflows() {
        let nested = |levels| format!(r#"{{"x":{}{}}}"#, "[".repeat(levels), "]".repeat(levels));
        assert!(open(nested(127).as_bytes()).is_ok());
        assert_eq!(open(nested(128).as_bytes()).unwrap_err().name(), "too_deep");
        assert_eq!(open(nested(1_000_000).as_bytes()).unwrap_err().name(), "too_deep");
        let open_ended = "{\"x\":".repeat(1_000_000);
        assert_eq!(open(open_ended.as_bytes()).unwrap_err().name(), "not_json");
    }

    #[test]
    fn brackets_inside_a_string_do_not_count_as_nesting() {
        let text = format!(r#"{{"x":"\"{}"}}"#, "[{".repeat(1_000));
        assert!(open(text.as_bytes()).is_ok());
    }
}
