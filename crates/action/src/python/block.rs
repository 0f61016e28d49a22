//! Running one block: on a stack of its own, which holds what the limits allow.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::Python;
use super::budget::{Budget, Exceeded, Work};
use super::machine::Machine;
use super::report::{Ending, Failure};
use super::source::Source;
use super::syntax::{Parse, SyntaxFault};
use super::value::{Exception, Handle, Stop};
use crate::action::Action;
use crate::plan::shortened;

/// Far more than the deepest parse and evaluation that the limits allow takes; only what is used is ever real memory.
const STACK_BYTES: usize = 64 << 20;

/// A longer message of an error is cut where it is told; in characters.
const MOST_MESSAGE: usize = 2000;

/// What a block did.
#[derive(Debug)]
pub(super) struct Ran {
    /// Each with the place of its call in the source, in bytes.
    pub(super) actions: Vec<(Action, Range<usize>)>,
    pub(super) notices: Vec<String>,
    pub(super) output: String,
    pub(super) ending: Ending,
    pub(super) work: Work,
}

impl Ran {
    pub(super) fn nothing(ending: Ending) -> Ran {
        Ran {
            actions: Vec::new(),
            notices: Vec::new(),
            output: String::new(),
            ending,
            work: Work::default(),
        }
    }
}

/// Runs a block's source.
pub(super) fn run(python: &Python, source: &str) -> Ran {
    let most = python.limits.source_bytes;
    if source.len() > most {
        return Ran::nothing(Ending::Failed(Failure::new(Exceeded::Source(most).to_string())));
    }
    // A thread would have such a stack, too, but takes twice as long to start as the usual block takes to run.
    let ran = || stacker::grow(STACK_BYTES, || run_here(python, source));
    catch_unwind(AssertUnwindSafe(ran)).unwrap_or_else(|_| {
        // The model cannot help a fault of ours, but it can write something else.
        let message = "SystemError: the interpreter failed on this block. Write it in a simpler way.";
        Ran::nothing(Ending::Failed(Failure::new(message.to_owned())))
    })
}

fn run_here(python: &Python, whole: &str) -> Ran {
    // Python skips a byte order mark.
    let text = whole.strip_prefix('\u{feff}').unwrap_or(whole);
    let skipped = whole.len() - text.len();
    let source = Source::new(text);
    let parse = match Parse::of(text) {
        Ok(parse) => parse,
        Err(fault) => return Ran::nothing(Ending::Failed(syntax_failure(&fault, source))),
    };
    let program = match parse.program() {
        Ok(program) => program,
        Err(fault) => return Ran::nothing(Ending::Failed(syntax_failure(&fault, source))),
    };
    let budget = Budget::new(python.limits);
    let mut machine = match Machine::new(&program, &python.tools, python.strict, budget.clone()) {
        Ok(machine) => machine,
        Err(limit) => return Ran::nothing(Ending::Failed(Failure::new(limit.to_string()))),
    };
    let ending = match machine.run() {
        Ok(()) if parse.is_empty() => Ending::Empty,
        Ok(()) => Ending::Finished,
        Err(stop) => Ending::Failed(failure(&mut machine, stop, source)),
    };
    Ran {
        actions: std::mem::take(&mut machine.actions)
            .into_iter()
            .map(|(action, at)| (action, skipped + at.start().to_usize()..skipped + at.end().to_usize()))
            .collect(),
        notices: std::mem::take(&mut machine.notices),
        output: machine.output.shown().to_owned(),
        ending,
        work: budget.used(),
    }
}

fn syntax_failure(fault: &SyntaxFault, source: Source<'_>) -> Failure {
    let failure = Failure::new(format!("{}: {}", fault.kind, fault.message));
    match fault.at {
        Some(at) => failure.at(source, &[at]),
        None => failure,
    }
}

fn failure(machine: &mut Machine<'_>, stop: Stop, source: Source<'_>) -> Failure {
    machine.allow_message();
    match stop {
        Stop::Exceeded { limit, .. } => Failure::new(limit.to_string()).at(source, &machine.trace),
        Stop::Raised { exception, .. } => raised(machine, exception, source),
        Stop::Fault(fault) => match machine.exception(*fault) {
            Ok(exception) => raised(machine, exception, source),
            Err(stop) => failure(machine, stop, source),
        },
    }
}

fn raised(machine: &mut Machine<'_>, exception: Handle<Exception>, source: Source<'_>) -> Failure {
    let name = machine.heap[exception].kind.name();
    let message = match machine.str(super::value::Value::Exception(exception)) {
        Ok(message) if message.is_empty() => name.to_owned(),
        Ok(message) => format!("{name}: {}", shortened(&message, MOST_MESSAGE)),
        Err(_) => format!("{name}: the message is too long"),
    };
    Failure::new(message).at(source, &machine.heap[exception].trace)
}
