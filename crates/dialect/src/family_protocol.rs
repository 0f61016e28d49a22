//! A profile's protocol with calls in a family's dialect. The protocol's frame stays the same.
//!
//! The frame is what surrounds a call: mode, goal and story in sections, the narrative above lines, the words next to a
//! function call. A block of Python has no such frame, so `python` keeps its own calls.

use std::sync::Arc;

use franz_action::text::shortened;
use franz_action::{Action, DeclaredMode, Mode, Outcome, Point, ToolSet};

use crate::correction::{Correction, WRITE};
use crate::family::Family;
use crate::geometry::Geometry;
use crate::own_form::OwnForm;
use crate::plan::{Finish, Intent, NoCall, Plan, PlanReport, PlanStep, ReplySpan, Scene, Spoken};
use crate::protocol::{Protocol, ReplyText};
use crate::reader::{DialectReader, Fate, ReadStep, Reading};
use crate::wording::Numbers;

/// How many characters of a call to quote in the feedback.
const LONGEST_CALL: usize = 200;

/// The empty array of functions, for a family whose calls are text.
pub const NO_FUNCTIONS: &str = "[]";

const NO_ACTIONS: &str = "no actions found in your previous output";
const NOT_YET: &str = "not yet: finish in a separate reply, once everything is done";
const EXAMPLE: &str = "it only repeats the example in the instructions; write your own call for what the picture shows";
const SWITCHED_OFF: &str = "it is switched off";
/// The question to the person if the model calls for them without asking anything.
const HELP: &str = "Please help me with the next step.";
const NO_QUESTIONS: &str = "nobody can answer here; decide yourself, or finish and say what is missing";

/// The actions and answers of the prompt's examples. A reply that only repeats an example has no effect.
#[derive(Clone, Debug, Default)]
pub struct Examples {
    /// The actions.
    pub actions: Vec<Action>,
    /// The answers with which the examples end the work.
    pub answers: Vec<String>,
}

/// A protocol with calls in a family's dialect.
#[derive(Debug)]
pub struct FamilyProtocol {
    /// The profile's protocol.
    pub own: Box<dyn Protocol>,
    /// How the profile's protocol writes calls.
    pub own_form: OwnForm,
    /// The tools that calls may use.
    pub tools: ToolSet,
    /// The maximum number of function calls to perform per reply.
    pub calls: usize,
    /// The models' family.
    pub family: Family,
    /// What the family's numbers mean.
    pub geometry: Geometry,
    /// Where the pointer is, if known.
    pub pointer: Option<Point>,
    /// The prompt's examples.
    pub examples: Examples,
    /// The array of tools for requests, if the family calls functions.
    pub schema: Option<String>,
}

impl Protocol for FamilyProtocol {
    fn read(&self, reply: &ReplyText<'_>) -> Plan {
        let mut frame = self.own.read(reply);
        let own_family = self.family.dialect.is_own();
        if reply.tool_calls.is_none() && self.schema.as_deref() == Some(NO_FUNCTIONS) {
            // A server whose template has no functions does not accept the results of calls either.
            frame.spoken = frame.spoken.map(|_| Spoken {
                text: None,
                calls: Vec::new(),
            });
        }
        if own_family && (!frame.steps.is_empty() || frame.finish.is_some()) {
            return self.unless_copied(frame);
        }
        let calls = self.own.calls_text(reply.text);
        let reading = self.reader().read(&ReplyText { text: &calls, ..*reply });
        if own_family && !reading.recognised && reading.dialect == crate::dialects::own().name {
            return frame;
        }
        self.unless_copied(self.plan(reply, frame, &reading))
    }

    fn opening(&self) -> Plan {
        self.own.opening()
    }

    fn heading(&self, mode: Mode, goal: &str, reported_done: Option<u64>) -> Option<String> {
        self.own.heading(mode, goal, reported_done)
    }

    fn schema(&self) -> Option<String> {
        self.schema.clone()
    }
}

impl FamilyProtocol {
    fn reader(&self) -> DialectReader<'_> {
        DialectReader {
            dialect: self.family.dialect,
            geometry: self.geometry,
            own: &*self.own,
            own_form: self.own_form,
            pointer: self.pointer,
            manner: self.family.manner.clone(),
        }
    }

    /// If a plan only repeats the prompt's examples, returns a plan that does nothing, because weak models copy
    /// examples.
    fn unless_copied(&self, plan: Plan) -> Plan {
        if !self.acts_as_copied(&plan) && !self.ends_as_copied(&plan) {
            return plan;
        }
        let left = |step: PlanStep| match step.intent {
            Intent::Perform(_) | Intent::Leave(Outcome::Ignored(None)) => {
                PlanStep::leave(step.span, &step.shown, Outcome::Malformed(EXAMPLE.to_owned()))
            }
            Intent::Leave(_) => step,
        };
        Plan {
            steps: plan.steps.into_iter().map(left).collect(),
            mode: DeclaredMode::Absent,
            goal: None,
            finish: None,
            no_call: (self.own_form == OwnForm::Tools).then_some(NoCall::Unreadable),
            correction: Some(self.harmless_line()),
            ..plan
        }
    }

    fn acts_as_copied(&self, plan: &Plan) -> bool {
        // Compare written forms, because models round the numbers that they write.
        let written = |action: &Action| self.geometry.spoken(action);
        let copied = |action: &Action| {
            let mut examples = self.examples.actions.iter();
            examples.any(|example| written(example) == written(action))
        };
        let mut acts = plan.actions().filter(|action| !action.only_looks()).peekable();
        acts.peek().is_some() && acts.all(copied)
    }

    fn ends_as_copied(&self, plan: &Plan) -> bool {
        let bare = |answer: &str| answer.trim().trim_end_matches('.').to_owned();
        let copied = |said: &str| {
            let mut examples = self.examples.answers.iter();
            // If the answer consists of the words before the call, they can include the rest of the example.
            let within = self.family.manner.words_answer;
            examples.any(|answer| bare(answer) == bare(said) || within && said.contains(answer))
        };
        plan.finish.as_ref().is_some_and(|finish| copied(&finish.answer))
    }

    /// Returns a line that does no harm if the model copies it.
    fn harmless_line(&self) -> String {
        let own = Correction {
            form: self.own_form,
            tools: &self.tools,
            geometry: &self.geometry,
        };
        let writer = self
            .family
            .dialect
            .writer(&self.family.manner, Numbers::Counted(&self.geometry));
        let line = writer.and_then(|writer| writer.harmless());
        line.map_or_else(|| own.of_nothing(), |line| format!("{WRITE}{line}"))
    }

    /// Fills the frame with the reading of the reply in the dialect.
    fn plan(&self, reply: &ReplyText<'_>, frame: Plan, reading: &Reading) -> Plan {
        let words: Vec<String> = reading.steps.iter().map(|step| words(reply, step)).collect();
        let mut steps: Vec<PlanStep> = Vec::with_capacity(reading.steps.len());
        for (step, words) in reading.steps.iter().zip(&words) {
            steps.push(self.step(step, words, &steps));
        }
        let acts = steps.iter().any(|step| step.action().is_some());
        let finish = reading.answer.clone().map(|answer| Finish {
            answer,
            success: reading.success,
        });
        let mut plan = Plan {
            remarks: reading.problems.clone(),
            notices: Vec::new(),
            ..frame
        };
        let frame = std::mem::replace(&mut plan.report, Arc::new(FamilyReport::default()));
        match self.own_form {
            OwnForm::Tools => {
                plan.no_call = no_call(plan.no_call.take(), reading, acts);
                plan.finish = finish.clone().filter(|_| !acts);
                let native = reply.tool_calls.is_some() && reading.steps.iter().any(is_native);
                plan.spoken = plan.spoken.take().filter(|_| native).or(Some(Spoken {
                    text: None,
                    calls: Vec::new(),
                }));
            }
            // Once a model has finished, it only watches.
            OwnForm::Sections if finish.is_some() => plan.mode = DeclaredMode::Monitoring,
            OwnForm::Sections | OwnForm::Lines | OwnForm::Python => {}
        }
        // A model that has nothing left to do makes no call.
        let rests = reading.steps.is_empty() && !reading.recognised && self.own_form == OwnForm::Lines;
        let (told, line) = match reading.told.rfind(WRITE) {
            _ if rests => (NO_ACTIONS, None),
            Some(at) => (reading.told[..at].trim_end(), Some(reading.told[at..].to_owned())),
            None => (&*reading.told, None),
        };
        plan.correction = line;
        plan.rests = rests;
        let native_calls = plan.spoken.as_ref().map_or(0, |spoken| spoken.calls.len());
        plan.report = Arc::new(FamilyReport {
            frame: (self.own_form == OwnForm::Sections).then_some(frame),
            words,
            told: told.to_owned(),
            finished: finish.is_some(),
            native_calls,
        });
        plan.steps = steps;
        plan
    }

    /// Turns a step of the reading into a step of the plan.
    fn step(&self, step: &ReadStep, words: &str, before: &[PlanStep]) -> PlanStep {
        let acts_before = before.iter().filter(|step| step.action().is_some()).count();
        let faulty = before
            .iter()
            .any(|step| matches!(step.intent, Intent::Leave(Outcome::Malformed(_))));
        let leave = |outcome| PlanStep::leave(step.span.clone(), words, outcome);
        let most = match self.own_form {
            OwnForm::Lines => usize::MAX,
            OwnForm::Tools => self.calls.max(1),
            OwnForm::Sections | OwnForm::Python => 1,
        };
        match &step.fate {
            Fate::Act(_) if acts_before >= most => leave(Outcome::Ignored(Some(most_calls(most)))),
            Fate::Act(action) if !self.tools.permits(action) => leave(Outcome::Ignored(Some(SWITCHED_OFF.to_owned()))),
            Fate::Act(action) => PlanStep::perform(step.span.clone(), action.clone()),
            Fate::Ask(question) => {
                // UI-TARS calls for the person without saying why.
                let question = if question.trim().is_empty() { HELP } else { question };
                let action = Action::Ask(question.to_owned());
                if acts_before >= most {
                    leave(Outcome::Ignored(Some(most_calls(most))))
                } else if self.tools.permits(&action) {
                    PlanStep::perform(step.span.clone(), action)
                } else {
                    leave(Outcome::Ignored(Some(NO_QUESTIONS.to_owned())))
                }
            }
            Fate::Said if acts_before > 0 && self.own_form == OwnForm::Tools => {
                leave(Outcome::Ignored(Some(NOT_YET.to_owned())))
            }
            Fate::Said => leave(Outcome::IGNORED),
            Fate::Left(why) if faulty || step.again => leave(Outcome::Ignored(Some(why.clone()))),
            Fate::Left(why) => leave(Outcome::Malformed(why.clone())),
        }
    }
}

/// States how many calls in a reply are performed.
fn most_calls(most: usize) -> String {
    match most {
        1 => "only one call per reply".to_owned(),
        most => format!("at most {most} calls per reply"),
    }
}

fn is_native(step: &ReadStep) -> bool {
    matches!(step.span, ReplySpan::ToolCalls(_))
}

/// Returns a call as the model wrote it, on one line.
fn words(reply: &ReplyText<'_>, step: &ReadStep) -> String {
    let whole = match &step.span {
        ReplySpan::Text(range) => reply.text.get(range.clone()),
        ReplySpan::ToolCalls(_) => None,
    };
    let words = whole.map_or_else(
        || format!("{}({})", step.name, step.args),
        |words| words.split_whitespace().collect::<Vec<_>>().join(" "),
    );
    shortened(&words, LONGEST_CALL)
}

/// Returns how the reply failed to make a call, or `None` if it made one. If nothing was read, the frame decides. If
/// calls were read but none can be used, they are unreadable.
fn no_call(frame: Option<NoCall>, reading: &Reading, acts: bool) -> Option<NoCall> {
    let said = |step: &ReadStep| matches!(step.fate, Fate::Said | Fate::Ask(_));
    let said = reading.steps.iter().any(said);
    match () {
        () if acts || said || reading.answer.is_some() => None,
        () if reading.steps.is_empty() && !reading.recognised => frame,
        () => Some(NoCall::Unreadable),
    }
}

/// The result of reading a reply in a dialect, for the feedback.
#[derive(Clone, Debug, Default)]
struct FamilyReport {
    /// The frame's report, which words the outcomes. `None` if each call gets a line of its own.
    frame: Option<Arc<dyn PlanReport>>,
    /// The calls as the model wrote them, one per step.
    words: Vec<String>,
    /// What to say if there is no call to report on.
    told: String,
    finished: bool,
    /// How many calls the server reported. Each of them gets a line of its own.
    native_calls: usize,
}

impl PlanReport for FamilyReport {
    fn feedback(&self, plan: &Plan, outcomes: &[Outcome], scene: &Scene<'_>) -> String {
        let mut lines = Vec::new();
        match &self.frame {
            Some(frame) => {
                let mut worded = plan.clone();
                for (step, words) in worded.steps.iter_mut().zip(&self.words) {
                    step.shown.clone_from(words);
                }
                lines.push(frame.feedback(&worded, outcomes, scene));
            }
            None => lines.extend(self.results(plan, outcomes)),
        }
        if plan.steps.is_empty() {
            lines.push(self.told.clone());
        }
        lines.join("\n")
    }
}

impl FamilyReport {
    /// Returns one line per call. The steps from one call in the server's array are combined, because each such call
    /// gets one result.
    fn results(&self, plan: &Plan, outcomes: &[Outcome]) -> Vec<String> {
        let steps = plan.steps.iter().zip(&self.words).zip(outcomes);
        let result = |((step, words), outcome): ((&PlanStep, &String), &Outcome)| {
            let result = match (&step.intent, outcome) {
                (Intent::Leave(Outcome::Ignored(None)), _) if self.finished => "done; the run goes on".to_owned(),
                (_, Outcome::Done(None) | Outcome::Ignored(None)) => "done".to_owned(),
                (_, Outcome::Done(Some(note))) => format!("done: {note}"),
                (Intent::Perform(Action::Ask(_)), Outcome::Read { text, .. }) => {
                    format!("the person answered: {}", serde_json::Value::from(text.as_str()))
                }
                (_, Outcome::Read { text, .. }) => format!("read: {text}"),
                (_, other) => format!("not done: {}", other.why().unwrap_or(other.name())),
            };
            format!("{words} -> {result}")
        };
        if self.native_calls == 0 {
            return steps.map(result).collect();
        }
        let mut spans: Vec<usize> = plan.steps.iter().map(|step| step.span.start()).collect();
        spans.dedup();
        let mut lines = vec![String::new(); self.native_calls.max(spans.len())];
        for one in steps {
            let number = spans.iter().position(|start| *start == one.0.0.span.start());
            if let Some(line) = number.and_then(|number| lines.get_mut(number)) {
                let separator = if line.is_empty() { "" } else { "; " };
                line.push_str(separator);
                line.push_str(&result(one).replace('\n', " "));
            }
        }
        for line in lines.iter_mut().filter(|line| line.is_empty()) {
            "not done".clone_into(line);
        }
        lines
    }
}
