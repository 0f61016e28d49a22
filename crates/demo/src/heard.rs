//! What the feedback of a turn tells the model about its last block.

use franz_action::Tool;

/// The longest part of somebody else's sentence that is worth repeating, in characters.
const LONGEST_QUOTE: usize = 120;

/// The result that the feedback speaks of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Heard {
    /// Nothing that this model knows how to read.
    Nothing,
    /// The last reply held no block, which is so before the first reply, too.
    NoBlock,
    /// Everything ran.
    Fine,
    /// A drag was called with too few numbers.
    TooFewNumbers,
    /// A tool is not there: its name.
    NoTool(&'static str),
    /// An action ran but changed nothing, such as text without a click.
    NoEffect,
    /// Any other error, in the words of the feedback.
    Failed(String),
}

impl Heard {
    /// Reads the feedback; what is good news is only believed when no error stands beside it.
    pub fn in_feedback(feedback: &str) -> Heard {
        let lines = || feedback.lines().map(str::trim);
        let error = lines().find_map(error);
        error.unwrap_or_else(|| {
            if lines().any(|line| line.starts_with("OK:")) {
                Heard::Fine
            } else {
                Heard::Nothing
            }
        })
    }
}

/// The first notice of a feedback, shortened, without its label.
pub fn notice(feedback: &str) -> Option<String> {
    let notice = |line: &str| line.trim().strip_prefix("NOTICE:").map(quote);
    feedback.lines().find_map(notice)
}

/// What a line says when it reports an error: `TypeError: ...` and its like.
fn error(line: &str) -> Option<Heard> {
    let (kind, words) = line.split_once(": ")?;
    if !(kind.ends_with("Error") && kind.chars().all(char::is_alphanumeric)) {
        return None;
    }
    Some(match (kind, words) {
        ("SyntaxError", words) if words.starts_with("no ") && words.contains("block found") => Heard::NoBlock,
        ("TypeError", words) if words.starts_with("drag() missing") => Heard::TooFewNumbers,
        ("NameError", words) => match words.split('\'').nth(1).and_then(Tool::named) {
            Some(tool) => Heard::NoTool(tool.name),
            None => Heard::Failed(quote(line)),
        },
        ("RuntimeError", words) if words.contains("had no visible effect") => Heard::NoEffect,
        _ => Heard::Failed(quote(line)),
    })
}

/// Somebody else's words on one short line, without anything that could open or close a block.
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
    fn results_are_recognised() {
        let tools = "\n\nAvailable tools:\n  drag(x1, y1, x2, y2) -- drags";
        let missing = "  Line 1: drag(350, 290, 410)\nTypeError: drag() missing 1 required positional argument: 'y2'\n\
                       0 actions executed before error.";
        let cases = [
            ("", Heard::Nothing),
            ("hello", Heard::Nothing),
            ("OK: 8 actions executed.", Heard::Fine),
            (
                "WARNING: 2 ```python blocks found. Only the first executed.\nOK: 1 action executed.",
                Heard::Fine,
            ),
            ("SyntaxError: no ```python block found in your output.", Heard::NoBlock),
            (&format!("{missing}{tools}"), Heard::TooFewNumbers),
            (
                "  Line 3: left_click(1, 2)\nNameError: name 'left_click' is not defined",
                Heard::NoTool("left_click"),
            ),
            (
                "RuntimeError: type(\"meow\") had no visible effect (why)\n0 actions executed.",
                Heard::NoEffect,
            ),
            (
                "  Line 1: paint(1, 2)\nNameError: name 'paint' is not defined",
                Heard::Failed("NameError: name 'paint' is not defined".to_owned()),
            ),
            (
                "  Line 1: 1/0\nZeroDivisionError: division by zero",
                Heard::Failed("ZeroDivisionError: division by zero".to_owned()),
            ),
            (
                "SyntaxError: the ```python block is not closed.",
                Heard::Failed("SyntaxError: the '''python block is not closed.".to_owned()),
            ),
        ];
        for (feedback, heard) in cases {
            assert_eq!(Heard::in_feedback(feedback), heard, "{feedback}");
        }
    }

    #[test]
    fn the_first_notice_is_quoted_short_and_harmless() {
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
