//! The machine that evaluates a block: its state, and how errors are located in the source.

mod attribute;
mod call;
mod compare;
mod comprehension;
mod expression;
mod function;
mod item;
pub(crate) mod iterator;
mod make;
pub(crate) mod operate;
mod pattern;
pub(crate) mod scope;
mod statement;
mod target;

use std::collections::HashMap;
use std::rc::Rc;

use ruff_text_size::{TextRange, TextSize};

use crate::budget::{Budget, Exceeded};
use crate::host::{Builtins, Host};
use crate::output::PrintedText;
use crate::syntax::Program;
use crate::syntax::program::CodeBody;
use crate::value::{Eval, Exception, HashKeys, Heap, HeapRef, Unwind, Value};
use attribute::Owner;
use scope::Scope;

pub(crate) use call::{Args, wrong_count};

/// How many nested evaluations, across all calls together, are certain to fit on a block's stack.
const MOST_NESTING: usize = 2500;

/// A running block.
pub(crate) struct Machine<'a> {
    pub(crate) heap: Heap,
    pub(crate) keys: HashKeys,
    pub(crate) budget: Budget,
    pub(crate) output: PrintedText,
    /// The position of the call in progress.
    calling: TextRange,
    /// Where a limit was hit, innermost first.
    pub(crate) trace: Vec<TextSize>,
    program: &'a Program<'a>,
    host: &'a mut dyn Host,
    builtins: Builtins,
    /// Bytes of the whole source before the parsed text.
    skipped: usize,
    module: HeapRef<Scope>,
    /// The scope and the code that are running.
    scope: HeapRef<Scope>,
    code: usize,
    nesting: usize,
    calls: usize,
    /// The exceptions whose handlers are running, innermost last.
    handling: Vec<HeapRef<Exception>>,
    /// The values of literals, by position. Each is created only once.
    literals: HashMap<TextSize, Value>,
    /// The attributes that the block has set on functions, its own and the host's.
    attributes: HashMap<(Owner, Rc<str>), Value>,
}

impl<'a> Machine<'a> {
    pub(crate) fn new(
        program: &'a Program<'a>,
        host: &'a mut dyn Host,
        builtins: Builtins,
        skipped: usize,
        budget: Budget,
    ) -> Result<Machine<'a>, Exceeded> {
        let mut heap = Heap::default();
        let module = heap.open(Scope::new(None, program.codes[0].slots, &budget)?);
        Ok(Machine {
            heap,
            keys: HashKeys::default(),
            budget,
            output: PrintedText::default(),
            calling: TextRange::default(),
            trace: Vec::new(),
            program,
            host,
            builtins,
            skipped,
            module,
            scope: module,
            code: 0,
            nesting: 0,
            calls: 0,
            handling: Vec::new(),
            literals: HashMap::new(),
            attributes: HashMap::new(),
        })
    }

    /// Runs the whole block.
    pub(crate) fn run(&mut self) -> Eval<()> {
        match self.program.codes[0].body {
            CodeBody::Statements(body) => self.body(body).map(|_| ()),
            CodeBody::Expression(_) | CodeBody::Clauses { .. } => Ok(()),
        }
    }

    /// Makes room for an error's message, no matter how much the block has used.
    pub(crate) fn allow_message(&mut self) {
        self.budget.allow_message();
        self.nesting = 0;
    }

    /// Runs `what` one level deeper, if it fits on the stack.
    fn nested<T>(&mut self, what: impl FnOnce(&mut Self) -> Eval<T>) -> Eval<T> {
        if self.nesting >= MOST_NESTING {
            return Err(Exceeded::Depth("").into());
        }
        self.nesting += 1;
        let result = what(self);
        self.nesting -= 1;
        result
    }

    /// Records where in the current frame an error occurred, unless a narrower position is already known.
    fn located(&mut self, stop: Unwind, at: TextSize) -> Unwind {
        match stop {
            Unwind::Fault(fault) => {
                let raised = self.exception(*fault).map(|exception| Unwind::Raised {
                    exception,
                    located: false,
                });
                self.located(raised.unwrap_or_else(|limit| limit), at)
            }
            Unwind::Raised {
                exception,
                located: false,
            } => {
                if let Err(limit) = self.budget.charge(2 * size_of_val(&at)) {
                    return self.located(limit.into(), at);
                }
                self.heap[exception].trace.push(at);
                Unwind::Raised {
                    exception,
                    located: true,
                }
            }
            Unwind::Exceeded { limit, located: false } => {
                self.trace.push(at);
                Unwind::Exceeded { limit, located: true }
            }
            located => located,
        }
    }
}

/// Leaves a frame. The error is then located again, at the call in the surrounding frame.
fn leave_frame(stop: Unwind) -> Unwind {
    match stop {
        Unwind::Raised { exception, .. } => Unwind::Raised {
            exception,
            located: false,
        },
        Unwind::Exceeded { limit, .. } => Unwind::Exceeded { limit, located: false },
        fault @ Unwind::Fault(_) => fault,
    }
}
