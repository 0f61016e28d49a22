//! The tools protocol: function calls, as the server reports them or as the model writes them into its text.
//!
//! In reading order: `function` is the table of functions, `schema` describes them to the server, `written` is a call
//! as it was written, `arguments` is its JSON object, `binding` turns that into an action, `call_error` lists what can
//! be wrong with it, and `report` words the outcomes, one JSON `result` per call. On a lower level, `form` finds calls
//! in text.
//!
//! For a model family with its own notation for calls in text, add a file to `form` with a function that finds them,
//! and a line in `form::FORMS`.
//!
//! Deliberately absent: completing cut calls, and guessing missing values.

mod arguments;
mod binding;
mod call_error;
mod form;
mod function;
mod grammar;
mod report;
mod result;
mod schema;
mod written;

use std::borrow::Cow;
use std::sync::Arc;

use franz_action::{Action, Outcome, ToolSet};

use crate::correction::Correction;
use crate::geometry::Geometry;
use crate::imagined;
use crate::json::Closers;
use crate::notation::Arguments;
use crate::own_form::OwnForm;
use crate::plan::{FunctionCall, Intent, NoCall, Plan, PlanStep, ReplySpan, Spoken};
use crate::protocol::{Protocol, ReadingSettings, ReplyText};
use crate::thought;
use crate::usual::{self, UsualCall};
use arguments::{CallArguments, NoObject};
use binding::{BoundAction, BoundFunction, bind};
use call_error::ToolCallError;
use function::Function;
pub(crate) use grammar::grammar;

use report::{Told, ToolsReport};
use written::{CallText, Unreadable};

/// How many calls in one reply to answer individually. No honest reply has more.
const MOST_CALLS: usize = 64;

/// The protocol with its settings.
#[derive(Clone, Debug)]
pub struct ToolsProtocol {
    /// The tools that functions may use.
    pub tools: ToolSet,
    /// How many calls per reply to perform.
    pub calls: usize,
    /// What the numbers in calls mean.
    pub geometry: Geometry,
}

impl From<ReadingSettings> for ToolsProtocol {
    fn from(settings: ReadingSettings) -> ToolsProtocol {
        ToolsProtocol {
            tools: settings.tools,
            calls: settings.calls,
            geometry: settings.geometry,
        }
    }
}

impl Protocol for ToolsProtocol {
    fn read(&self, reply: &ReplyText<'_>) -> Plan {
        if let Some(raw) = reply.tool_calls {
            let calls = written::reported(raw);
            if !calls.is_empty() {
                return self.plan(&calls, CallSource::ToolCalls(raw), reply.cut);
            }
        }
        let masked = thought::masked(reply.text);
        let parts = form::parts(&masked, Closers::of(reply.cut));
        if parts.is_empty() {
            return self.wordy(reply, &masked);
        }
        let left = form::without(reply.text, &parts);
        let calls: Vec<CallText> = parts.into_iter().flat_map(|part| part.calls).collect();
        let mut plan = self.plan(&calls, CallSource::Text(reply.text, &masked), reply.cut);
        if let Some(spoken) = &mut plan.spoken {
            spoken.text = Some(left);
        }
        plan
    }

    fn opening(&self) -> Plan {
        Plan::new(Vec::new(), ToolsReport::Opening)
    }

    fn schema(&self) -> Option<String> {
        Some(schema::text(&self.tools, &self.geometry))
    }
}

/// Lists the functions for a prompt, each as a call in the text with a description.
pub fn listed(tools: &ToolSet, geometry: &Geometry) -> Vec<String> {
    Function::offered(tools)
        .map(|function| function.line(tools, geometry))
        .collect()
}

/// Writes the end of the work as a call in the text.
pub fn finish_line(answer: &str, success: bool) -> String {
    let answer = serde_json::Value::from(answer);
    format!("{{\"name\": \"finish\", \"parameters\": {{\"answer\": {answer}, \"success\": {success}}}}}")
}

/// Checks whether one of the functions has a parameter with this name.
pub(crate) fn takes(key: &str) -> bool {
    function::FUNCTIONS.iter().any(|function| function.param(key).is_some())
}

/// Where calls were found.
#[derive(Clone, Copy)]
enum CallSource<'a> {
    /// In a reply's text, which is also given without thoughts.
    Text(&'a str, &'a str),
    /// In the server's array.
    ToolCalls(&'a str),
}

impl CallSource<'_> {
    fn span(self, call: &CallText) -> ReplySpan {
        match self {
            CallSource::Text(..) => ReplySpan::Text(call.span.clone()),
            CallSource::ToolCalls(_) => ReplySpan::ToolCalls(call.span.clone()),
        }
    }

    /// Checks whether a part of the call is a thought. It was masked, so the call would type spaces.
    fn thinks(self, call: &CallText) -> bool {
        match self {
            CallSource::Text(text, masked) => text.get(call.span.clone()) != masked.get(call.span.clone()),
            CallSource::ToolCalls(_) => false,
        }
    }

    /// Checks whether the model wrote a result itself between the call that ends at `before` and this one.
    fn imagines(self, before: Option<usize>, call: &CallText) -> bool {
        match self {
            CallSource::Text(_, masked) => before
                .and_then(|end| masked.get(end..call.span.start))
                .is_some_and(imagined::is_result),
            CallSource::ToolCalls(_) => false,
        }
    }

    /// Returns the call in the model's words: its name and arguments, or the whole text if it has no name.
    fn words<'b>(&'b self, call: &'b CallText) -> Cow<'b, str> {
        let (CallSource::Text(whole, _) | CallSource::ToolCalls(whole)) = self;
        match call.in_short() {
            Some(short) => short.into(),
            None => whole.get(call.span.clone()).unwrap_or_default().into(),
        }
    }
}

impl ToolsProtocol {
    /// Makes a plan from the calls in a reply. Performs the first ones, but not the last one if the reply was cut off.
    fn plan(&self, calls: &[CallText], source: CallSource<'_>, cut: bool) -> Plan {
        let mut plan = Plan::new(Vec::new(), ToolsReport::Opening);
        let (mut told, mut spoken) = (Vec::new(), Vec::new());
        let (mut end, mut imagined) = (None, false);
        for (number, call) in calls.iter().take(MOST_CALLS).enumerate() {
            let arguments = call.arguments(Closers::of(cut));
            imagined |= source.imagines(end.replace(call.span.end), call);
            let bound = match number {
                last if cut && last + 1 == calls.len() => Err(ToolCallError::Cut),
                _ if call.is_readable() && source.thinks(call) => Err(ToolCallError::Thought),
                0 => self.bound(call, &arguments),
                _ if call.name == "finish" => Err(ToolCallError::NotYet),
                _ if imagined => Err(ToolCallError::Imagined),
                surplus if surplus >= self.calls => Err(ToolCallError::Surplus(self.calls)),
                // The results of the earlier calls are not known yet.
                _ => match self.bound(call, &arguments) {
                    Ok(BoundFunction::Finish(_)) => Err(ToolCallError::NotYet),
                    bound => bound,
                },
            };
            let span = source.span(call);
            match bound {
                Ok(BoundFunction::Act(BoundAction { action, label })) => {
                    let names_what_it_clicks = action.verb().aims();
                    if label.is_some() && !names_what_it_clicks {
                        plan.notices.push(format!(
                            "{} takes no label; it was performed without one.",
                            sendable(&call.name)
                        ));
                    }
                    plan.steps.push(PlanStep::perform(span, action).spoken(&self.geometry));
                    told.push(Told::Call);
                }
                Ok(BoundFunction::Finish(finish)) => {
                    plan.steps
                        .push(PlanStep::leave(span, &source.words(call), Outcome::IGNORED));
                    plan.finish = Some(finish);
                    told.push(Told::Finish);
                }
                Err(fault) => {
                    let outcome = outcome(&fault);
                    plan.steps.push(PlanStep::leave(span, &source.words(call), outcome));
                    told.push(Told::Failed(fault));
                }
            }
            spoken.push(FunctionCall {
                name: sendable(&call.name),
                arguments: arguments.map_or_else(|_| "{}".to_owned(), |arguments| arguments.text),
            });
        }
        if calls.len() > MOST_CALLS {
            let all = calls.len();
            let notice = format!("{all} tool calls in one reply: only the first {MOST_CALLS} are answered.");
            plan.notices.push(notice);
        }
        if told.iter().all(|told| matches!(told, Told::Failed(_))) {
            plan.no_call = Some(NoCall::Unreadable);
        }
        let faulty = |step: &PlanStep| matches!(step.intent, Intent::Leave(Outcome::Malformed(_)));
        let faulty = plan.steps.iter().position(faulty);
        if let Some((call, told)) = faulty.and_then(|number| calls.get(number).zip(told.get(number))) {
            let correction = Correction {
                form: OwnForm::Tools,
                tools: &self.tools,
                geometry: &self.geometry,
            };
            plan.correction = Some(correction.of_function(self.meant(call, told)));
        }
        plan.report = Arc::new(ToolsReport::Calls(told, self.geometry));
        plan.spoken = Some(Spoken {
            text: None,
            calls: spoken,
        });
        plan
    }

    /// Returns the action that a call without its label must have meant.
    fn meant(&self, call: &CallText, told: &Told) -> Option<Action> {
        if !matches!(told, Told::Failed(ToolCallError::MissingLabel(_))) {
            return None;
        }
        let arguments = call.arguments(Closers::Needed).ok()?.labelled();
        match bind(Function::named(&call.name)?, &arguments, &self.tools, &self.geometry) {
            Ok(BoundFunction::Act(BoundAction { action, .. })) if !matches!(action, Action::Aimed(..)) => Some(action),
            _ => None,
        }
    }

    /// Makes a plan for a reply without any call. Words alone never end the work.
    fn wordy(&self, reply: &ReplyText<'_>, masked: &str) -> Plan {
        let mut plan = Plan::new(Vec::new(), ToolsReport::Calls(Vec::new(), self.geometry));
        plan.no_call = Some(if reply.cut || masked.trim().is_empty() {
            NoCall::Unreadable
        } else {
            NoCall::Words(thought::stripped(reply.text))
        });
        plan.spoken = Some(Spoken {
            text: None,
            calls: Vec::new(),
        });
        plan
    }

    /// Returns the action of a call.
    fn bound(
        &self,
        call: &CallText,
        arguments: &Result<CallArguments, NoObject>,
    ) -> Result<BoundFunction, ToolCallError> {
        match call.why() {
            Some(Unreadable::Json) => return Err(ToolCallError::Call),
            Some(Unreadable::String(fault)) => return Err(ToolCallError::String(fault)),
            Some(Unreadable::Followed) => return Err(ToolCallError::Followed),
            None => {}
        }
        let function = Function::named(&call.name).filter(|function| function.is_on(&self.tools));
        let read = match (function, arguments) {
            (None, _) => Err(ToolCallError::Unknown {
                name: call.name.clone(),
                known: Function::offered(&self.tools).map(|function| function.name).collect(),
            }),
            (Some(function), Ok(arguments)) => bind(function, arguments, &self.tools, &self.geometry),
            (Some(function), Err(error)) => Err(error.fault(function, &self.tools)),
        };
        read.or_else(|fault| self.usual(call, arguments, fault))
    }

    /// Reads a call the way other programs would. If that is not possible either, returns the original fault.
    fn usual(
        &self,
        call: &CallText,
        arguments: &Result<CallArguments, NoObject>,
        fault: ToolCallError,
    ) -> Result<BoundFunction, ToolCallError> {
        let name = call.name.as_str();
        let ends = Function::named(name).is_some_and(|function| !function.acts());
        if !fault.may_be_usual() || ends || !usual::is_read(name, &self.tools) {
            return Err(fault);
        }
        let known = !matches!(fault, ToolCallError::Unknown { .. });
        let arguments = match arguments {
            // A part of one of FRANZ's own calls might be missing.
            Ok(arguments) if known && arguments.raw().named.is_empty() => return Err(fault),
            Ok(arguments) => arguments.raw(),
            // Looking takes no arguments, so it does not matter what the call gives.
            Err(_) if name == "observe_screen" => Arguments::default(),
            Err(_) => return Err(fault),
        };
        match usual::read(name, &arguments, &self.tools, &self.geometry) {
            Ok(UsualCall::Act(Action::Screenshot)) => Ok(BoundFunction::act(Action::Observe, &arguments)),
            Ok(UsualCall::Act(action)) if !self.tools.permits(&action) => {
                let tool = action.tool().name;
                Err(ToolCallError::Usual(format!("{tool} is switched off")))
            }
            Ok(UsualCall::Act(action)) => Ok(BoundFunction::act(action, &arguments)),
            Ok(UsualCall::End(finish)) => Ok(BoundFunction::Finish(finish)),
            Ok(UsualCall::Remark) => Err(ToolCallError::Usual("a remark does nothing".to_owned())),
            Err(why) if !known => Err(ToolCallError::Usual(why.to_string())),
            Err(_) => Err(fault),
        }
    }
}

fn outcome(fault: &ToolCallError) -> Outcome {
    let why = format!("{}: {fault}", fault.kind());
    match fault {
        ToolCallError::Surplus(_) | ToolCallError::NotYet | ToolCallError::Imagined => Outcome::Ignored(Some(why)),
        _ => Outcome::Malformed(why),
    }
}

/// The maximum length of a name that servers accept.
const LONGEST_NAME: usize = 64;

/// Returns the name in a form that every server accepts.
fn sendable(name: &str) -> String {
    let allowed = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let name: String = name.chars().filter(allowed).take(LONGEST_NAME).collect();
    if name.is_empty() { "unknown".to_owned() } else { name }
}
