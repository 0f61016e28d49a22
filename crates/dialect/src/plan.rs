//! A plan: what a reply asks for, in order, with the place of everything; and the report, which words what became of it.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use franz_action::{Action, DeclaredMode, Outcome};

/// What a reply asks for.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Every call that was found, in the order in which it is to be performed.
    pub steps: Vec<PlanStep>,
    /// Sentences for the model that no outcome carries, such as a clamped coordinate.
    pub notices: Vec<String>,
    /// What it declares about the mode.
    pub mode: DeclaredMode,
    /// The goal it declares.
    pub goal: Option<String>,
    /// The part of it that is written for people, where the protocol has one.
    pub story: Option<String>,
    /// The final answer, when it is one.
    pub answer: Option<String>,
    /// What a conversation keeps of it, in protocols that call functions.
    pub spoken: Option<Spoken>,
    /// Words the feedback.
    pub report: Arc<dyn PlanReport>,
}

/// One call that was found in a reply.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanStep {
    /// Where it stands.
    pub span: ReplySpan,
    /// The action in its canonical text, shortened where it is a text for the clipboard; the model's own words, shortened, where it is none.
    pub text: String,
    /// What is to be done about it.
    pub intent: Intent,
}

/// What is to be done about a call.
#[derive(Clone, Debug, PartialEq)]
pub enum Intent {
    /// It is an action to perform.
    Perform(Action),
    /// Its outcome is settled: malformed or ignored.
    Leave(Outcome),
}

/// A place in a reply, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplySpan {
    /// In its text.
    Text(Range<usize>),
    /// In the array of its tool calls.
    ToolCalls(Range<usize>),
}

impl ReplySpan {
    /// Where it begins.
    pub fn start(&self) -> usize {
        match self {
            ReplySpan::Text(range) | ReplySpan::ToolCalls(range) => range.start,
        }
    }
}

/// A reply as a conversation sends it back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spoken {
    /// What is left of the text without the calls written in it; `None`: the text as it is.
    pub text: Option<String>,
    /// The calls, of which every one gets a result.
    pub calls: Vec<FunctionCall>,
}

/// A call of a function, fit to be sent back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionCall {
    /// The function.
    pub name: String,
    /// The text of a JSON object.
    pub arguments: String,
}

/// What a protocol found in one reply, kept for wording what became of it.
pub trait PlanReport: fmt::Debug + Send + Sync {
    /// The protocol's own text about a performed plan; `outcomes` has one entry a step.
    fn feedback(&self, plan: &Plan, outcomes: &[Outcome], scene: &Scene<'_>) -> String;
}

/// What feedback says besides outcomes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scene<'a> {
    /// The name of the picture that is shown with the feedback.
    pub picture: &'a str,
    /// The screen's width and height in pixels.
    pub screen: (u32, u32),
}

/// Characters of a model's own words that are kept of a call.
const LONGEST_WORDS: usize = 200;

impl Plan {
    /// A plan of these steps, and nothing else.
    pub fn new(steps: Vec<PlanStep>, report: impl PlanReport + 'static) -> Plan {
        Plan {
            steps,
            notices: Vec::new(),
            mode: DeclaredMode::Absent,
            goal: None,
            story: None,
            answer: None,
            spoken: None,
            report: Arc::new(report),
        }
    }

    /// The protocol's own text about the performed plan; `outcomes` has one entry a step.
    pub fn feedback(&self, outcomes: &[Outcome], scene: &Scene<'_>) -> String {
        self.report.feedback(self, outcomes, scene)
    }

    /// The outcomes when every action is done.
    pub fn all_done(&self) -> Vec<Outcome> {
        let outcome = |step: &PlanStep| match &step.intent {
            Intent::Perform(_) => Outcome::DONE,
            Intent::Leave(outcome) => outcome.clone(),
        };
        self.steps.iter().map(outcome).collect()
    }

    /// The actions to perform, in order.
    pub fn actions(&self) -> impl Iterator<Item = &Action> {
        self.steps.iter().filter_map(PlanStep::action)
    }
}

impl PlanStep {
    /// An action to perform.
    pub fn perform(span: ReplySpan, action: Action) -> PlanStep {
        let text = action.to_string();
        PlanStep {
            span,
            text: match action {
                // Records keep this text with every step: what is long stands in the reply alone.
                Action::WriteClipboard(_) => shortened(&text, LONGEST_WORDS),
                _ => text,
            },
            intent: Intent::Perform(action),
        }
    }

    /// A call that is not to be performed, in the model's words.
    pub fn leave(span: ReplySpan, words: &str, outcome: Outcome) -> PlanStep {
        PlanStep {
            span,
            text: shortened(words, LONGEST_WORDS),
            intent: Intent::Leave(outcome),
        }
    }

    /// The action, where there is one.
    pub fn action(&self) -> Option<&Action> {
        match &self.intent {
            Intent::Perform(action) => Some(action),
            Intent::Leave(_) => None,
        }
    }
}

/// The text, cut where it is longer than so many characters.
pub fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}\u{2026}", &text[..end]),
        None => text.to_owned(),
    }
}
