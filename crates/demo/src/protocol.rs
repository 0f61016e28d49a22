//! Which protocol a request speaks, and how the model takes part in each.

use crate::artist::{Hand, Thought, View};
use crate::feedback;
use crate::picture::Picture;
use crate::request::Request;
use crate::sections::Report;
use crate::speech::Speech;
use crate::{lines, python, sections, tools};

/// A way of writing actions and of hearing about them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protocol {
    /// A block of calls.
    Python,
    /// Calls on lines of their own.
    Lines,
    /// One call among headed sections.
    Sections,
    /// Calls of functions.
    Tools,
}

impl Protocol {
    /// Tells the protocol from what is offered, else from the feedback, else from the system prompt. A request that
    /// shows no sign of any is taken for python.
    pub(crate) fn of(request: &Request) -> Protocol {
        if request.offers.is_some() {
            return Protocol::Tools;
        }
        let told = request.feedback.lines().find_map(|line| sign(line.trim()));
        told.unwrap_or_else(|| {
            let asks_for = |head| request.system.contains(head);
            match (asks_for("STATUS:"), asks_for("ACTIONS:")) {
                (true, _) => Protocol::Sections,
                (false, true) => Protocol::Lines,
                (false, false) => Protocol::Python,
            }
        })
    }

    /// What a request shows, as far as this protocol goes.
    pub(crate) fn view(self, request: &Request) -> View {
        let (story, feedback) = (request.story.as_str(), request.feedback.as_str());
        let (heard, hand) = match self {
            Protocol::Python => (python::hear(feedback), Hand::Several),
            Protocol::Lines => (lines::hear(feedback), Hand::Several),
            Protocol::Sections => {
                let report = Report::read(feedback);
                let hand = report.hand();
                (report.heard, hand)
            }
            Protocol::Tools => {
                let called = request.called.as_ref();
                (tools::hear(called), tools::hand(called))
            }
        };
        let rules = match self {
            Protocol::Python => python::rules(story, &heard),
            Protocol::Lines => lines::rules(story, &heard),
            Protocol::Sections => sections::rules(story),
            Protocol::Tools => tools::rules(story, request.offers.as_deref().unwrap_or_default()),
        };
        View {
            rules,
            heard,
            notice: feedback::notice(feedback),
            hand,
            picture: picture(request),
        }
    }

    /// The thought as this protocol says it.
    pub(crate) fn say(self, thought: &Thought, request: &Request) -> Speech {
        match self {
            Protocol::Python => Speech::text(python::reply(thought)),
            Protocol::Lines => Speech::text(lines::reply(thought)),
            Protocol::Sections => Speech::text(sections::reply(thought, &Report::read(&request.feedback))),
            Protocol::Tools => {
                let offers = request.offers.as_deref().unwrap_or_default();
                tools::reply(thought, offers, request.called.as_ref())
            }
        }
    }
}

/// The protocol whose feedback has such a line.
fn sign(line: &str) -> Option<Protocol> {
    let is_block_result = line.starts_with("OK: ") || line.contains("```python block");
    let is_block_error = line.split_once(": ").is_some_and(|(kind, _)| {
        kind.ends_with("Error") && kind.chars().all(char::is_alphanumeric) || is_line_number(kind)
    });
    if line.starts_with(sections::MODE) {
        Some(Protocol::Sections)
    } else if line.starts_with(lines::HEAD) || line.starts_with(lines::NOTHING_FOUND) {
        Some(Protocol::Lines)
    } else if is_block_result || is_block_error {
        Some(Protocol::Python)
    } else {
        None
    }
}

/// `Line 12`, as errors of a block name where they happened.
fn is_line_number(words: &str) -> bool {
    let number = words.strip_prefix("Line ");
    number.is_some_and(|number| number.parse::<u32>().is_ok())
}

fn picture(request: &Request) -> Result<Picture, String> {
    match &request.image {
        None => Err("there is no picture".to_owned()),
        Some(uri) => Picture::from_data_uri(uri).map_err(|error| error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_protocol_is_told_from_the_request() {
        let asks_sections = "Write STATUS:, GOAL:, ACTION: and STORY:.";
        let asks_lines = "Write NARRATIVE: and ACTIONS:.";
        let cases = [
            ("", "", Protocol::Python),
            ("Draw a cat.", "hello", Protocol::Python),
            (asks_sections, "", Protocol::Sections),
            (asks_lines, "NOTICE: FRANZ was interrupted", Protocol::Lines),
            (
                "",
                "Current mode: executing\nCurrent goal: ACTIONS:",
                Protocol::Sections,
            ),
            (
                "",
                "EXECUTOR_FEEDBACK:\nexecuted=[\"left_click(1, 2)\"]",
                Protocol::Lines,
            ),
            (
                "",
                "\n\n--- FEEDBACK ---\nno actions found in your previous output",
                Protocol::Lines,
            ),
            // The feedback wins over a prompt that somebody else's words may stand in.
            (asks_lines, "Current mode: monitoring", Protocol::Sections),
            (
                asks_sections,
                "no actions found in your previous output",
                Protocol::Lines,
            ),
            (
                asks_sections,
                "SyntaxError: no ```python block found in your output.",
                Protocol::Python,
            ),
            (
                asks_lines,
                "OK: 8 actions executed.\nOutput:\nCurrent mode: x",
                Protocol::Python,
            ),
            (
                asks_lines,
                "  Line 1: drag(1)\nTypeError: drag() missing 3",
                Protocol::Python,
            ),
            (
                asks_lines,
                "WARNING: 2 ```python blocks found. Only the first executed.",
                Protocol::Python,
            ),
            ("I say: Current mode: off", "I say: EXECUTOR_FEEDBACK", Protocol::Python),
        ];
        for (system, feedback, protocol) in cases {
            let mut request = Request {
                system: system.to_owned(),
                feedback: feedback.to_owned(),
                ..Request::default()
            };
            assert_eq!(Protocol::of(&request), protocol, "{system:?} {feedback:?}");
            request.offers = Some(Vec::new());
            assert_eq!(Protocol::of(&request), Protocol::Tools);
        }
    }
}
