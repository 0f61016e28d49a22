//! Implements the python protocol: reads its feedback, and writes a thought as four headed parts and a block of calls.

use std::fmt::{Display, Write as _};

use franz_action::Tool;

use crate::aim::Aim;
use crate::artist::{NextStep, Sight, Thought};
use crate::cat::{self, Part};
use crate::feedback::{Feedback, quote};
use crate::rules::{Rule, Rules};
use crate::stroke::Stroke;
use crate::words;

/// The minimum number of lines for which a part is written as a list and a loop.
const LINES_OF_A_LOOP: usize = 5;
/// The part whose strokes share no ends, so that a loop over a list reads well.
const PART_OF_THE_LOOP: &str = "whiskers";

/// Reads the feedback. A success is believed only if there is no error next to it.
pub(crate) fn hear(feedback: &str) -> Feedback {
    let lines = || feedback.lines().map(str::trim);
    lines().find_map(error).unwrap_or_else(|| {
        if lines().any(|line| line.starts_with("OK:")) {
            Feedback::Fine
        } else {
            Feedback::Nothing
        }
    })
}

/// Interprets a line that reports an error, such as `TypeError: ...`.
fn error(line: &str) -> Option<Feedback> {
    let (kind, words) = line.split_once(": ")?;
    if !(kind.ends_with("Error") && kind.chars().all(char::is_alphanumeric)) {
        return None;
    }
    Some(match (kind, words) {
        ("SyntaxError", words) if words.starts_with("no ") && words.contains("block found") => Feedback::NoCalls,
        ("TypeError", words) if words.starts_with("drag() missing") => Feedback::TooFewNumbers,
        ("NameError", words) => match words.split('\'').nth(1).and_then(Tool::named) {
            Some(tool) => Feedback::NoTool(tool.name),
            None => Feedback::Failed(quote(line)),
        },
        ("RuntimeError", words) if words.contains("was not applied") => Feedback::NoEffect,
        _ => Feedback::Failed(quote(line)),
    })
}

/// Returns the rules remembered from a story, plus the lessons specific to this protocol.
pub(crate) fn rules(story: &str, heard: &Feedback) -> Rules {
    let mut rules = Rules::remembered(story);
    match heard {
        Feedback::NoCalls => rules.learn(Rule::OneBlock),
        Feedback::Failed(_) => rules.learn(Rule::PlainCalls),
        _ => {}
    }
    rules
}

/// Returns the whole reply.
pub(crate) fn reply(thought: &Thought, aim: &Aim) -> String {
    format!(
        "{}\n\nWHAT I SEE:\n{}\n\nMY DRAWING PROGRESS:\n{}\n\nNEXT STEP:\n{}\n\n```python\n{}```\n",
        thought.rules.list(),
        words::seen(thought),
        checklist(&thought.sight),
        words::plan(thought),
        block(thought, aim),
    )
}

fn checklist(sight: &Sight) -> String {
    let Sight::Canvas(progress) = sight else {
        return "- unknown while I cannot see my canvas".to_owned();
    };
    let line = |(part, drawn): (Part, &Vec<bool>)| match drawn.iter().filter(|&&drawn| drawn).count() {
        0 => format!("- {}: to do", part.name),
        done if done == drawn.len() => format!("- {}: done", part.name),
        done => format!("- {}: {done} of {}", part.name, drawn.len()),
    };
    let lines: Vec<String> = cat::parts().into_iter().zip(progress).map(line).collect();
    lines.join("\n")
}

/// Returns the lines inside the fence, each with its line break.
fn block(thought: &Thought, aim: &Aim) -> String {
    match &thought.step {
        NextStep::Draw(parts) => {
            let plain = thought.rules.know(Rule::PlainCalls);
            parts.iter().map(|part| part_block(part, plain, aim)).collect()
        }
        NextStep::DrawWrongly(_) => lines(thought.calls(aim)),
        NextStep::Rest => "# The cat is complete: nothing to draw.\n".to_owned(),
        NextStep::Wait => "# Nothing to draw on.\n".to_owned(),
    }
}

fn part_block(part: &Part, plain: bool, aim: &Aim) -> String {
    let body = match ends(part, aim) {
        Some(ends) if !plain && part.name == PART_OF_THE_LOOP && ends.len() >= LINES_OF_A_LOOP => {
            looped(part.name, &ends)
        }
        _ => lines(
            part.strokes
                .iter()
                .flat_map(|stroke| stroke.calls())
                .map(|call| aim.call(&call)),
        ),
    };
    format!("# {}\n{body}", part.name)
}

/// Joins calls, one per line.
fn lines<C: Display>(calls: impl IntoIterator<Item = C>) -> String {
    calls.into_iter().fold(String::new(), |mut lines, call| {
        let _ = writeln!(lines, "{call}");
        lines
    })
}

/// Returns each line's numbers as text, if the part consists only of lines.
fn ends(part: &Part, aim: &Aim) -> Option<Vec<String>> {
    let numbers = |stroke: &Stroke| match stroke {
        Stroke::Line(from, to) => Some(format!("{}, {}", aim.pair(*from), aim.pair(*to))),
        Stroke::Dot(_) | Stroke::Word(..) => None,
    };
    part.strokes.iter().map(numbers).collect()
}

fn looped(name: &str, ends: &[String]) -> String {
    let rows: Vec<String> = ends.iter().map(|numbers| format!("    ({numbers}),\n")).collect();
    format!(
        "{name} = [\n{}]\nfor x1, y1, x2, y2 in {name}:\n    drag(x1, y1, x2, y2)\n",
        rows.concat()
    )
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
            ("", Feedback::Nothing),
            ("hello", Feedback::Nothing),
            ("OK: 8 actions executed.", Feedback::Fine),
            (
                "WARNING: 2 ```python blocks found. Only the first executed.\nOK: 1 action executed.",
                Feedback::Fine,
            ),
            (
                "SyntaxError: no ```python block found in your output.",
                Feedback::NoCalls,
            ),
            (&format!("{missing}{tools}"), Feedback::TooFewNumbers),
            (
                "  Line 3: left_click(1, 2)\nNameError: name 'left_click' is not defined",
                Feedback::NoTool("left_click"),
            ),
            (
                "RuntimeError: type(\"meow\") was not applied (why)\n0 actions executed.",
                Feedback::NoEffect,
            ),
            (
                "  Line 1: paint(1, 2)\nNameError: name 'paint' is not defined",
                Feedback::Failed("NameError: name 'paint' is not defined".to_owned()),
            ),
            (
                "  Line 1: 1/0\nZeroDivisionError: division by zero",
                Feedback::Failed("ZeroDivisionError: division by zero".to_owned()),
            ),
            (
                "SyntaxError: the ```python block is not closed.",
                Feedback::Failed("SyntaxError: the '''python block is not closed.".to_owned()),
            ),
        ];
        for (feedback, heard) in cases {
            assert_eq!(hear(feedback), heard, "{feedback}");
        }
    }
}
