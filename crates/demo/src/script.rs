//! Reads prepared answers, one JSON object per line, for tests that need an exact answer from a model server.
//!
//! A line's answer is one of `text` (a reply), `content` (a JSON value inserted into the reply unchanged), `json` (a
//! whole body, kept unchanged) or `raw` (the same as a string). `tool_calls`, an error `status` or a `close` is enough
//! as well. Tool calls are inserted unchanged, whatever their IDs and arguments, next to `text`, `content` or null. The
//! keys `status`, `headers`, `finish_reason`, `delay_s`, `drip_s` and `close` (`"before"` or `"mid"`) control how the
//! answer is sent. The line `"rest"` stands for the answer that the built-in model gives when its cat is complete. The
//! last line repeats once all lines have been used.

mod keys;
mod reply;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

pub(crate) use reply::ScriptLine;

/// Why a script cannot be used. Lines are counted from 1.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    /// The file cannot be read as text.
    #[error("cannot read the script {}: {source}", path.display())]
    File {
        /// The file's path.
        path: PathBuf,
        /// The error that the system returned.
        source: std::io::Error,
    },
    /// The script contains no answers.
    #[error("the script is empty; write one JSON object per line, such as {{\"text\": \"hello\"}}")]
    Empty,
    /// A line is not valid.
    #[error("line {line} of the script, column {column}: {problem}")]
    Json {
        /// The line number.
        line: usize,
        /// The column in the line, counted from 1.
        column: usize,
        /// The problem.
        problem: String,
    },
    /// A line contains several answers, or none.
    #[error("line {line} of the script: write exactly one of text, content, json, raw (found {found})")]
    Bodies {
        /// The line number.
        line: usize,
        /// The number of answers found.
        found: usize,
    },
    /// A value has the right type but cannot be used.
    #[error("line {line} of the script: {field} cannot be {value}; {hint}")]
    Value {
        /// The line number.
        line: usize,
        /// The key.
        field: &'static str,
        /// The value.
        value: String,
        /// The values allowed.
        hint: &'static str,
    },
}

/// Prepared answers in order.
#[derive(Debug)]
pub struct Script {
    lines: Vec<ScriptLine>,
    next: AtomicUsize,
}

impl Script {
    /// Reads a script file.
    #[expect(clippy::disallowed_methods, reason = "it is the person who names the script")]
    pub fn open(path: &Path) -> Result<Script, ScriptError> {
        let text = std::fs::read_to_string(path).map_err(|source| ScriptError::File {
            path: path.to_owned(),
            source,
        })?;
        Script::parse(&text)
    }

    /// Parses a script's text; empty lines are ignored.
    ///
    /// ```
    /// let script = franz_demo::Script::parse("{\"text\": \"hello\"}\n{\"status\": 503}\n\"rest\"\n");
    /// assert!(script.is_ok());
    /// ```
    pub fn parse(text: &str) -> Result<Script, ScriptError> {
        let lines = (1..).zip(text.trim_start_matches('\u{feff}').lines());
        let lines = lines.filter(|(_, line)| !line.trim().is_empty());
        let lines: Vec<ScriptLine> = lines
            .map(|(number, line)| ScriptLine::read(number, line))
            .collect::<Result<_, _>>()?;
        if lines.is_empty() {
            return Err(ScriptError::Empty);
        }
        Ok(Script {
            lines,
            next: AtomicUsize::new(0),
        })
    }

    /// Returns the next line, or the last one again after all lines have been used.
    pub(crate) fn next(&self) -> &ScriptLine {
        let last = self.lines.len() - 1;
        let advance = |next: usize| (next < last).then_some(next + 1);
        let at = self.next.fetch_update(Ordering::Relaxed, Ordering::Relaxed, advance);
        &self.lines[at.unwrap_or(last)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::ChatRequest;
    use crate::throttled_body::Payload;

    fn bodies(text: &str, count: usize) -> Vec<String> {
        let script = Script::parse(text).unwrap();
        let body = |_| match script.next() {
            ScriptLine::Rest => "rest".to_owned(),
            ScriptLine::Reply(reply) => match reply.answer(&ChatRequest::default(), 1).payload {
                Payload::Json(bytes) => String::from_utf8(bytes.to_vec()).unwrap(),
                Payload::Events(events) => String::from_utf8(events.concat()).unwrap(),
            },
        };
        (0..count).map(body).collect()
    }

    #[test]
    fn lines_answer_in_order_and_the_last_repeats() {
        let text = "\u{feff}{\"raw\": \"one\"}\r\n\n  {\"json\": {\"a\" :  [1,2], \"b\": \"\\ud800\"}}\n\"rest\"\n";
        let wanted = ["one", "{\"a\" :  [1,2], \"b\": \"\\ud800\"}", "rest", "rest"];
        assert_eq!(bodies(text, 4), wanted);
    }

    #[test]
    fn contents_stay_as_they_are_written() {
        for literal in ["\"\\ud800\\u0000 \\/\"", "null", "[1,  2]", "17"] {
            let body = bodies(&format!("{{\"content\": {literal}}}"), 1).remove(0);
            assert!(body.contains(&format!("\"content\":{literal}}}")), "{body}");
        }
    }

    #[test]
    fn script_lines_without_a_body_answer_with_their_other_fields() {
        let text = "{\"tool_calls\": [{\"id\": \"x\\ud800\"}]}\n{\"status\": 503}\n{\"close\": \"before\"}";
        let bodies = bodies(text, 3);
        assert!(
            bodies[0].contains(r#""content":null,"tool_calls":[{"id": "x\ud800"}]"#),
            "{}",
            bodies[0]
        );
        assert!(bodies[0].contains(r#""finish_reason":"tool_calls""#));
        assert!(bodies[1].contains("Service Unavailable"));
    }

    #[test]
    fn tool_calls_stay_as_they_are_written() {
        let function = |arguments: &str| format!("{{\"name\":  \"drag\"{arguments}}}");
        let calls = [
            format!(
                "[{{\"id\": \"call_1\", \"function\": {}}}]",
                function(", \"arguments\": \"{\\\"x1\\\": 1}\"")
            ),
            format!(
                "[{{\"function\": {}}}]",
                function(", \"arguments\": {\"x1\" :1, \"text\": \"\\udc00\"}")
            ),
            format!("[{{\"id\": null, \"function\": {}}}, {{\"id\": \"\"}}]", function("")),
            "{\"no\": \"array\"}".to_owned(),
        ];
        let contents = [
            (String::new(), "null"),
            (", \"content\": null".to_owned(), "null"),
            (", \"content\": [ 1 ]".to_owned(), "[ 1 ]"),
            (", \"text\": \"I draw.\"".to_owned(), "\"I draw.\""),
        ];
        for calls in &calls {
            for (given, content) in &contents {
                let body = bodies(&format!("{{\"tool_calls\": {calls}{given}}}"), 1).remove(0);
                let message =
                    format!("\"content\":{content},\"tool_calls\":{calls}}},\"finish_reason\":\"tool_calls\"");
                assert!(body.contains(&message), "{body}");
            }
        }
    }

    #[test]
    fn empty_tool_calls_finish_with_stop() {
        for calls in ["null", "[]", "[ ]"] {
            let body = bodies(&format!("{{\"text\": \"a\", \"tool_calls\": {calls}}}"), 1).remove(0);
            let message = format!("\"tool_calls\":{calls}}},\"finish_reason\":\"stop\"");
            assert!(body.contains(&message), "{body}");
        }
    }

    #[test]
    fn bad_lines_are_named() {
        let cases = [
            ("", "the script is empty"),
            (
                "{\"text\": \"a\"}\n\n{\"text\": 5}",
                "line 3 of the script, column 10: invalid type: integer `5`, expected a string",
            ),
            (
                "{\"txet\": \"a\"}",
                "line 1 of the script, column 7: unknown field `txet`",
            ),
            ("nonsense", "line 1 of the script, column 2: expected"),
            ("{}", "exactly one of text, content, json, raw (found 0)"),
            ("{\"text\": \"a\", \"raw\": \"b\"}", "(found 2)"),
            ("{\"status\": 99}", "status cannot be 99"),
            ("{\"status\": 101}", "status cannot be 101"),
            ("{\"text\": \"a\", \"delay_s\": -1}", "delay_s cannot be -1"),
            ("{\"text\": \"a\", \"drip_s\": 1e300}", "drip_s cannot be 1"),
            ("{\"text\": \"a\", \"close\": \"late\"}", "unknown variant `late`"),
            (
                "{\"text\": \"a\", \"headers\": {\"Content-Length\": \"3\"}}",
                "headers cannot be Content-Length",
            ),
            (
                "{\"text\": \"a\", \"headers\": {\"a b\": \"3\"}}",
                "headers cannot be a b",
            ),
        ];
        for (text, words) in cases {
            let error = Script::parse(text).unwrap_err().to_string();
            assert!(error.contains(words), "{text}: {error}");
        }
        let error = Script::open(Path::new("no/such/script.jsonl")).unwrap_err().to_string();
        assert!(
            error.starts_with("cannot read the script no/such/script.jsonl: "),
            "{error}"
        );
    }
}
