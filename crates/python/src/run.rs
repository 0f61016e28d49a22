//! Runs one block on its own stack, which is large enough for everything that the limits allow.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::budget::{Budget, Exceeded, Work};
use crate::failure::BlockFailure;
use crate::host::{Builtins, Host};
use crate::limits::Limits;
use crate::machine::Machine;
use crate::source::SourceText;
use crate::syntax::{Parse, SyntaxFault};
use crate::value::{Exception, HeapRef, Unwind, Value};

/// Far more than the deepest parse and evaluation within the limits need. Only the used part takes up real memory.
const STACK_BYTES: usize = 64 << 20;

/// What a block did, apart from its calls to the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ran {
    /// How the block ended.
    pub ending: BlockEnding,
    /// The part of the printed output that is shown.
    pub output: String,
    /// The work it took.
    pub work: Work,
}

/// How a block ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BlockEnding {
    /// The block contained no statement.
    Empty,
    /// The block ran to its end.
    Finished,
    /// The block ended with an error. Its host calls up to that point remain valid.
    Failed(BlockFailure),
    /// The interpreter failed because of a bug. None of the host calls can be relied on.
    Broken(BlockFailure),
}

impl Ran {
    fn nothing(ending: BlockEnding) -> Ran {
        Ran {
            ending,
            output: String::new(),
            work: Work::default(),
        }
    }

    fn failed(failure: BlockFailure) -> Ran {
        Ran::nothing(BlockEnding::Failed(failure))
    }

    /// Returns the error that the block ended with, if any.
    pub fn failure(&self) -> Option<&BlockFailure> {
        match &self.ending {
            BlockEnding::Failed(failure) | BlockEnding::Broken(failure) => Some(failure),
            BlockEnding::Empty | BlockEnding::Finished => None,
        }
    }
}

/// Runs a block's source.
pub fn run(source: &str, host: &mut dyn Host, builtins: Builtins, limits: &Limits) -> Ran {
    let most = limits.source_bytes;
    if source.len() > most {
        return Ran::failed(BlockFailure::new(Exceeded::Source(most).to_string()));
    }
    // A thread would provide such a stack as well, but starting one takes twice as long as running a typical block.
    let ran = || stacker::grow(STACK_BYTES, || run_here(source, host, builtins, limits));
    catch_unwind(AssertUnwindSafe(ran)).unwrap_or_else(|_| {
        // The model cannot fix a bug in FRANZ, but it can write something different.
        let message = "SystemError: the interpreter failed on this block. Write it more simply.";
        Ran::nothing(BlockEnding::Broken(BlockFailure::new(message)))
    })
}

fn run_here(whole: &str, host: &mut dyn Host, builtins: Builtins, limits: &Limits) -> Ran {
    // Python skips a byte order mark.
    let text = whole.strip_prefix('\u{feff}').unwrap_or(whole);
    let skipped = whole.len() - text.len();
    let source = SourceText::new(text);
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
        Err(limit) => return Ran::failed(BlockFailure::new(limit.to_string())),
    };
    let ending = match machine.run() {
        Ok(()) if parse.is_empty() => BlockEnding::Empty,
        Ok(()) => BlockEnding::Finished,
        Err(stop) => BlockEnding::Failed(failure(&mut machine, stop, source)),
    };
    Ran {
        ending,
        output: machine.output.shown().to_owned(),
        work: budget.used(),
    }
}

fn syntax_failure(fault: &SyntaxFault, source: SourceText<'_>) -> BlockFailure {
    let failure = BlockFailure::new(format!("{}: {}", fault.kind, fault.message));
    match fault.at {
        Some(at) if fault.has_caret => failure.pointing(source, at),
        Some(at) => failure.at(source, &[at]),
        None => failure,
    }
}

fn failure(machine: &mut Machine<'_>, stop: Unwind, source: SourceText<'_>) -> BlockFailure {
    machine.allow_message();
    match stop {
        Unwind::Exceeded { limit, .. } => BlockFailure::new(limit.to_string()).at(source, &machine.trace),
        Unwind::Raised { exception, .. } => raised(machine, exception, source),
        Unwind::Fault(fault) => match machine.exception(*fault) {
            Ok(exception) => raised(machine, exception, source),
            Err(stop) => failure(machine, stop, source),
        },
    }
}

fn raised(machine: &mut Machine<'_>, exception: HeapRef<Exception>, source: SourceText<'_>) -> BlockFailure {
    let name = machine.heap[exception].kind.name();
    let message = match machine.str(Value::Exception(exception)) {
        Ok(message) if message.is_empty() => name.to_owned(),
        Ok(message) => format!("{name}: {message}"),
        Err(_) => format!("{name}: the message is too long"),
    };
    BlockFailure::new(message).at(source, &machine.heap[exception].trace)
}
