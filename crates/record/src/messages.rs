//! `messages.jsonl`: the person's messages to the model and the modes that they set, one per line, in order.
//!
//! Any program that accepts a message from the person appends a line, and the agent notes in its state how far it has
//! read. A message is therefore safe as soon as it is accepted, whether the agent is running, resting or restarting.

use std::io::{self, ErrorKind, Read as _, Seek as _, SeekFrom};

use franz_home::{AppendFile, DiskError, Home, View};
use franz_json::lossy;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::line::to_line;

/// The name of the file.
const MESSAGES_FILE: &str = "messages.jsonl";

/// The maximum length of a message, in bytes.
pub const LONGEST_MESSAGE: usize = 16 << 10;

/// The maximum number of bytes to read in one call. The next call reads the rest.
const MOST_READ: u64 = 1 << 20;

/// A message from the person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PersonMessage {
    /// When the person sent it, RFC 3339.
    #[serde(default, deserialize_with = "lossy::string")]
    pub at: String,
    /// The contents.
    #[serde(flatten)]
    pub content: MessageContent,
}

/// The contents of a message: words for the model, or the mode in which the model should continue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MessageContent {
    /// The person's words.
    #[serde(deserialize_with = "lossy::string")]
    Text(String),
    /// The name of a mode.
    #[serde(deserialize_with = "lossy::string")]
    Mode(String),
}

/// The reason why a message was not accepted.
#[derive(Debug, Error)]
pub enum MessageError {
    /// The message is empty.
    #[error("the message is empty; write something")]
    Empty,
    /// The message is longer than [`LONGEST_MESSAGE`].
    #[error("the message is {0} bytes long; shorten it to {LONGEST_MESSAGE} or fewer")]
    TooLong(usize),
    /// The message cannot be written.
    #[error(transparent)]
    Disk(#[from] DiskError),
}

/// Sends a message to the model of the run in `home`. The model gets it with its next feedback.
pub fn say(home: &Home, text: &str) -> Result<(), MessageError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(MessageError::Empty);
    }
    if text.len() > LONGEST_MESSAGE {
        return Err(MessageError::TooLong(text.len()));
    }
    append(home, MessageContent::Text(text.to_owned()))
}

/// Sets the mode of the run in `home`. The agent aborts its current action.
pub fn set_mode(home: &Home, mode: &str) -> Result<(), MessageError> {
    append(home, MessageContent::Mode(mode.to_owned()))
}

fn append(home: &Home, content: MessageContent) -> Result<(), MessageError> {
    let message = PersonMessage {
        at: Timestamp::now().to_string(),
        content,
    };
    let written = to_line(&message).and_then(|line| {
        let mut file = AppendFile::open(home, MESSAGES_FILE)?;
        file.append(&line)?;
        file.sync()
    });
    Ok(written.map_err(DiskError::when("append to", &home.path_of(MESSAGES_FILE)))?)
}

/// Checks whether the run in `view` has any message after the first `heard` bytes of the file.
pub fn is_said(view: &View, heard: u64) -> bool {
    has(view, heard, |_| true)
}

/// Checks whether a mode was set in the run in `view` after the first `heard` bytes of the file.
pub fn is_mode_set(view: &View, heard: u64) -> bool {
    has(view, heard, |message| {
        matches!(message.content, MessageContent::Mode(_))
    })
}

fn has(view: &View, heard: u64, is_meant: impl Fn(&PersonMessage) -> bool) -> bool {
    let length = view.open_file(MESSAGES_FILE).and_then(|file| file.metadata());
    let has_changed = length.is_ok_and(|file| file.len() != heard);
    has_changed && said(view, heard).is_ok_and(|(messages, _)| messages.iter().any(is_meant))
}

/// Returns the messages after the first `heard` bytes, and the position up to which the file was read. If the file is
/// shorter than `heard`, it is a different file and is read from the beginning. Lines that are not messages are
/// skipped. An unfinished last line is left for the next call.
pub fn said(view: &View, heard: u64) -> Result<(Vec<PersonMessage>, u64), DiskError> {
    let read = || -> io::Result<(Vec<u8>, u64)> {
        let mut file = view.open_file(MESSAGES_FILE)?;
        let from = if file.metadata()?.len() < heard { 0 } else { heard };
        file.seek(SeekFrom::Start(from))?;
        let mut bytes = Vec::new();
        file.take(MOST_READ).read_to_end(&mut bytes)?;
        Ok((bytes, from))
    };
    let (bytes, from) = match read() {
        Ok(read) => read,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok((Vec::new(), heard)),
        Err(error) => return Err(DiskError::when("read", &view.path_of(MESSAGES_FILE))(error)),
    };
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
    let lines = bytes[..whole].split_inclusive(|byte| *byte == b'\n');
    let messages = lines.filter_map(|line| serde_json::from_slice(line).ok()).collect();
    Ok((messages, from + whole as u64))
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn texts(view: &View, heard: u64) -> (Vec<String>, u64) {
        let (messages, heard) = said(view, heard).unwrap();
        let text = |message: PersonMessage| match message.content {
            MessageContent::Text(text) => text,
            MessageContent::Mode(mode) => format!("mode {mode}"),
        };
        (messages.into_iter().map(text).collect(), heard)
    }

    #[test]
    fn messages_are_heard_once_and_in_order() {
        let directory = tempfile::tempdir().unwrap();
        let home = Home::claim(directory.path()).unwrap();
        assert!(!is_said(&home, 0));
        assert_eq!(texts(&home, 0), (vec![], 0));
        say(&home, " the invoice\nis in Downloads \n").unwrap();
        say(&home, "\"hurry\"").unwrap();
        assert!(is_said(&home, 0));
        let (heard, end) = texts(&home, 0);
        assert_eq!(heard, ["the invoice\nis in Downloads", "\"hurry\""]);
        assert!(!is_said(&home, end));
        say(&home, "stop there").unwrap();
        assert!(is_said(&home, end));
        assert_eq!(texts(&home, end).0, ["stop there"]);
    }

    #[test]
    fn a_mode_stands_among_the_messages() {
        let directory = tempfile::tempdir().unwrap();
        let home = Home::claim(directory.path()).unwrap();
        say(&home, "look").unwrap();
        let end = texts(&home, 0).1;
        assert!(!is_mode_set(&home, 0));
        set_mode(&home, "monitoring").unwrap();
        assert!(is_mode_set(&home, 0) && is_mode_set(&home, end));
        assert_eq!(texts(&home, 0).0, ["look", "mode monitoring"]);
    }

    #[test]
    fn other_lines_are_passed_over_and_half_a_line_is_awaited() {
        let directory = tempfile::tempdir().unwrap();
        let home = Home::claim(directory.path()).unwrap();
        let mut file = home.append(MESSAGES_FILE).unwrap();
        file.write_all(b"hello\n{\"text\":5}\n\xff\n{\"text\":\"a\"}\n{\"text\":")
            .unwrap();
        let (heard, end) = texts(&home, 0);
        assert_eq!(heard, ["a"]);
        file.write_all(b"\"b\"}\n").unwrap();
        assert_eq!(texts(&home, end).0, ["b"]);
        // If the file is shorter than the part that was already read, it is a different file.
        assert_eq!(texts(&home, 1 << 30).0, ["a", "b"]);
        assert!(is_said(&home, 1 << 30));
    }

    #[test]
    fn empty_and_very_long_messages_are_refused() {
        let directory = tempfile::tempdir().unwrap();
        let home = Home::claim(directory.path()).unwrap();
        let refused = |text: &str| say(&home, text).unwrap_err().to_string();
        assert_eq!(refused(" \n"), "the message is empty; write something");
        assert_eq!(
            refused(&"a".repeat(1 << 20)),
            "the message is 1048576 bytes long; shorten it to 16384 or fewer"
        );
        assert!(!is_said(&home, 0));
        say(&home, &"a".repeat(LONGEST_MESSAGE)).unwrap();
    }
}
