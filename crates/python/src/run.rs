//! Running one block: on a stack of its own, which holds what the limits allow.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::budget::{Budget, Exceeded, Work};
use crate::failure::Failure;
use crate::host::{Builtins, Host};
use crate::limits::Limits;
use crate::machine::Machine;
use crate::source::Source;
use crate::syntax::{Parse, SyntaxFault};
use crate::value::{Exception, Handle, Stop, Value};

/// Far more than the deepest parse and evaluation that the limits allow takes; only what is used is ever real memory.
const STACK_BYTES: usize = 64 << 20;

/// What a block did, besides what it asked of its host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ran {
    /// How it ended.
    pub ending: Ending,
    /// What it printed, as far as it is shown.
    pub output: String,
    /// What it used.
    pub work: Work,
}

/// How a block ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// There was no statement in it.
    Empty,
    /// It came to its end.
    Finished,
    /// It broke off; what it asked for before counts.
    Failed(Failure),
    /// The interpreter broke down, and nothing that it asked of the host can be relied on.
    Broken(Failure),
}

impl Ran {
    fn nothing(ending: Ending) -> Ran {
        Ran {
            ending,
            output: String::new(),
            work: Work::default(),
        }
    }

    fn failed(failure: Failure) -> Ran {
        Ran::nothing(Ending::Failed(failure))
    }

    /// The error that it ended with.
    pub fn failure(&self) -> Option<&Failure> {
        match &self.ending {
            Ending::Failed(failure) | Ending::Broken(failure) => Some(failure),
            Ending::Empty | Ending::Finished => None,
        }
    }
}

/// Runs a block's source.
pub fn run(source: &str, host: &mut dyn Host, builtins: Builtins, limits: &Limits) -> Ran {
    let most = limits.source_bytes;
    if source.len() > most {
        return Ran::failed(Failure::new(Exceeded::Source(most).to_string()));
    }
    // A thread would have such a stack, too, but takes twice as long to start as the usual block takes to run.
    let ran = || stacker::grow(STACK_BYTES, || run_here(source, host, builtins, limits));
    catch_unwind(AssertUnwindSafe(ran)).unwrap_or_else(|_| {
        // The model cannot help a fault of ours, but it can write something else.
        let message = "SystemError: the interpreter failed on this block. Write it in a simpler way.";
        Ran::nothing(Ending::Broken(Failure::new(message)))
    })
}

fn run_here(whole: &str, host: &mut dyn Host, builtins: Builtins, limits: &Limits) -> Ran {
    // Python skips a byte order mark.
    let text = whole.strip_prefix('\u{feff}').unwrap_or(whole);
    let skipped = whole.len() - text.len();
    let source = Source::new(text);
    let parse = match Parse::of(text) {
        Ok(parse) => parse,
        Err(fault) => return Ran::failed(syntax_failure(&fault, source)),
    };
    let program = match parse.program() {
        Ok(program) => program,
        Err(fault) => return Ran::failed(syntax_failure(&fault, source)),
    };
    let budget = Budget::new(*limits);
    let mut machine = match Machine::new(&program, host, builtins, skipped, budget.clone()) {
        Ok(machine) => machine,
        Err(limit) => return Ran::failed(Failure::new(limit.to_string())),
    };
    let ending = match machine.run() {
        Ok(()) if parse.is_empty() => Ending::Empty,
        Ok(()) => Ending::Finished,
        Err(stop) => Ending::Failed(failure(&mut machine, stop, source)),
    };
    Ran {
        ending,
        output: machine.output.shown().to_owned(),
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
    let message = match machine.str(Value::Exception(exception)) {
        Ok(message) if message.is_empty() => name.to_owned(),
        Ok(message) => format!("{name}: {message}"),
        Err(_) => format!("{name}: the message is too long"),
    };
    Failure::new(message).at(source, &machine.heap[exception].trace)
}
