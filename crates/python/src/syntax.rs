//! Turns text into a checked program, or into an error that says where it is and how to fix it.

mod bracket;
mod capture;
mod check;
mod message;
mod names;
pub(crate) mod program;
mod scopes;
mod tokens;

use ruff_python_ast::{Mod, PythonVersion, Stmt};
use ruff_python_parser::{Mode, ParseOptions, Parsed, parse_unchecked};
use ruff_text_size::TextSize;

pub(crate) use program::Program;

/// The deepest nesting to parse. The parser stops here instead of overflowing the stack.
const MOST_NESTING: u16 = 60;

/// Why a block cannot be run at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SyntaxFault {
    /// Where the error is; `None` if it has no particular position.
    pub(crate) at: Option<TextSize>,
    /// `SyntaxError`, `IndentationError` or `TabError`.
    pub(crate) kind: &'static str,
    pub(crate) message: String,
    /// Whether a caret points at the position, because the parser's message does not name it.
    pub(crate) has_caret: bool,
}

impl SyntaxFault {
    pub(crate) fn new(at: TextSize, message: impl Into<String>) -> SyntaxFault {
        SyntaxFault {
            at: Some(at),
            kind: "SyntaxError",
            message: message.into(),
            has_caret: false,
        }
    }
}

/// A parsed block; the program borrows from it.
pub(crate) struct Parse {
    parsed: Parsed<Mod>,
}

impl Parse {
    /// Parses a block.
    pub(crate) fn of(source: &str) -> Result<Parse, SyntaxFault> {
        if source.contains('\0') {
            return Err(SyntaxFault {
                at: None,
                kind: "SyntaxError",
                message: "source code string cannot contain null bytes".to_owned(),
                has_caret: false,
            });
        }
        let options = ParseOptions::from(Mode::Module)
            .with_max_recursion_depth(MOST_NESTING)
            .with_target_version(PythonVersion::PY311);
        let parsed = parse_unchecked(source, options);
        match message::of(source, &parsed) {
            Some(fault) => Err(fault),
            None => Ok(Parse { parsed }),
        }
    }

    /// Checks the block and resolves its names.
    pub(crate) fn program(&self) -> Result<Program<'_>, SyntaxFault> {
        check::check(self.body())
    }

    /// Checks whether the block has no statements.
    pub(crate) fn is_empty(&self) -> bool {
        self.body().is_empty()
    }

    fn body(&self) -> &[Stmt] {
        match self.parsed.syntax() {
            Mod::Module(module) => &module.body,
            Mod::Expression(_) => &[],
        }
    }
}
