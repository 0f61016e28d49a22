//! The decision of a turn: from memory, feedback and picture to the next strokes. What it sounds like is told elsewhere.

use franz_action::{Action, Point};

use crate::cat::{self, Part};
use crate::eye::{self, Progress};
use crate::feedback::Feedback;
use crate::picture::Pixels;
use crate::rules::{Rule, Rules};
use crate::stroke::Stroke;

/// The most strokes of one turn.
const MOST_STROKES: usize = 9;
/// Fewer strokes than this are worth adding the next part to.
const FEW_STROKES: usize = 5;
/// The part at whose beginning the model makes its one mistake: it comes third, after the two halves of the head.
const PART_OF_THE_MISTAKE: usize = 1;
/// The stroke of the first part to make it at where a turn has one stroke: it comes third as well.
const STROKE_OF_THE_MISTAKE: usize = 2;

/// What a turn shows the model, in whatever protocol it was told.
#[derive(Debug)]
pub struct TurnView {
    /// What it remembers.
    pub rules: Rules,
    /// What became of its last actions.
    pub heard: Feedback,
    /// The feedback's first notice.
    pub notice: Option<String>,
    /// How much it may do now.
    pub hand: Hand,
    /// The picture, or why there is none.
    pub picture: Result<Pixels, String>,
}

/// How much a turn may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hand {
    /// As many calls as a reply holds.
    Several,
    /// One call.
    One {
        /// Where the last call clicked, so that text may follow there.
        clicked: Option<Point>,
    },
}

/// What the model makes of a turn.
#[derive(Clone, Debug, PartialEq)]
pub struct Thought {
    /// What it knows.
    pub rules: Rules,
    /// What it was told.
    pub heard: Feedback,
    /// The feedback's first notice.
    pub notice: Option<String>,
    /// What it sees.
    pub sight: Sight,
    /// What it does.
    pub step: NextStep,
    /// The step's actions, in order; as few as its hand may do.
    pub actions: Vec<Action>,
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
pub enum NextStep {
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
    pub fn of(view: TurnView) -> Thought {
        let mut rules = view.rules;
        if let Some(rule) = lesson(&view.heard) {
            rules.learn(rule);
        }
        let sight = see(&view.picture);
        let step = match &sight {
            Sight::Canvas(progress) => next(progress, &rules, view.hand),
            Sight::Nothing(_) | Sight::Elsewhere => NextStep::Wait,
        };
        Thought {
            actions: actions(step.parts(), view.hand),
            rules,
            heard: view.heard,
            notice: view.notice,
            sight,
            step,
        }
    }

    /// A thought in front of the complete cat.
    pub fn at_rest() -> Thought {
        let all_drawn = |part: &Part| vec![true; part.strokes.len()];
        Thought {
            rules: Rules::remembered(""),
            heard: Feedback::Nothing,
            notice: None,
            sight: Sight::Canvas(cat::parts().iter().map(all_drawn).collect()),
            step: NextStep::Rest,
            actions: Vec::new(),
        }
    }

    /// The actions as calls, the mistake included.
    pub fn calls(&self) -> Vec<String> {
        let mut calls: Vec<String> = self.actions.iter().map(Action::to_string).collect();
        if let (NextStep::DrawWrongly(_), Some(first)) = (&self.step, calls.first_mut()) {
            let kept = first.rsplit_once(", ").map_or(first.as_str(), |(kept, _)| kept);
            *first = format!("{kept})");
        }
        calls
    }

    /// Whether nothing is drawn, so that there is no hurry.
    pub fn is_idle(&self) -> bool {
        matches!(self.step, NextStep::Rest | NextStep::Wait)
    }
}

impl NextStep {
    /// What it draws.
    pub fn parts(&self) -> &[Part] {
        match self {
            NextStep::Draw(parts) | NextStep::DrawWrongly(parts) => parts,
            NextStep::Rest | NextStep::Wait => &[],
        }
    }
}

/// What an experience teaches in every protocol.
fn lesson(heard: &Feedback) -> Option<Rule<'_>> {
    match heard {
        Feedback::TooFewNumbers => Some(Rule::FourNumbers),
        Feedback::NoEffect => Some(Rule::ClickBeforeType),
        Feedback::NoTool(name) => Some(Rule::NoTool(name)),
        Feedback::Nothing | Feedback::NoCalls | Feedback::Fine | Feedback::Failed(_) => None,
    }
}

fn see(picture: &Result<Pixels, String>) -> Sight {
    match picture {
        Err(why) => Sight::Nothing(why.clone()),
        Ok(picture) if eye::is_canvas(picture) => Sight::Canvas(eye::look(picture, &cat::parts())),
        Ok(_) => Sight::Elsewhere,
    }
}

fn next(progress: &Progress, rules: &Rules, hand: Hand) -> NextStep {
    let missing = missing(progress, rules);
    let parts = match hand {
        Hand::Several => batch(&missing),
        Hand::One { .. } => missing.first().map(|part| start(part, 1)).into_iter().collect(),
    };
    match parts.first() {
        None => NextStep::Rest,
        Some(first) if is_tempting(first, hand) && !rules.know(Rule::FourNumbers) => NextStep::DrawWrongly(parts),
        Some(_) => NextStep::Draw(parts),
    }
}

/// Whether this is what to make the mistake at.
fn is_tempting(part: &Part, hand: Hand) -> bool {
    let cat = cat::parts();
    match hand {
        Hand::Several => cat.get(PART_OF_THE_MISTAKE) == Some(part),
        Hand::One { .. } => {
            let stroke = cat.first().and_then(|part| part.strokes.get(STROKE_OF_THE_MISTAKE));
            part.strokes.first() == stroke
        }
    }
}

/// What drawing takes; a click that was made already is not made again, so that the text may follow.
fn actions(parts: &[Part], hand: Hand) -> Vec<Action> {
    let strokes = parts.iter().flat_map(|part| &part.strokes);
    match hand {
        Hand::Several => strokes.flat_map(|stroke| stroke.calls()).collect(),
        Hand::One { clicked } => {
            let calls: Vec<Action> = strokes.take(1).flat_map(|stroke| stroke.calls()).collect();
            let again = |call: &Action| calls.len() > 1 && clicked.is_some() && call.pointer() == clicked;
            calls.iter().find(|call| !again(call)).cloned().into_iter().collect()
        }
    }
}

/// The first strokes of a part.
fn start(part: &Part, count: usize) -> Part {
    Part {
        name: part.name,
        strokes: part.strokes.iter().take(count).copied().collect(),
    }
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
        batch.push(start(part, share));
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
