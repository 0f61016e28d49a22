//! The decision of a turn: from memory, feedback and picture to the next strokes. What it sounds like is told elsewhere.

use crate::cat::{self, Part};
use crate::eye::{self, Progress};
use crate::heard::{self, Heard};
use crate::picture::Picture;
use crate::rules::{Rule, Rules};
use crate::stroke::Stroke;

/// The most strokes of one turn.
const MOST_STROKES: usize = 9;
/// Fewer strokes than this are worth adding the next part to.
const FEW_STROKES: usize = 5;
/// The part at whose beginning the model makes its one mistake: it comes third, after the two halves of the head.
const PART_OF_THE_MISTAKE: usize = 1;

/// What a turn shows the model.
#[derive(Debug)]
pub struct View<'a> {
    /// Its own last reply, or nothing.
    pub story: &'a str,
    /// What became of its last actions.
    pub feedback: &'a str,
    /// The picture, or why there is none.
    pub picture: Result<Picture, String>,
}

/// What the model makes of a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thought {
    /// What it knows.
    pub rules: Rules,
    /// What it was told.
    pub heard: Heard,
    /// The feedback's first notice.
    pub notice: Option<String>,
    /// What it sees.
    pub sight: Sight,
    /// What it does.
    pub step: Step,
}

/// What is in the picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sight {
    /// No picture, and why.
    Nothing(String),
    /// A screen that is no black canvas; somebody may be working there.
    Elsewhere,
    /// The canvas, with these strokes on it.
    Canvas(Progress),
}

/// The next thing to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Draw these parts, or what is missing of them; never empty.
    Draw(Vec<Part>),
    /// The same, with the last number of the first line forgotten.
    DrawWrongly(Vec<Part>),
    /// The cat is complete.
    Rest,
    /// Nothing can be drawn on what is seen.
    Wait,
}

impl Thought {
    /// Decides. Everything it goes by is in the view: the model keeps nothing between turns.
    pub fn of(view: &View<'_>) -> Thought {
        let heard = Heard::in_feedback(view.feedback);
        let mut rules = Rules::remembered(view.story);
        if let Some(rule) = lesson(&heard) {
            rules.learn(rule);
        }
        let sight = see(&view.picture);
        let step = match &sight {
            Sight::Canvas(progress) => next(progress, &rules),
            Sight::Nothing(_) | Sight::Elsewhere => Step::Wait,
        };
        Thought {
            rules,
            heard,
            notice: heard::notice(view.feedback),
            sight,
            step,
        }
    }

    /// A thought in front of the complete cat.
    pub fn at_rest() -> Thought {
        let all_drawn = |part: &Part| vec![true; part.strokes.len()];
        Thought {
            rules: Rules::remembered(""),
            heard: Heard::Nothing,
            notice: None,
            sight: Sight::Canvas(cat::parts().iter().map(all_drawn).collect()),
            step: Step::Rest,
        }
    }

    /// Whether nothing is drawn, so that there is no hurry.
    pub fn is_idle(&self) -> bool {
        matches!(self.step, Step::Rest | Step::Wait)
    }
}

/// What an experience teaches.
fn lesson(heard: &Heard) -> Option<Rule<'_>> {
    match heard {
        Heard::NoBlock => Some(Rule::OneBlock),
        Heard::TooFewNumbers => Some(Rule::FourNumbers),
        Heard::NoEffect => Some(Rule::ClickBeforeType),
        Heard::NoTool(name) => Some(Rule::NoTool(name)),
        Heard::Failed(_) => Some(Rule::PlainCalls),
        Heard::Nothing | Heard::Fine => None,
    }
}

fn see(picture: &Result<Picture, String>) -> Sight {
    match picture {
        Err(why) => Sight::Nothing(why.clone()),
        Ok(picture) if eye::is_canvas(picture) => Sight::Canvas(eye::look(picture, &cat::parts())),
        Ok(_) => Sight::Elsewhere,
    }
}

fn next(progress: &Progress, rules: &Rules) -> Step {
    let batch = batch(&missing(progress, rules));
    match batch.first() {
        None => Step::Rest,
        Some(first) if is_tempting(first) && !rules.know(Rule::FourNumbers) => Step::DrawWrongly(batch),
        Some(_) => Step::Draw(batch),
    }
}

/// Whether a part is the one to make the mistake at, and still wholly missing.
fn is_tempting(part: &Part) -> bool {
    *part == cat::parts()[PART_OF_THE_MISTAKE]
}

/// What is left of each part, without strokes whose tool is known to be missing, and without finished parts.
fn missing(progress: &Progress, rules: &Rules) -> Vec<Part> {
    let mut parts = cat::parts();
    let lacks = |stroke: &Stroke| stroke.tools().iter().any(|tool| rules.know(Rule::NoTool(tool)));
    for (part, drawn) in parts.iter_mut().zip(progress) {
        let mut drawn = drawn.iter();
        part.strokes
            .retain(|stroke| !drawn.next().copied().unwrap_or(false) && !lacks(stroke));
    }
    parts.retain(|part| !part.strokes.is_empty());
    parts
}

/// The strokes of one turn: a part, an even share of a long part, or several short parts.
fn batch(missing: &[Part]) -> Vec<Part> {
    let mut batch: Vec<Part> = Vec::new();
    let mut count = 0;
    for part in missing {
        let share = even_share(part.strokes.len());
        if count >= FEW_STROKES || count + share > MOST_STROKES {
            break;
        }
        count += share;
        batch.push(Part {
            name: part.name,
            strokes: part.strokes[..share].to_vec(),
        });
        if share < part.strokes.len() {
            break;
        }
    }
    batch
}

/// How many of `length` strokes to draw now, so that all turns of a part have about as much to do.
fn even_share(length: usize) -> usize {
    length.div_ceil(length.div_ceil(MOST_STROKES))
}
