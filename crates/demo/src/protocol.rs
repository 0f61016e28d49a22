//! Recognises which protocol a request uses, and reads and writes that protocol for the model.

use crate::aim::Aim;
use crate::artist::{Hand, Thought, TurnView};
use crate::feedback::{self, Feedback};
use crate::picture::Pixels;
use crate::request::ChatRequest;
use crate::sections::SectionsFeedback;
use crate::speech::{Speech, Voice};
use crate::{cat, lines, python, sections, tools};

/// A way to write actions and to report their outcomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ModelProtocol {
    /// A block of calls.
    Python,
    /// Calls on separate lines.
    Lines,
    /// One call within headed sections.
    Sections,
    /// Function calls.
    Tools,
    /// A call in the text, written the way a family's models write it.
    Calls,
}

impl ModelProtocol {
    /// Recognises the protocol by the functions offered, or else by the feedback, or else by the system prompt. Assumes
    /// Python if none of them indicates a protocol.
    pub(crate) fn of(request: &ChatRequest) -> ModelProtocol {
        if request.offers.is_some() {
            return ModelProtocol::Tools;
        }
        let told = request.feedback.lines().find_map(|line| sign(line.trim()));
        told.unwrap_or_else(|| {
            let asks_for = |head| request.system.contains(head);
            match (asks_for("STATUS:"), asks_for("ACTIONS:")) {
                (true, _) => ModelProtocol::Sections,
                (false, true) => ModelProtocol::Lines,
                (false, false) => ModelProtocol::Python,
            }
        })
    }

    /// Returns the parts of a request that matter to this protocol.
    pub(crate) fn view(self, request: &ChatRequest) -> TurnView {
        self.view_of(request, picture(request))
    }

    /// Returns the same view with the given picture.
    pub(crate) fn view_of(self, request: &ChatRequest, picture: Result<Pixels, String>) -> TurnView {
        let (story, feedback) = (request.story.as_str(), request.feedback.as_str());
        let (heard, hand) = match self {
            ModelProtocol::Python => (python::hear(feedback), Hand::Several),
            ModelProtocol::Lines => (lines::hear(feedback), Hand::Several),
            ModelProtocol::Sections => {
                let report = SectionsFeedback::read(feedback);
                let hand = report.hand();
                (report.heard, hand)
            }
            ModelProtocol::Tools => {
                let called = request.called.as_ref();
                (tools::hear(called), tools::hand(called))
            }
            ModelProtocol::Calls => (Feedback::Nothing, Hand::one(None)),
        };
        let rules = match self {
            ModelProtocol::Python => python::rules(story, &heard),
            ModelProtocol::Lines => lines::rules(story, &heard),
            ModelProtocol::Sections | ModelProtocol::Calls => sections::rules(story),
            ModelProtocol::Tools => tools::rules(story, request.offers.as_deref().unwrap_or_default()),
        };
        TurnView {
            rules,
            heard,
            notice: feedback::notice(feedback),
            hand,
            drawing: cat::parts(),
            picture,
        }
    }

    /// Expresses the thought in this protocol.
    pub(crate) fn say(self, thought: &Thought, request: &ChatRequest) -> Speech {
        match self {
            ModelProtocol::Python => Speech::text(python::reply(thought, &Aim::EXACT)),
            ModelProtocol::Lines | ModelProtocol::Calls => Speech::text(lines::reply(thought, &Voice::own(thought))),
            ModelProtocol::Sections => {
                let report = SectionsFeedback::read(&request.feedback);
                Speech::text(sections::reply(thought, &report, &Voice::own(thought)))
            }
            ModelProtocol::Tools => tools::reply(thought, request, &Aim::EXACT),
        }
    }
}

/// Returns the protocol whose feedback has a line like this one.
fn sign(line: &str) -> Option<ModelProtocol> {
    let is_block_result = line.starts_with("OK: ") || line.contains("```python block");
    let is_block_error = line.split_once(": ").is_some_and(|(kind, _)| {
        kind.ends_with("Error") && kind.chars().all(char::is_alphanumeric) || is_line_number(kind)
    });
    if line.starts_with(sections::MODE) {
        Some(ModelProtocol::Sections)
    } else if line.starts_with(lines::HEAD) || line.starts_with(lines::NOTHING_FOUND) {
        Some(ModelProtocol::Lines)
    } else if is_block_result || is_block_error {
        Some(ModelProtocol::Python)
    } else {
        None
    }
}

/// Returns whether the words have the form `Line 12`, in which errors in a block name their position.
fn is_line_number(words: &str) -> bool {
    let number = words.strip_prefix("Line ");
    number.is_some_and(|number| number.parse::<u32>().is_ok())
}

pub(crate) fn picture(request: &ChatRequest) -> Result<Pixels, String> {
    match &request.image {
        None => Err("there is no picture".to_owned()),
        Some(uri) => Pixels::from_data_uri(uri).map_err(|error| error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_protocol_is_recognised_from_the_request() {
        let asks_sections = "Write STATUS:, GOAL:, ACTION: and STORY:.";
        let asks_lines = "Write NARRATIVE: and ACTIONS:.";
        let cases = [
            ("", "", ModelProtocol::Python),
            ("Draw a cat.", "hello", ModelProtocol::Python),
            (asks_sections, "", ModelProtocol::Sections),
            (asks_lines, "NOTICE: FRANZ was interrupted", ModelProtocol::Lines),
            (
                "",
                "Current mode: executing\nYOUR GOAL NOW: ACTIONS:",
                ModelProtocol::Sections,
            ),
            (
                "",
                "EXECUTOR_FEEDBACK:\nexecuted=[\"left_click(1, 2)\"]",
                ModelProtocol::Lines,
            ),
            (
                "",
                "\n\n--- FEEDBACK ---\nno actions found in your previous output",
                ModelProtocol::Lines,
            ),
            // The feedback takes precedence over the prompt, which can contain somebody else's words.
            (asks_lines, "Current mode: monitoring", ModelProtocol::Sections),
            (
                asks_sections,
                "no actions found in your previous output",
                ModelProtocol::Lines,
            ),
            (
                asks_sections,
                "SyntaxError: no ```python block found in your output.",
                ModelProtocol::Python,
            ),
            (
                asks_lines,
                "OK: 8 actions executed.\nOutput:\nCurrent mode: x",
                ModelProtocol::Python,
            ),
            (
                asks_lines,
                "  Line 1: drag(1)\nTypeError: drag() missing 3",
                ModelProtocol::Python,
            ),
            (
                asks_lines,
                "WARNING: 2 ```python blocks found. Only the first executed.",
                ModelProtocol::Python,
            ),
            (
                "I say: Current mode: off",
                "I say: EXECUTOR_FEEDBACK",
                ModelProtocol::Python,
            ),
        ];
        for (system, feedback, protocol) in cases {
            let mut request = ChatRequest {
                system: system.to_owned(),
                feedback: feedback.to_owned(),
                ..ChatRequest::default()
            };
            assert_eq!(ModelProtocol::of(&request), protocol, "{system:?} {feedback:?}");
            request.offers = Some(Vec::new());
            assert_eq!(ModelProtocol::of(&request), ModelProtocol::Tools);
        }
    }
}
