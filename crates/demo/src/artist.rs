//! Decides what to draw next, based on memory, feedback and picture. Other modules put it into words.

use franz_action::{Action, Point};

use crate::aim::Aim;
use crate::cat::{self, Part};
use crate::eye::{self, Progress};
use crate::feedback::Feedback;
use crate::picture::Pixels;
use crate::rules::{Rule, Rules};
use crate::stroke::Stroke;

/// The largest number of strokes in one turn.
const MOST_STROKES: usize = 9;
/// If a turn has fewer strokes than this, the next part is added to it.
const FEW_STROKES: usize = 5;
/// The part where the model makes its one mistake, in its first call. It is drawn in the third turn, after the two
/// halves of the head.
const PART_OF_THE_MISTAKE: usize = 1;
/// The stroke of the first part at which the model makes the mistake if each turn has only one stroke. It is drawn in
/// the third turn as well.
const STROKE_OF_THE_MISTAKE: usize = 2;

/// Everything that a turn shows the model, whatever the protocol.
#[derive(Debug)]
pub struct TurnView {
    /// The rules that the model remembers.
    pub rules: Rules,
    /// The outcome of the model's last actions.
    pub heard: Feedback,
    /// The first notice in the feedback.
    pub notice: Option<String>,
    /// How much the model can do in this turn.
    pub hand: Hand,
    /// The drawing, in strokes that the model is able to make.
    pub drawing: Vec<Part>,
    /// The picture, or the reason why there is none.
    pub picture: Result<Pixels, String>,
}

/// How much the model can do in a turn.
#[derive(Clone, Debug, PartialEq)]
pub enum Hand {
    /// As many calls as a reply can hold.
    Several,
    /// A single call.
    One {
        /// The position where the last call clicked, so that text can follow there.
        clicked: Option<Point>,
        /// The largest distance, in thousandths, between that click and the position that the model meant.
        reach: f64,
    },
}

impl Hand {
    /// Returns the hand for a single call. `clicked` is the position of the last call if it was a click.
    pub fn one(clicked: Option<Point>) -> Hand {
        Hand::One { clicked, reach: 0.0 }
    }
}

/// The model's interpretation of a turn.
#[derive(Clone, Debug, PartialEq)]
pub struct Thought {
    /// The rules that the model knows.
    pub rules: Rules,
    /// The outcome of the last actions that the model was told.
    pub heard: Feedback,
    /// The first notice in the feedback.
    pub notice: Option<String>,
    /// The model's view of the picture.
    pub sight: Sight,
    /// The model's next step.
    pub step: NextStep,
    /// The step's actions, in order; no more than the model can do in this turn.
    pub actions: Vec<Action>,
}

/// The picture's content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sight {
    /// No picture, with the reason.
    Nothing(String),
    /// A screen that is not a black canvas; a person might be working on it.
    Elsewhere,
    /// The canvas, with these strokes on it.
    Canvas(Progress),
}

/// The next thing to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NextStep {
    /// Draw these parts or their missing strokes; the list is never empty.
    Draw(Vec<Part>),
    /// Draw these parts, but omit the last number in the first call.
    DrawWrongly(Vec<Part>),
    /// The cat is complete.
    Rest,
    /// Nothing visible can be drawn on.
    Wait,
}

impl Thought {
    /// Decides what to do. Everything the decision depends on is in the view: the model stores nothing between turns.
    pub fn of(view: TurnView) -> Thought {
        let mut rules = view.rules.clone();
        if let Some(rule) = lesson(&view.heard) {
            rules.learn(rule);
        }
        let sight = see(&view.picture, &view.drawing);
        let step = match &sight {
            Sight::Canvas(progress) => next(progress, &rules, &view),
            Sight::Nothing(_) | Sight::Elsewhere => NextStep::Wait,
        };
        Thought {
            actions: actions(step.parts(), &view.hand),
            rules,
            heard: view.heard,
            notice: view.notice,
            sight,
            step,
        }
    }

    /// Returns the thought of a model that looks at the complete cat.
    pub(crate) fn at_rest() -> Thought {
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

    /// Returns the actions as FRANZ's own calls, including the mistake.
    pub fn calls(&self, aim: &Aim) -> Vec<String> {
        let mut calls: Vec<String> = self.actions.iter().map(|action| aim.call(action)).collect();
        if let (NextStep::DrawWrongly(_), Some(first)) = (&self.step, calls.first_mut()) {
            let kept = first.rsplit_once(", ").map_or(first.as_str(), |(kept, _)| kept);
            *first = format!("{kept})");
        }
        calls
    }

    /// Returns whether the step draws nothing and can therefore wait.
    pub fn is_idle(&self) -> bool {
        matches!(self.step, NextStep::Rest | NextStep::Wait)
    }
}

impl NextStep {
    /// Returns the parts that this step draws.
    pub fn parts(&self) -> &[Part] {
        match self {
            NextStep::Draw(parts) | NextStep::DrawWrongly(parts) => parts,
            NextStep::Rest | NextStep::Wait => &[],
        }
    }
}

/// Returns the rule that the feedback teaches, whatever the protocol.
fn lesson(heard: &Feedback) -> Option<Rule<'_>> {
    match heard {
        Feedback::TooFewNumbers => Some(Rule::FourNumbers),
        Feedback::NoEffect => Some(Rule::ClickBeforeType),
        Feedback::NoTool(name) => Some(Rule::NoTool(name)),
        Feedback::Nothing | Feedback::NoCalls | Feedback::Fine | Feedback::Failed(_) => None,
    }
}

fn see(picture: &Result<Pixels, String>, drawing: &[Part]) -> Sight {
    match picture {
        Err(why) => Sight::Nothing(why.clone()),
        Ok(picture) if eye::is_canvas(picture) => Sight::Canvas(eye::look(picture, drawing)),
        Ok(_) => Sight::Elsewhere,
    }
}

fn next(progress: &Progress, rules: &Rules, view: &TurnView) -> NextStep {
    let hand = &view.hand;
    let missing = missing(progress, rules, &view.drawing);
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

/// Returns whether to make the mistake at this part.
fn is_tempting(part: &Part, hand: &Hand) -> bool {
    let cat = cat::parts();
    match hand {
        Hand::Several => cat.get(PART_OF_THE_MISTAKE) == Some(part),
        Hand::One { .. } => {
            let stroke = cat.first().and_then(|part| part.strokes.get(STROKE_OF_THE_MISTAKE));
            part.strokes.first() == stroke
        }
    }
}

/// Returns the actions that draw the parts. A click that has already been made is not repeated, so that its text can
/// follow.
fn actions(parts: &[Part], hand: &Hand) -> Vec<Action> {
    let strokes = parts.iter().flat_map(|part| &part.strokes);
    match hand {
        Hand::Several => strokes.flat_map(|stroke| stroke.calls()).collect(),
        Hand::One { clicked, reach } => {
            let calls: Vec<Action> = strokes.take(1).flat_map(|stroke| stroke.calls()).collect();
            let near = |at: Point| clicked.is_some_and(|clicked| apart(at, clicked) <= *reach);
            let again = |call: &Action| calls.len() > 1 && call.pointer().is_some_and(near);
            calls.iter().find(|call| !again(call)).cloned().into_iter().collect()
        }
    }
}

/// Returns the distance between two points, in thousandths.
fn apart(one: Point, other: Point) -> f64 {
    (one.x.get() - other.x.get()).hypot(one.y.get() - other.y.get())
}

/// Returns the first strokes of a part.
fn start(part: &Part, count: usize) -> Part {
    Part {
        name: part.name,
        strokes: part.strokes.iter().take(count).copied().collect(),
    }
}

/// Returns the missing strokes of each part. Omits finished parts, and strokes whose tool is known to be missing.
fn missing(progress: &Progress, rules: &Rules, drawing: &[Part]) -> Vec<Part> {
    let mut parts = drawing.to_vec();
    let lacks = |stroke: &Stroke| stroke.tools().iter().any(|tool| rules.know(Rule::NoTool(tool)));
    for (part, drawn) in parts.iter_mut().zip(progress) {
        let mut drawn = drawn.iter();
        part.strokes
            .retain(|stroke| !drawn.next().copied().unwrap_or(false) && !lacks(stroke));
    }
    parts.retain(|part| !part.strokes.is_empty());
    parts
}

/// Returns the strokes for one turn: a part, an even share of a long part, or several short parts.
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

/// Returns how many of a part's `length` strokes to draw now, so that every turn draws about the same number.
fn even_share(length: usize) -> usize {
    length.div_ceil(length.div_ceil(MOST_STROKES))
}
