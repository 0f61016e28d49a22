//! Turns raw calls into steps. Each call is read with its dialect's table, and nothing after a fault is performed.

use franz_action::text::shortened;
use franz_action::{Action, Point};

use super::{DialectReader, Fate, Form, ReadStep, Reading};
use crate::dialect::{Dialect, Notation};
use crate::dialects::Speakers;
use crate::geometry::Axes;
use crate::imagined::{self, IMAGINED};
use crate::meaning::{self, Does, MeaningError, Surroundings};
use crate::notation::{Flaw, RawCall, Searched, Wrap, code};
use crate::plan::ReplySpan;
use crate::protocol::ReplyText;

/// The steps of a reply while it is being read.
pub(super) struct Steps {
    pub(super) read: Reading,
    /// Why nothing after this is performed.
    stopped: Option<String>,
    pointer: Option<Point>,
    axes: Axes,
}

const BEHIND: &str = "an earlier call was not performed";
const SAID: &str = "the reply asked a question or ended the work before it";
const CUT: &str = "the reply was cut off here; write less before the call";

impl Steps {
    /// Reads the calls in one form; `masked` is the text without thoughts.
    pub(super) fn of(reader: &DialectReader<'_>, form: &Form, reply: &ReplyText<'_>, masked: &str) -> Steps {
        // If a part of a call was masked, the call would type or say spaces.
        let thinks = |call: &RawCall| {
            call.wrap != Wrap::Native && reply.text.get(call.span.clone()) != masked.get(call.span.clone())
        };
        let mut steps = Steps {
            read: Reading::default(),
            stopped: None,
            pointer: reader.pointer,
            axes: form.geometry.axes,
        };
        let earlier = form
            .calls
            .iter()
            .take_while(|call| call.flaw == Some(Flaw::Earlier))
            .count();
        let (earlier, calls) = form.calls.split_at(earlier);
        let mut end = earlier.first().map(|call| call.span.end);
        let last = calls.len().saturating_sub(1);
        let mut at = 0;
        for run in calls.chunk_by(is_again) {
            let counts = if run.len() >= MANY { 1 } else { run.len() };
            for (number, call) in run.iter().enumerate() {
                let before = end.replace(end.unwrap_or_default().max(call.span.end));
                if number >= counts {
                    let why = format!("the same call appears {} times in a row and counts once", run.len());
                    steps.leave(call, why);
                    if let Some(step) = steps.read.steps.last_mut() {
                        step.again = true;
                    }
                } else if reply.cut && at + number == last {
                    steps.stop(call, CUT.to_owned());
                } else if call.flaw.is_none() && thinks(call) {
                    steps.stop(call, Flaw::Thought.to_string());
                } else if follows_a_result(call, before, masked) {
                    steps.stop(call, IMAGINED.to_owned());
                } else {
                    steps.call(reader, form, call);
                }
            }
            at += run.len();
        }
        steps.join_moves(form);
        // They come last, because no other call depends on them.
        for call in earlier {
            steps.leave(call, Flaw::Earlier.to_string());
        }
        if let Some(problem) = repeated(form) {
            steps.read.problems.push(problem);
        }
        steps
    }

    fn call(&mut self, reader: &DialectReader<'_>, form: &Form, call: &RawCall) {
        if let Some(why) = &self.stopped {
            let finish = form
                .dialect
                .row(&call.name)
                .is_some_and(|row| matches!(row.means, meaning::Means::Finish(_)));
            if self.read.answer.is_some() && finish {
                return self.end_again(form, call);
            }
            let why = if finish { format!("not yet: {why}") } else { why.clone() };
            return self.leave(call, why);
        }
        if let Some(flaw) = call.flaw {
            return self.stop(call, flaw.to_string());
        }
        let Some(row) = form.dialect.row(&call.name) else {
            let name = shortened(&call.name, 60);
            return self.stop(call, format!("there is no '{name}' here{}", reader.instead()));
        };
        let around = Surroundings {
            geometry: form.geometry,
            manner: &form.manner,
            boxes: form.dialect.boxes,
            pauses: form.dialect.pauses,
            clicks_at_pointer: form.dialect.clicks_at_pointer,
            pointer: self.pointer,
        };
        match meaning::read(row.means, &call.args, &around) {
            Ok(Does::Perform(actions)) => self.perform(call, actions),
            Ok(Does::Finish { answer, success }) => {
                self.read.answer = Some(answer);
                self.read.success = success;
                self.push(call, Vec::new(), Fate::Said);
                self.stopped = Some(SAID.to_owned());
            }
            Ok(Does::Ask(question)) => {
                self.push(call, Vec::new(), Fate::Ask(question));
                self.stopped = Some(SAID.to_owned());
            }
            Ok(Does::Note) => self.push(call, Vec::new(), Fate::Said),
            Err(MeaningError::Words(why)) => self.stop(call, why),
            Err(MeaningError::Place(error)) => self.stop(call, error.to_string()),
        }
    }

    fn perform(&mut self, call: &RawCall, actions: Vec<(Action, Vec<[f64; 2]>)>) {
        for (action, points) in actions {
            self.pointer = action.pointer().or(self.pointer);
            self.push(call, points, Fate::Act(action));
        }
    }

    /// Lets a second finish call add what the first one left out.
    fn end_again(&mut self, form: &Form, call: &RawCall) {
        let around = Surroundings {
            geometry: form.geometry,
            manner: &form.manner,
            boxes: form.dialect.boxes,
            pauses: form.dialect.pauses,
            clicks_at_pointer: form.dialect.clicks_at_pointer,
            pointer: None,
        };
        let Some(row) = form.dialect.row(&call.name) else {
            return;
        };
        if let Ok(Does::Finish { answer, success }) = meaning::read(row.means, &call.args, &around) {
            if !answer.is_empty() && self.read.answer.as_deref() == Some("") {
                self.read.answer = Some(answer);
            }
            self.read.success &= success;
            self.push(call, Vec::new(), Fate::Said);
        }
    }

    fn stop(&mut self, call: &RawCall, why: String) {
        self.leave(call, why);
        self.stopped.get_or_insert_with(|| BEHIND.to_owned());
    }

    fn leave(&mut self, call: &RawCall, why: String) {
        self.push(call, Vec::new(), Fate::Left(why));
    }

    fn push(&mut self, call: &RawCall, points: Vec<[f64; 2]>, fate: Fate) {
        let span = match call.wrap {
            Wrap::Native => ReplySpan::ToolCalls(call.span.clone()),
            _ => ReplySpan::Text(call.span.clone()),
        };
        let named = crate::spot::place(&call.args).ok().flatten();
        let named = named.map(|spot| spot.unnamed(self.axes));
        let points = match &fate {
            Fate::Left(_) if points.is_empty() => named.into_iter().collect(),
            _ => points,
        };
        self.read.steps.push(ReadStep {
            span,
            name: shortened(&call.name, 200),
            args: call.args.object(),
            points,
            fate,
            again: false,
        });
    }

    /// Joins a move with the drag or scroll that begins where it ends, if both are in code or in one object.
    fn join_moves(&mut self, form: &Form) {
        let coded = form
            .calls
            .iter()
            .any(|call| matches!(call.wrap, Wrap::Code | Wrap::Line));
        let mut joined: Vec<ReadStep> = Vec::new();
        for mut step in std::mem::take(&mut self.read.steps) {
            if let Some(before) = joined.last()
                && (coded || before.span == step.span && matches!(step.span, ReplySpan::Text(_)))
                && let Some(Action::Move(at)) = before.action().cloned()
            {
                let points = before.points.clone();
                match &mut step.fate {
                    Fate::Act(Action::Drag(path)) if path.from() == at => {
                        step.points.splice(..1, points);
                        joined.pop();
                    }
                    Fate::Act(Action::Scroll { at: place @ None, .. }) => {
                        *place = Some(at);
                        step.points = points;
                        joined.pop();
                    }
                    _ => {}
                }
            }
            joined.push(step);
        }
        self.read.steps = joined;
    }
}

/// Checks whether the model wrote a result itself between the calls that end at `before` and this one.
fn follows_a_result(call: &RawCall, before: Option<usize>, masked: &str) -> bool {
    let between = before.and_then(|end| masked.get(end..call.span.start));
    call.wrap != Wrap::Native && between.is_some_and(imagined::is_result)
}

/// How many identical neighbours count as one.
const MANY: usize = 3;

/// Checks whether a call directly follows an identical one and is of a kind that weak models repeat by mistake.
fn is_again(one: &RawCall, next: &RawCall) -> bool {
    one.wrap != Wrap::Native && one.flaw.is_none() && one.name == next.name && one.args == next.args && !is_counted(one)
}

/// Checks whether repeating a call has a meaning, as with keys, scrolls and waits.
fn is_counted(call: &RawCall) -> bool {
    let name = call.name.to_ascii_lowercase();
    ["key", "press", "scroll", "wait", "enter", "sleep"]
        .iter()
        .any(|word| name.contains(word))
}

fn repeated(form: &Form) -> Option<String> {
    let mut runs = form.calls.chunk_by(is_again);
    let run = runs.find(|run| run.len() >= MANY)?;
    Some(format!(
        "{} appears {} times in a row and counts once",
        run[0].name,
        run.len()
    ))
}

/// Returns the places of an action in thousandths.
pub(super) fn places(action: &Action) -> Vec<[f64; 2]> {
    let pair = |point: &Point| [point.x.get(), point.y.get()];
    action.places().iter().map(pair).collect()
}

/// Finds the raw calls that only a model of this dialect writes.
pub(super) fn signed(dialect: &Dialect, searched: &Searched<'_>) -> Vec<RawCall> {
    let signs = |call: &&RawCall| call.wrap != Wrap::Words && (dialect.signs)(call);
    let own = Speakers::only(dialect);
    let written = || {
        let calls = searched
            .written()
            .iter()
            .filter(|written| dialect.has_written(written, own));
        calls.map(|written| &written.call).filter(signs).cloned()
    };
    let found = dialect.notations.iter().flat_map(|notation| match notation {
        Notation::Tags => searched.tags().iter().filter(signs).cloned().collect::<Vec<_>>(),
        Notation::Objects => searched.objects().iter().filter(signs).cloned().collect(),
        Notation::Lines => written().collect(),
        Notation::Code => {
            let qualified = |name: &str| dialect.qualifiers.iter().any(|qualifier| name.starts_with(qualifier));
            let calls = code::calls(searched.text, &qualified).into_iter();
            calls.filter(|call| signs(&call)).chain(written()).collect()
        }
        Notation::Own(find) => find(searched).into_iter().filter(|call| signs(&call)).collect(),
    });
    found.collect()
}
