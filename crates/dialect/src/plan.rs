//! A plan: what a reply asks for, in order and with positions. It includes a report that words the outcomes.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use franz_action::text::shortened;
use franz_action::{Action, DeclaredMode, Outcome};

use crate::geometry::Geometry;

/// Everything that a reply asks for and says.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Every call found, in the order of execution.
    pub steps: Vec<PlanStep>,
    /// Sentences for the model that do not belong to a single outcome, such as a sentence about collapsed calls.
    pub notices: Vec<String>,
    /// Sentences for the person about how the reply was read.
    pub remarks: Vec<String>,
    /// What the reply declares about the mode.
    pub mode: DeclaredMode,
    /// The goal that the reply declares.
    pub goal: Option<String>,
    /// The part of the reply written for people, if the protocol has one.
    pub story: Option<String>,
    /// The model's report that its work is over.
    pub finish: Option<Finish>,
    /// Whether the reply asks for nothing because its work is done, in protocols that allow that.
    pub rests: bool,
    /// What the reply has instead of a call, in protocols where every reply needs a call.
    pub no_call: Option<NoCall>,
    /// The part of the reply that a conversation keeps, in protocols with function calls.
    pub spoken: Option<Spoken>,
    /// The end of the feedback on a reply that could not be read: one complete valid line.
    pub correction: Option<String>,
    /// The report that words the feedback.
    pub report: Arc<dyn PlanReport>,
}

/// The model's report at the end of its work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finish {
    /// What it did and found.
    pub answer: String,
    /// Whether it carried out its task.
    pub success: bool,
}

/// The contents of a reply that should have made a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoCall {
    /// Only words, given here without thoughts. They never end a run immediately, because a small model also uses words
    /// to announce calls, to ask, or to give up.
    Words(String),
    /// Nothing, or unreadable calls.
    Unreadable,
}

/// One call found in a reply.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanStep {
    /// Where the call is.
    pub span: ReplySpan,
    /// The action's canonical text, shortened if the action writes to the clipboard. Without an action, the model's own
    /// words, shortened.
    pub text: String,
    /// The same text as shown to the model, with places in the model's own numbers.
    pub shown: String,
    /// What to do about the call.
    pub intent: Intent,
}

/// What to do about a call.
#[derive(Clone, Debug, PartialEq)]
pub enum Intent {
    /// Perform this action.
    Perform(Action),
    /// Do nothing on the screen. The outcome, malformed or ignored, is already known.
    Leave(Outcome),
}

/// A range in a reply, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplySpan {
    /// In the reply's text.
    Text(Range<usize>),
    /// In the array of tool calls.
    ToolCalls(Range<usize>),
}

impl ReplySpan {
    /// Returns where the span begins.
    pub fn start(&self) -> usize {
        match self {
            ReplySpan::Text(range) | ReplySpan::ToolCalls(range) => range.start,
        }
    }
}

/// A reply in the form in which a conversation sends it back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spoken {
    /// The text without the calls in it; `None` if the text does not change.
    pub text: Option<String>,
    /// The calls. Each gets a result.
    pub calls: Vec<FunctionCall>,
}

/// A function call in a form that can be sent back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionCall {
    /// The function's name.
    pub name: String,
    /// The arguments, as a JSON object.
    pub arguments: String,
}

/// A protocol's findings about one reply, kept for the feedback.
pub trait PlanReport: fmt::Debug + Send + Sync {
    /// Returns the protocol's own feedback on a performed plan. `outcomes` has one entry per step.
    fn feedback(&self, plan: &Plan, outcomes: &[Outcome], scene: &Scene<'_>) -> String;
}

/// The parts of the feedback other than outcomes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scene<'a> {
    /// The name of the picture that is shown with the feedback.
    pub picture: &'a str,
    /// The screen's width and height in pixels.
    pub screen: (u32, u32),
}

/// The feedback before a model's first reply.
pub(crate) const NOTHING_YET: &str = "nothing has been done yet: this is your first turn";

/// How many characters of the model's own words to keep per call.
const LONGEST_WORDS: usize = 200;

impl Plan {
    /// Returns a plan with these steps and nothing else.
    pub fn new(steps: Vec<PlanStep>, report: impl PlanReport + 'static) -> Plan {
        Plan {
            steps,
            notices: Vec::new(),
            remarks: Vec::new(),
            mode: DeclaredMode::Absent,
            goal: None,
            story: None,
            finish: None,
            rests: false,
            no_call: None,
            spoken: None,
            correction: None,
            report: Arc::new(report),
        }
    }

    /// Returns the protocol's own feedback on the performed plan. `outcomes` has one entry per step.
    pub fn feedback(&self, outcomes: &[Outcome], scene: &Scene<'_>) -> String {
        self.report.feedback(self, outcomes, scene)
    }

    /// Returns the outcomes if every action is performed.
    pub fn all_done(&self) -> Vec<Outcome> {
        let outcome = |step: &PlanStep| match &step.intent {
            Intent::Perform(_) => Outcome::DONE,
            Intent::Leave(outcome) => outcome.clone(),
        };
        self.steps.iter().map(outcome).collect()
    }

    /// Iterates over the actions to perform, in order.
    pub fn actions(&self) -> impl Iterator<Item = &Action> {
        self.steps.iter().filter_map(PlanStep::action)
    }
}

impl PlanStep {
    /// Returns a step that performs an action.
    pub fn perform(span: ReplySpan, action: Action) -> PlanStep {
        let text = action.to_string();
        let text = match action {
            // Records contain this text for every step, so long text is kept only in the reply itself.
            Action::WriteClipboard(_) => shortened(&text, LONGEST_WORDS),
            _ => text,
        };
        PlanStep {
            span,
            shown: text.clone(),
            text,
            intent: Intent::Perform(action),
        }
    }

    /// Returns this step in the form shown to a model whose numbers have this geometry.
    #[must_use]
    pub fn spoken(mut self, geometry: &Geometry) -> PlanStep {
        if let Intent::Perform(action) = &self.intent
            && (action.pointer().is_some() || matches!(action, Action::Zoom(..)))
            && !geometry.is_canonical()
        {
            self.shown = geometry.spoken(action);
        }
        self
    }

    /// Returns a step for a call that is not performed, in the model's words.
    pub fn leave(span: ReplySpan, words: &str, outcome: Outcome) -> PlanStep {
        let text = shortened(words, LONGEST_WORDS);
        PlanStep {
            span,
            shown: text.clone(),
            text,
            intent: Intent::Leave(outcome),
        }
    }

    /// Returns the action, if there is one.
    pub fn action(&self) -> Option<&Action> {
        match &self.intent {
            Intent::Perform(action) => Some(action),
            Intent::Leave(_) => None,
        }
    }
}
