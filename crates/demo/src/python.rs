//! The python protocol's voice: a thought as four headed parts and a block of calls.

use std::fmt::Write as _;

use crate::artist::{Sight, Step, Thought};
use crate::cat::{self, Part};
use crate::eye::Progress;
use crate::heard::Heard;
use crate::rules::{self, Rule};
use crate::stroke::Stroke;

/// So many lines of one part are written as a list and a loop.
const LINES_OF_A_LOOP: usize = 5;
/// The part whose strokes share no end, so that a loop over a list reads well.
const PART_OF_THE_LOOP: &str = "whiskers";

/// The whole reply.
pub fn reply(thought: &Thought) -> String {
    let rules: Vec<String> = (1..)
        .zip(thought.rules.lines())
        .map(|(n, rule)| format!("{n}. {rule}"))
        .collect();
    format!(
        "{}\n{}\n\nWHAT I SEE:\n{}\n\nMY DRAWING PROGRESS:\n{}\n\nNEXT STEP:\n{}\n\n```python\n{}```\n",
        rules::HEAD,
        rules.join("\n"),
        seen(thought),
        checklist(&thought.sight),
        plan(thought),
        block(thought),
    )
}

fn seen(thought: &Thought) -> String {
    let mut sentences = vec![match &thought.sight {
        Sight::Nothing(why) => format!("I cannot see anything: {why}."),
        Sight::Elsewhere => "I see a screen that is not my black canvas.".to_owned(),
        Sight::Canvas(progress) => canvas(progress),
    }];
    sentences.extend(experience(&thought.heard));
    if let Some(notice) = &thought.notice {
        sentences.push(format!("I was told: {notice}"));
    }
    sentences.join(" ")
}

fn canvas(progress: &Progress) -> String {
    let (drawn, all) = (
        progress.iter().flatten().filter(|&&drawn| drawn).count(),
        progress.iter().flatten().count(),
    );
    let parts = cat::parts();
    let complete = parts.iter().zip(progress).filter(|(_, drawn)| !drawn.contains(&false));
    let names: Vec<&str> = complete.map(|(part, _)| part.name).collect();
    match names.as_slice() {
        _ if drawn == 0 => "A black canvas with nothing on it yet.".to_owned(),
        _ if drawn == all => "White lines on black: a whole cat, with a curled tail and a meow.".to_owned(),
        [] => format!("A black canvas with {drawn} of the {all} strokes of my cat."),
        names => format!(
            "A black canvas with {drawn} of the {all} strokes of my cat: the {}.",
            list(names)
        ),
    }
}

fn experience(heard: &Heard) -> Option<String> {
    match heard {
        Heard::Nothing | Heard::Fine | Heard::NoBlock => None,
        Heard::TooFewNumbers => Some("My last block failed: I forgot a number in drag().".to_owned()),
        Heard::NoTool(name) => Some(format!("My last block failed: there is no {name}().")),
        Heard::NoEffect => Some("Something in my last block changed nothing.".to_owned()),
        Heard::Failed(error) => Some(format!("My last block failed: {error}")),
    }
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

fn plan(thought: &Thought) -> String {
    match &thought.step {
        Step::Draw(parts) if thought.heard == Heard::TooFewNumbers => {
            format!(
                "I draw the {} again, with all four numbers in every drag().",
                names(parts)
            )
        }
        Step::Draw(parts) | Step::DrawWrongly(parts) => format!("I draw the {}.", names(parts)),
        Step::Rest => "My cat is complete. I rest and look at it.".to_owned(),
        Step::Wait => "I draw nothing until I see my canvas.".to_owned(),
    }
}

fn names(parts: &[Part]) -> String {
    let names: Vec<&str> = parts.iter().map(|part| part.name).collect();
    list(&names)
}

/// `a`, `a and b`, `a, b and c`.
fn list(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [all @ .., last] => format!("{} and {last}", all.join(", ")),
    }
}

/// The lines inside the fence, each ended.
fn block(thought: &Thought) -> String {
    match &thought.step {
        Step::Draw(parts) => {
            let plain = thought.rules.know(Rule::PlainCalls);
            parts.iter().map(|part| part_block(part, plain)).collect()
        }
        Step::DrawWrongly(parts) => {
            let right: String = parts.iter().map(calls).collect();
            forget_a_number(&right)
        }
        Step::Rest => "# The cat is complete: nothing to draw.\n".to_owned(),
        Step::Wait => "# Nothing to draw on.\n".to_owned(),
    }
}

fn part_block(part: &Part, plain: bool) -> String {
    let body = match ends(part) {
        Some(ends) if !plain && part.name == PART_OF_THE_LOOP && ends.len() >= LINES_OF_A_LOOP => {
            looped(part.name, &ends)
        }
        _ => calls(part),
    };
    format!("# {}\n{body}", part.name)
}

fn calls(part: &Part) -> String {
    let calls = part.strokes.iter().flat_map(|stroke| stroke.calls());
    calls.fold(String::new(), |mut block, call| {
        let _ = writeln!(block, "{call}");
        block
    })
}

/// The numbers of each line of a part, as text, when it has nothing but lines.
fn ends(part: &Part) -> Option<Vec<String>> {
    let numbers = |stroke: &Stroke| match stroke {
        Stroke::Line(from, to) => Some(format!("{from}, {to}")),
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

/// The block with the last number of its first call left out.
fn forget_a_number(block: &str) -> String {
    let (first, rest) = block.split_once('\n').unwrap_or((block, ""));
    let (kept, _) = first.rsplit_once(", ").unwrap_or((first, ""));
    format!("{kept})\n{rest}")
}
