//! Interprets a turn's feedback on the model's last actions, whatever the protocol.

use franz_action::Tool;

/// The largest number of characters to repeat of someone else's words.
const LONGEST_QUOTE: usize = 120;

/// The outcome that the feedback reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Feedback {
    /// The feedback contains nothing that this model can read.
    Nothing,
    /// The last reply contained no calls, or had them in the wrong place. The feedback before the first reply also says
    /// so.
    NoCalls,
    /// All calls ran.
    Fine,
    /// A drag was called with too few numbers.
    TooFewNumbers,
    /// The tool with this name is not available.
    NoTool(&'static str),
    /// An action ran but had no effect, such as typing without a click.
    NoEffect,
    /// Any other error, in the feedback's words.
    Failed(String),
}

impl Feedback {
    /// Interprets the reason why a call was refused. `call` is the call as the model wrote it.
    pub fn complaint(call: &str, words: &str) -> Feedback {
        let name = call.split('(').next().unwrap_or_default().trim();
        let is_unknown = ["unknown tool", "is not defined", "switched off"];
        match Tool::named(name) {
            Some(_) if words.contains("drag() missing") => Feedback::TooFewNumbers,
            Some(tool) if is_unknown.iter().any(|phrase| words.contains(phrase)) => Feedback::NoTool(tool.name),
            Some(tool) if tool.name == "type" && words.contains("left_click()") => Feedback::NoEffect,
            _ => Feedback::Failed(quote(&format!("{call}: {words}"))),
        }
    }
}

/// Returns the first notice in the feedback, shortened and without its label.
pub(crate) fn notice(feedback: &str) -> Option<String> {
    let notice = |line: &str| line.trim().strip_prefix("NOTICE:").map(quote);
    feedback.lines().find_map(notice)
}

/// Shortens someone else's words to one line, and removes anything that could open or close a block.
pub(crate) fn quote(words: &str) -> String {
    let one_line = words.split_whitespace().collect::<Vec<_>>().join(" ").replace('`', "'");
    let mut characters = one_line.chars();
    let mut short: String = characters.by_ref().take(LONGEST_QUOTE).collect();
    if characters.next().is_some() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complaints_are_understood() {
        let cases = [
            (
                "drag(1, 2, 3)",
                "drag() missing 1 required positional argument: 'y2'",
                Feedback::TooFewNumbers,
            ),
            ("click(1, 2)", "unknown tool 'click'", Feedback::NoTool("left_click")),
            ("type(\"a\")", "type is switched off", Feedback::NoTool("type")),
            (
                "type(\"a\")",
                "type() requires a prior left_click() to set cursor position",
                Feedback::NoEffect,
            ),
            (
                "paint(1)",
                "unknown tool 'paint'",
                Feedback::Failed("paint(1): unknown tool 'paint'".to_owned()),
            ),
            ("", "", Feedback::Failed(":".to_owned())),
        ];
        for (call, words, heard) in cases {
            assert_eq!(Feedback::complaint(call, words), heard, "{call}");
        }
    }

    #[test]
    fn the_first_notice_is_shortened_and_escaped() {
        assert_eq!(notice("OK: 1 action executed."), None);
        let feedback = format!(
            "OK: 1 action executed.\n\nNOTICE: ```python {}\nNOTICE: b",
            "x".repeat(500)
        );
        let notice = notice(&feedback).unwrap();
        assert!(notice.starts_with("'''python xxx"));
        assert_eq!(notice.chars().count(), LONGEST_QUOTE + 1);
    }
}
