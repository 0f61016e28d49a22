//! The host of a block: the functions that a block can call in addition to Python's own.

use std::ops::Range;

/// What a block can reach. Functions are identified by numbers, which the host chooses.
pub trait Host {
    /// Finds the function that blocks call by this name. One function can have several names.
    fn find(&self, name: &str) -> Option<usize>;

    /// Describes a function to the block.
    fn describe(&self, function: usize) -> HostFunction;

    /// Calls a function, with positional and named arguments; `at` is the call's position in the source, in bytes. In
    /// the block, the call returns `None`.
    fn call(
        &mut self,
        function: usize,
        at: Range<usize>,
        args: Vec<Arg>,
        named: Vec<(String, Arg)>,
    ) -> Result<(), CallRefusal>;
}

/// A function of the host, as a block sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostFunction {
    /// The function's own name (`__name__`), regardless of the name by which it was found.
    pub name: &'static str,
    /// The documentation (`__doc__`).
    pub doc: &'static str,
}

/// An argument of a call from the block to the host.
#[derive(Clone, Debug, PartialEq)]
pub enum Arg {
    /// An integer. If it is too large for `f64`, it becomes the largest finite number with its sign.
    Int(f64),
    /// A float.
    Float(f64),
    /// A truth value, which is a number in Python.
    Bool(bool),
    /// Text.
    Text(String),
    /// `None`.
    None,
    /// A short list or tuple, with the name of its type.
    Sequence(String, Vec<Arg>),
    /// Anything else, as the name of its type.
    Other(String),
}

impl Arg {
    /// Returns the argument as a number, if it is one; a truth value is 0 or 1, as in Python.
    pub fn number(&self) -> Option<f64> {
        match self {
            Arg::Int(number) | Arg::Float(number) => Some(*number),
            Arg::Bool(truth) => Some(f64::from(u8::from(*truth))),
            Arg::Text(_) | Arg::None | Arg::Sequence(..) | Arg::Other(_) => None,
        }
    }

    /// Returns the name of the argument's Python type.
    pub fn type_name(&self) -> &str {
        match self {
            Arg::Int(_) => "int",
            Arg::Float(_) => "float",
            Arg::Bool(_) => "bool",
            Arg::Text(_) => "str",
            Arg::None => "NoneType",
            Arg::Sequence(name, _) | Arg::Other(name) => name,
        }
    }
}

/// Why a host refuses a call.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallRefusal {
    /// Raises a `TypeError`: missing or surplus arguments, or an argument of the wrong type.
    #[error("{0}")]
    Type(String),
    /// Raises a `ValueError`: the right type, but an unusable value.
    #[error("{0}")]
    Value(String),
    /// Ends the block; no `except` catches it.
    #[error("{0}")]
    Stop(String),
}

/// Which Python builtins a block can use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Builtins {
    /// Those that compute and print.
    #[default]
    Safe,
    /// None: only what the host offers.
    Absent,
}
