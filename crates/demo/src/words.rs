//! Writes the sentences that the model uses in every protocol: about the picture, its last actions and its next step.

use crate::artist::{NextStep, Sight, Thought};
use crate::cat::{self, Part};
use crate::eye::Progress;
use crate::feedback::Feedback;

/// Describes the picture and the feedback.
pub(crate) fn seen(thought: &Thought) -> String {
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

/// Returns whether the whole cat is visible.
pub(crate) fn is_complete(sight: &Sight) -> bool {
    matches!(sight, Sight::Canvas(progress) if progress.iter().flatten().all(|&drawn| drawn))
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
        _ if drawn == 0 => {
            "A black canvas with nothing on it yet. I can draw only a cat, whatever the goal.".to_owned()
        }
        _ if drawn == all => "White lines on black: a whole cat, with a curled tail and a meow.".to_owned(),
        [] => format!("A black canvas with {drawn} of the {all} strokes of my cat."),
        names => format!(
            "A black canvas with {drawn} of the {all} strokes of my cat: the {}.",
            list(names)
        ),
    }
}

fn experience(heard: &Feedback) -> Option<String> {
    match heard {
        Feedback::Nothing | Feedback::Fine | Feedback::NoCalls => None,
        Feedback::TooFewNumbers => Some("My last turn failed: I forgot a number in drag().".to_owned()),
        Feedback::NoTool(name) => Some(format!("My last turn failed: there is no {name}().")),
        Feedback::NoEffect => Some("Something I did last turn had no effect.".to_owned()),
        Feedback::Failed(error) => Some(format!("My last turn failed: {error}")),
    }
}

/// Describes the model's next step.
pub(crate) fn plan(thought: &Thought) -> String {
    match &thought.step {
        NextStep::Draw(parts) if thought.heard == Feedback::TooFewNumbers => {
            format!(
                "I draw the {} again, with all four numbers in every drag().",
                names(parts)
            )
        }
        NextStep::Draw(parts) | NextStep::DrawWrongly(parts) => format!("I draw the {}.", names(parts)),
        NextStep::Rest => "My cat is complete. I rest and look at it.".to_owned(),
        NextStep::Wait => "I draw nothing until I see my canvas.".to_owned(),
    }
}

fn names(parts: &[Part]) -> String {
    let names: Vec<&str> = parts.iter().map(|part| part.name).collect();
    list(&names)
}

/// Joins names like `a`, `a and b`, or `a, b and c`.
fn list(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [all @ .., last] => format!("{} and {last}", all.join(", ")),
    }
}
