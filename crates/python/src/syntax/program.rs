//! A checked program: its code objects (module, functions, lambdas, comprehensions), each with its names resolved.

use std::collections::HashMap;

use ruff_python_ast::{AtomicNodeIndex, Comprehension, Expr, NodeIndex, Parameters, Stmt};

/// All code objects of a block; the first is the module.
#[derive(Debug)]
pub(crate) struct Program<'a> {
    pub(crate) codes: Vec<Code<'a>>,
}

/// A piece of the program that runs in its own scope.
#[derive(Debug)]
pub(crate) struct Code<'a> {
    /// The name that messages about calls use: `outer.<locals>.inner`.
    pub(crate) qualname: String,
    pub(crate) body: CodeBody<'a>,
    pub(crate) parameters: ParameterLayout<'a>,
    /// How many variables a scope of this code object has.
    pub(crate) slots: usize,
    pub(crate) places: HashMap<&'a str, NamePlace>,
    /// Whether an inner code object can keep this scope alive after this code has ended.
    pub(crate) captured: bool,
}

/// What a code object evaluates.
#[derive(Clone, Copy, Debug)]
pub(crate) enum CodeBody<'a> {
    Statements(&'a [Stmt]),
    Expression(&'a Expr),
    Clauses {
        clauses: &'a [Comprehension],
        element: Element<'a>,
    },
}

/// What a comprehension produces in each round.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Element<'a> {
    Item(&'a Expr),
    Pair(&'a Expr, &'a Expr),
}

/// Where a name lives, as seen from one code object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NamePlace {
    /// In the code object's own scope.
    Local(usize),
    /// In an enclosing scope: how many levels further out, and the slot there.
    Enclosing(usize, usize),
    /// In the module.
    Global(usize),
    /// A host function, a builtin, or undefined.
    Builtin,
}

/// The parameters of a function, as a signature needs them.
#[derive(Debug, Default)]
pub(crate) struct ParameterLayout<'a> {
    pub(crate) params: Vec<(&'a str, bool)>,
    pub(crate) positional_only: usize,
    pub(crate) keyword_only: Vec<(&'a str, bool)>,
    pub(crate) rest: Option<&'a str>,
    pub(crate) extra: Option<&'a str>,
}

impl<'a> ParameterLayout<'a> {
    pub(crate) fn of(parameters: &'a Parameters) -> ParameterLayout<'a> {
        let positional = parameters.posonlyargs.iter().chain(&parameters.args);
        let named = |param: &'a ruff_python_ast::ParameterWithDefault| (param.name().as_str(), param.default.is_some());
        ParameterLayout {
            params: positional.map(named).collect(),
            positional_only: parameters.posonlyargs.len(),
            keyword_only: parameters.kwonlyargs.iter().map(named).collect(),
            rest: parameters.vararg.as_ref().map(|param| param.name.as_str()),
            extra: parameters.kwarg.as_ref().map(|param| param.name.as_str()),
        }
    }

    /// Iterates over the parameters' names, in the order in which a scope holds them.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'a str> {
        let named = self.params.iter().chain(&self.keyword_only).map(|(name, _)| *name);
        named.chain(self.rest).chain(self.extra)
    }
}

impl Program<'_> {
    /// Returns the number of the code object that the check assigned to this node.
    pub(crate) fn number(node: &AtomicNodeIndex) -> usize {
        node.load().as_u32().unwrap_or(0) as usize
    }

    /// Stores a code object's number in its node.
    pub(super) fn mark(node: &AtomicNodeIndex, number: usize) {
        node.set(NodeIndex::from(number as u32));
    }
}
