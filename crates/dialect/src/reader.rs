//! The reader: how FRANZ interprets a reply, according to the rules below.
//!
//! 1. One form only: the server's calls, the family's dialect, FRANZ's own forms, then other dialects. The first form
//!    that has a call or a fault is read; if two are present at one level, nothing is performed.
//! 2. Numbers are never guessed: other dialects are read completely if they have a fixed coordinate space, and
//!    otherwise up to the first place.
//! 3. Whatever follows a call that is not performed is not performed either.
//! 4. Calls in thoughts or with a thought inside are not performed, nor are those behind a result that the model wrote
//!    itself, nor is the last call of a reply that was cut off.
//! 5. In text, three or more identical neighbours count as one. Of written calls, those before the first label such as
//!    `Action:`, or before the first tag around a call, do not count.
//!
//! In reading order: `foreign` recognises other dialects, `step` turns raw calls into steps, `told` words the messages
//! to the model.

mod foreign;
mod step;
mod told;

use franz_action::text::shortened;
use franz_action::{Action, Point};
use serde_json::Value;

use crate::dialect::Dialect;
use crate::dialects::{self, DIALECTS};
use crate::geometry::Geometry;
use crate::json::Closers;
use crate::manner::Manner;
use crate::notation::{Flaw, RawCall, Searched, object};
use crate::own_form::OwnForm;
use crate::plan::{Intent, Plan, ReplySpan};
use crate::protocol::{Protocol, ReplyText};
use crate::{thought, tools};
use foreign::Foreign;
use step::Steps;

/// Everything needed to read replies.
#[derive(Clone, Debug)]
pub struct DialectReader<'a> {
    /// The family's dialect.
    pub dialect: &'static Dialect,
    /// What the family's numbers mean on this screen.
    pub geometry: Geometry,
    /// The profile's protocol, which reads FRANZ's own forms if the dialect is `franz`.
    pub own: &'a dyn Protocol,
    /// The form of the profile's own calls, for lines shown to the model.
    pub own_form: OwnForm,
    /// Where the pointer is, if known.
    pub pointer: Option<Point>,
    /// How the family writes and what its calls mean, where its dialect leaves a choice.
    pub manner: Manner,
}

/// FRANZ's interpretation of one reply.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    /// The name of the dialect in which the reply was read; `franz` for FRANZ's own forms.
    pub dialect: &'static str,
    /// Whether the reply has a form other than the family's.
    pub recognised: bool,
    /// What the reply asks for, in order.
    pub steps: Vec<ReadStep>,
    /// The final words if the reply ends the work.
    pub answer: Option<String>,
    /// Whether a reply that ends the work reports success.
    pub success: bool,
    /// The message for the model, which ends in one valid line; empty if everything is performed.
    pub told: String,
    /// Anything odd in the reply, for the person.
    pub problems: Vec<String>,
}

/// One thing that a reply asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadStep {
    /// Where the call is.
    pub span: ReplySpan,
    /// The verb, as the model wrote it.
    pub name: String,
    /// The arguments, as the model wrote them.
    pub args: Value,
    /// The exact thousandths of the call's places.
    pub points: Vec<[f64; 2]>,
    /// What happens to the step.
    pub fate: Fate,
    /// Whether the call only repeats the one before it, with which it counts as one.
    pub again: bool,
}

/// What happens to a step.
#[derive(Clone, Debug, PartialEq)]
pub enum Fate {
    /// The action is performed.
    Act(Action),
    /// The model asks the person this.
    Ask(String),
    /// The call ends the work or is a remark. Nothing happens on the screen.
    Said,
    /// The call is not performed, for this reason.
    Left(String),
}

impl Reading {
    /// Returns the question to the person.
    pub fn question(&self) -> Option<&str> {
        self.steps.iter().find_map(|step| match &step.fate {
            Fate::Ask(question) => Some(question.as_str()),
            _ => None,
        })
    }

    /// Checks whether the reply has any effect: an action, a remark, a question or the end of the work.
    fn does(&self) -> bool {
        self.answer.is_some() || self.steps.iter().any(|step| step.why().is_none())
    }
}

impl ReadStep {
    /// Returns the action to perform, if there is one.
    pub fn action(&self) -> Option<&Action> {
        match &self.fate {
            Fate::Act(action) => Some(action),
            Fate::Ask(_) | Fate::Said | Fate::Left(_) => None,
        }
    }

    /// Returns why the step is not performed, if it is not.
    pub fn why(&self) -> Option<&str> {
        match &self.fate {
            Fate::Left(why) => Some(why),
            Fate::Act(_) | Fate::Ask(_) | Fate::Said => None,
        }
    }
}

/// Arguments that FRANZ's own calls can have besides those of its functions.
const OWN_ARGUMENTS: [&str; 5] = ["x", "y", "dx", "dy", "keys"];

/// Checks whether a call is exactly one of FRANZ's own. A call with any other argument might be from another dialect,
/// in which numbers mean something else.
fn is_own(call: &RawCall) -> bool {
    let named = dialects::is_own_name(&call.name);
    let said = |(key, _): &(String, Value)| OWN_ARGUMENTS.contains(&key.as_str()) || tools::takes(key);
    named && call.flaw.is_none() && call.mended.is_none() && call.args.named.iter().all(said)
}

/// Returns the words before a call, without the mark that opens it.
fn without_opening(words: &str) -> &str {
    let openings = ["<tool_call>", "<|begin_of_box|>", "<answer>", "Action:"];
    let mut words = words.trim();
    while let Some(before) = openings.iter().find_map(|opening| words.strip_suffix(opening)) {
        words = before.trim_end();
    }
    words
}

/// The calls in one form.
struct Form {
    dialect: &'static Dialect,
    geometry: Geometry,
    manner: Manner,
    calls: Vec<RawCall>,
    recognised: bool,
}

impl DialectReader<'_> {
    /// Reads a reply. This cannot fail, because mistakes in the reply become part of the reading.
    pub fn read(&self, reply: &ReplyText<'_>) -> Reading {
        if let Some(raw) = reply.tool_calls {
            let calls = object::reported(raw);
            if !calls.is_empty() {
                return self.native(&calls, reply);
            }
        }
        let masked = thought::masked(reply.text);
        let searched = Searched::new(&masked, Closers::of(reply.cut));
        let family = if self.speaks_own() {
            Vec::new()
        } else {
            self.dialect.find(&searched)
        };
        if !family.is_empty() {
            return self.finished(&self.form(family), reply, &masked);
        }
        let own = self.own(reply, &searched);
        if own
            .as_ref()
            .is_some_and(|own| own.steps.iter().any(|step| step.why().is_none()))
        {
            return own.unwrap_or_default();
        }
        match self.foreign(&searched) {
            Foreign::One(form) => self.finished(&form, reply, &masked),
            Foreign::Several(names) => self.several(&names),
            Foreign::Nothing => own.unwrap_or_else(|| {
                let amid = (!self.speaks_own()).then(|| self.dialect.amid(&searched)).flatten();
                self.words(reply, &masked, amid.as_deref())
            }),
        }
    }

    fn speaks_own(&self) -> bool {
        self.dialect.name == dialects::own().name
    }

    fn form(&self, calls: Vec<RawCall>) -> Form {
        Form {
            dialect: self.dialect,
            geometry: self.geometry,
            manner: self.manner.clone(),
            calls,
            recognised: false,
        }
    }

    /// Reads the server's array of calls.
    fn native(&self, calls: &[RawCall], reply: &ReplyText<'_>) -> Reading {
        let claimed = |dialect: &'static Dialect| {
            let read = dialect.reported(calls);
            let known = read
                .iter()
                .any(|call| call.flaw.is_none() && dialect.row(&call.name).is_some());
            known.then_some(read)
        };
        let masked = thought::masked(reply.text);
        if !self.speaks_own()
            && self.dialect.writes_objects()
            && let Some(read) = claimed(self.dialect)
        {
            return self.finished(&self.form(read), reply, &masked);
        }
        let own = self.own_plan(reply);
        if own.does() {
            return own;
        }
        let others = DIALECTS.iter().filter(|dialect| dialect.name != self.dialect.name);
        for dialect in others {
            let signed = calls.iter().any(|call| (dialect.signs)(call));
            if let Some(read) = claimed(dialect).filter(|_| signed) {
                let form = self.recognised(dialect, read);
                return self.finished(&form, reply, &masked);
            }
        }
        if !self.speaks_own() {
            let read = self.dialect.reported(calls);
            return self.finished(&self.form(read), reply, &masked);
        }
        own
    }

    /// Reads FRANZ's own forms, or returns `None` if the reply has none.
    fn own(&self, reply: &ReplyText<'_>, searched: &Searched<'_>) -> Option<Reading> {
        let plan = if self.speaks_own() {
            self.own_plan(reply)
        } else {
            Reading::default()
        };
        if !plan.steps.is_empty() || plan.answer.is_some() {
            return Some(plan);
        }
        let own = dialects::own();
        let calls = own.find(searched);
        let mut certain = calls.iter().filter(|call| call.flaw != Some(Flaw::Amid)).peekable();
        let known = certain.peek().is_some() && certain.all(is_own);
        known.then(|| {
            let form = Form {
                dialect: own,
                geometry: if self.speaks_own() {
                    Geometry::THOUSANDTHS
                } else {
                    self.geometry
                },
                manner: Manner::default(),
                calls,
                recognised: false,
            };
            self.finished(&form, reply, searched.text)
        })
    }

    /// Reads a reply with the profile's protocol.
    fn own_plan(&self, reply: &ReplyText<'_>) -> Reading {
        let plan: Plan = self.own.read(reply);
        let steps = plan.steps.iter().map(|step| {
            let (name, fate, points) = match &step.intent {
                Intent::Perform(action) => (action.tool().name, Fate::Act(action.clone()), step::places(action)),
                Intent::Leave(outcome) => ("", Fate::Left(outcome.to_string()), Vec::new()),
            };
            ReadStep {
                span: step.span.clone(),
                name: if name.is_empty() {
                    step.text.clone()
                } else {
                    name.to_owned()
                },
                args: Value::Object(serde_json::Map::default()),
                points,
                fate,
                again: false,
            }
        });
        let mut read = Reading {
            dialect: dialects::own().name,
            steps: steps.collect(),
            problems: plan.notices,
            ..Reading::default()
        };
        if let Some(finish) = plan.finish {
            read.answer = Some(finish.answer);
            read.success = finish.success;
        }
        read.told = self.told(dialects::own(), &read.steps);
        read
    }

    /// Turns the calls in one form into the reading of a reply.
    fn finished(&self, form: &Form, reply: &ReplyText<'_>, masked: &str) -> Reading {
        let steps = Steps::of(self, form, reply, masked);
        let mut read = steps.read;
        if read.steps.is_empty() {
            return self.words(reply, masked, None);
        }
        read.dialect = form.dialect.name;
        read.recognised = form.recognised;
        if read.answer.as_deref() == Some("") && self.manner.words_answer {
            let before = form.calls.first().map_or(0, |call| call.span.start);
            let said = masked.get(..before).unwrap_or_default();
            read.answer = Some(without_opening(said).to_owned());
        }
        read.problems
            .extend(form.calls.iter().filter_map(|call| call.mended).map(str::to_owned));
        read.problems.dedup();
        if read.recognised {
            read.problems.push(told::to_the_person(form.dialect));
        }
        read.told = self.told(form.dialect, &read.steps);
        read
    }

    /// Returns the reading of a reply with several dialects at the same level.
    fn several(&self, names: &[&str]) -> Reading {
        let names = names.join(" and ");
        Reading {
            dialect: "",
            told: self.line_behind(&format!(
                "Nothing was done: the reply mixes the calls of {names}; write only one form."
            )),
            problems: vec![format!("one reply mixes the calls of {names}, so nothing was done")],
            ..Reading::default()
        }
    }

    /// Returns the reading of a reply without any call, or with none except one `amid` a sentence.
    fn words(&self, reply: &ReplyText<'_>, masked: &str, amid: Option<&str>) -> Reading {
        let only_thought = masked.trim().is_empty() && !reply.text.trim().is_empty();
        let what = match (reply.cut, only_thought, amid) {
            (true, ..) => "the reply was cut off before a call. Write less before it.".to_owned(),
            (_, true, _) => "the reply has only a thought. Write the call after it.".to_owned(),
            (.., Some(name)) => {
                let name = shortened(name, 60);
                format!(
                    "the call {name} is inside a sentence. Write the call you mean on a line of its own; if the task is \
                     done, finish with the whole answer."
                )
            }
            _ => "the reply has no call. Call a tool, ask, or finish with the whole answer.".to_owned(),
        };
        Reading {
            dialect: self.dialect.name,
            told: self.line_behind(&format!("Nothing was done: {what}")),
            ..Reading::default()
        }
    }
}
