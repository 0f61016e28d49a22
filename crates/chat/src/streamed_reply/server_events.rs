//! Reads server-sent events from bytes that can be split anywhere.

use memchr::memchr2;

use crate::defect::Defect;

/// One server-sent event.
#[derive(Debug, Default)]
pub(super) struct ServerEvent {
    pub(super) data: String,
    /// Whether the event is named `error`.
    pub(super) is_error: bool,
}

/// Splits bytes into events. The bytes are decoded line by line.
#[derive(Debug, Default)]
pub(super) struct ServerEvents {
    /// The line being read.
    line: Vec<u8>,
    /// The event being read.
    event: Option<ServerEvent>,
    /// Whether the previous line ended with a carriage return, in which case a line feed right after it does not end
    /// another line.
    is_after_return: bool,
    is_begun: bool,
}

/// The byte order mark that some servers send before the first line.
const BYTE_ORDER_MARK: char = '\u{feff}';

impl ServerEvents {
    /// Reads bytes until an event is complete; returns `None` if more bytes are needed.
    pub(super) fn next(&mut self, rest: &mut &[u8]) -> Result<Option<ServerEvent>, Defect> {
        while !rest.is_empty() {
            if std::mem::take(&mut self.is_after_return)
                && let Some(behind) = rest.strip_prefix(b"\n")
            {
                *rest = behind;
                continue;
            }
            let Some(end) = memchr2(b'\n', b'\r', rest) else {
                self.line.extend_from_slice(rest);
                *rest = &[];
                break;
            };
            self.line.extend_from_slice(&rest[..end]);
            self.is_after_return = rest[end] == b'\r';
            *rest = &rest[end + 1..];
            if self.line.is_empty() && self.event.is_some() {
                return Ok(self.event.take());
            }
            self.end_line()?;
        }
        Ok(None)
    }

    /// Returns the last event if no empty line has ended it and it is valid UTF-8.
    pub(super) fn last(&mut self) -> Option<ServerEvent> {
        self.end_line().ok()?;
        self.event.take()
    }

    /// Adds the line to the event. Comments and unknown fields are ignored.
    fn end_line(&mut self) -> Result<(), Defect> {
        let line = std::mem::take(&mut self.line);
        let line = str::from_utf8(&line).map_err(|error| Defect::NotUtf8 {
            at: error.valid_up_to(),
        })?;
        let marked = (!std::mem::replace(&mut self.is_begun, true)).then(|| line.strip_prefix(BYTE_ORDER_MARK));
        let line = marked.flatten().unwrap_or(line);
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match name {
            "data" => match &mut self.event {
                Some(event) if !event.data.is_empty() => event.data.extend(["\n", value]),
                event => event.get_or_insert_default().data.push_str(value),
            },
            "event" => self.event.get_or_insert_default().is_error = value == "error",
            // llama.cpp before 2025-09 reports an error in a field of this name (its pull request 16109).
            "error" => {
                let event = self.event.get_or_insert_default();
                event.is_error = true;
                event.data = if value.starts_with('{') {
                    format!("{{\"error\":{value}}}")
                } else {
                    value.to_owned()
                };
            }
            _ => {}
        }
        Ok(())
    }
}
