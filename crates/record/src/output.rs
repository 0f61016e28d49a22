//! Distributes events to a list of outputs. A failing output does not stop the run.

use std::borrow::Cow;
use std::io::{self, Write};

use franz_json::literal::escaped;
use thiserror::Error;

use crate::event::Event;

/// A consumer of events: the console, JSON lines on stdout, the dashboard.
pub trait Output {
    /// Handles one event. An error means that the output can no longer be used.
    fn event(&mut self, event: &Event) -> io::Result<()>;
}

/// The error of an output that has failed and gets no more events.
#[derive(Debug, Error)]
#[error("the output `{name}` failed and was dropped: {source}; the run continues without it")]
pub struct Dropped {
    /// The name under which it was added.
    pub name: String,
    /// The error.
    pub source: io::Error,
}

/// A list of outputs, which are notified in the order in which they were added.
#[derive(Default)]
pub struct Outputs {
    outputs: Vec<(String, Box<dyn Output + Send>)>,
}

impl Outputs {
    /// Adds an output. If it fails, `name` identifies it in the message.
    pub fn add(&mut self, name: impl Into<String>, output: impl Output + Send + 'static) {
        self.outputs.push((name.into(), Box::new(output)));
    }

    /// Notifies every output. Drops and returns those that fail, so that each failure is reported only once.
    #[must_use = "report each dropped output once"]
    pub fn event(&mut self, event: &Event) -> Vec<Dropped> {
        let mut dropped = Vec::new();
        self.outputs.retain_mut(|(name, output)| {
            let Err(source) = output.event(event) else { return true };
            dropped.push(Dropped {
                name: std::mem::take(name),
                source,
            });
            false
        });
        dropped
    }
}

/// Writes each event as one line of JSON and flushes it. Characters that a terminal would act on are written as `\u`
/// escapes, which have the same meaning in JSON.
pub struct JsonLines<W> {
    writer: W,
}

impl<W: Write> JsonLines<W> {
    /// Creates an output that writes to `writer`, which should not block for long.
    pub fn new(writer: W) -> Self {
        Self { writer }
    }
}

impl<W: Write> Output for JsonLines<W> {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        self.writer.write_all(&inert(&event.to_line()))?;
        self.writer.flush()
    }
}

/// Escapes every character in a line that a terminal would act on, or that reorders text. Outside of ASCII, these
/// characters occur only in strings, and so does DEL. JSON itself escapes the others.
pub fn inert(line: &[u8]) -> Cow<'_, [u8]> {
    let text = match str::from_utf8(line) {
        Ok(text) if text.contains(acts) => text,
        _ => return line.into(),
    };
    let mut inert = String::with_capacity(line.len() + 64);
    for character in text.chars() {
        if acts(character) {
            // All of these characters are below U+10000.
            inert.push_str(&escaped(character as u16));
        } else {
            inert.push(character);
        }
    }
    inert.into_bytes().into()
}

/// Returns whether a terminal acts on the character, or whether the character reorders or divides the text around it.
/// False for line breaks and tabs.
pub fn acts(character: char) -> bool {
    let rearranges = matches!(
        character,
        '\u{061C}' | '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}'
    );
    rearranges || (character.is_control() && !matches!(character, '\n' | '\t'))
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Sender, channel};

    use super::*;

    /// Forwards the text of each notice, and fails on one particular text.
    struct Notices(Sender<String>, &'static str);

    impl Output for Notices {
        fn event(&mut self, event: &Event) -> io::Result<()> {
            let Event::Notice { text } = event else { return Ok(()) };
            if text == self.1 {
                return Err(io::ErrorKind::BrokenPipe.into());
            }
            self.0.send(text.clone()).map_err(io::Error::other)
        }
    }

    fn notice(text: &str) -> Event {
        Event::Notice { text: text.to_owned() }
    }

    #[test]
    fn a_failing_output_is_dropped_once_and_the_others_go_on() {
        let (weak, weak_heard) = channel();
        let (strong, strong_heard) = channel();
        let mut outputs = Outputs::default();
        outputs.add("weak", Notices(weak, "b"));
        outputs.add("strong", Notices(strong, ""));

        let failures: Vec<String> = ["a", "b", "c"]
            .iter()
            .flat_map(|text| outputs.event(&notice(text)))
            .map(|dropped| dropped.to_string())
            .collect();

        assert_eq!(weak_heard.try_iter().collect::<Vec<_>>(), ["a"]);
        assert_eq!(strong_heard.try_iter().collect::<Vec<_>>(), ["a", "b", "c"]);
        assert_eq!(failures.len(), 1);
        assert!(
            failures[0].starts_with("the output `weak` failed and was dropped: "),
            "{}",
            failures[0]
        );
    }

    #[test]
    fn no_terminal_acts_on_a_line() {
        let said = "a\u{9b}2J\u{202e}b\u{7f}\u{85}\u{2066}\u{200f}\u{61c}\r\u{1b}[1m\n\t\u{2028} é 家 😀 \\ \"";
        let mut written = Vec::new();
        JsonLines::new(&mut written).event(&notice(said)).unwrap();
        let line = str::from_utf8(&written).unwrap();
        assert!(
            !line.trim_end_matches('\n').contains(|c| acts(c) || c == '\n'),
            "{line:?}"
        );
        assert!(
            line.contains("a\\u009b2J\\u202eb\\u007f") && line.contains("é 家 😀"),
            "{line:?}"
        );
        assert_eq!(Event::from_line(line).unwrap(), notice(said));
    }

    #[test]
    fn json_lines_are_read_back() {
        let mut written = Vec::new();
        let mut output = JsonLines::new(&mut written);
        output.event(&notice("one")).unwrap();
        output.event(&notice("two")).unwrap();
        let read: Vec<Event> = String::from_utf8(written)
            .unwrap()
            .lines()
            .map(|line| Event::from_line(line).unwrap())
            .collect();
        assert_eq!(read, [notice("one"), notice("two")]);
    }
}
