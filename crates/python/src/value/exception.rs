//! Exceptions: their classes, the values that are raised, and what ends the evaluation of an expression early.

use ruff_text_size::TextSize;

use super::{HeapRef, List, Value};
use crate::budget::Exceeded;

/// Declares the exception classes: name and base.
macro_rules! kinds {
    ($($kind:ident : $base:ident),* $(,)?) => {
        /// A class of exceptions.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub(crate) enum ExceptionKind {
            $($kind),*
        }

        impl ExceptionKind {
            const ALL: &'static [ExceptionKind] = &[$(ExceptionKind::$kind),*];

            /// Returns the class's name.
            pub(crate) fn name(self) -> &'static str {
                match self {
                    $(ExceptionKind::$kind => stringify!($kind)),*
                }
            }

            fn base(self) -> ExceptionKind {
                match self {
                    $(ExceptionKind::$kind => ExceptionKind::$base),*
                }
            }
        }
    };
}

kinds! {
    BaseException: BaseException,
    Exception: BaseException,
    GeneratorExit: BaseException,
    KeyboardInterrupt: BaseException,
    SystemExit: BaseException,
    ArithmeticError: Exception,
    FloatingPointError: ArithmeticError,
    OverflowError: ArithmeticError,
    ZeroDivisionError: ArithmeticError,
    AssertionError: Exception,
    AttributeError: Exception,
    BufferError: Exception,
    EOFError: Exception,
    ImportError: Exception,
    ModuleNotFoundError: ImportError,
    LookupError: Exception,
    IndexError: LookupError,
    KeyError: LookupError,
    MemoryError: Exception,
    NameError: Exception,
    UnboundLocalError: NameError,
    OSError: Exception,
    ConnectionError: OSError,
    FileExistsError: OSError,
    FileNotFoundError: OSError,
    InterruptedError: OSError,
    PermissionError: OSError,
    TimeoutError: OSError,
    ReferenceError: Exception,
    RuntimeError: Exception,
    NotImplementedError: RuntimeError,
    RecursionError: RuntimeError,
    StopIteration: Exception,
    StopAsyncIteration: Exception,
    SyntaxError: Exception,
    IndentationError: SyntaxError,
    TabError: IndentationError,
    SystemError: Exception,
    TypeError: Exception,
    ValueError: Exception,
    UnicodeError: ValueError,
    Warning: Exception,
    DeprecationWarning: Warning,
    RuntimeWarning: Warning,
    UserWarning: Warning,
}

impl ExceptionKind {
    /// Returns the class with this name; `IOError` and `EnvironmentError` are aliases of `OSError`.
    pub(crate) fn named(name: &str) -> Option<ExceptionKind> {
        if matches!(name, "IOError" | "EnvironmentError") {
            return Some(ExceptionKind::OSError);
        }
        Self::ALL.iter().copied().find(|kind| kind.name() == name)
    }

    /// Checks whether this class is the other one or derives from it.
    pub(crate) fn is_a(self, other: ExceptionKind) -> bool {
        let mut kind = self;
        while kind != other && kind != ExceptionKind::BaseException {
            kind = kind.base();
        }
        kind == other
    }
}

/// A raised or created exception.
#[derive(Debug)]
pub(crate) struct Exception {
    pub(crate) kind: ExceptionKind,
    pub(crate) args: List,
    /// The source positions that the exception passed through, one per frame, innermost first.
    pub(crate) trace: Vec<TextSize>,
}

/// An exception that is not yet a value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fault {
    pub(crate) kind: ExceptionKind,
    pub(crate) argument: Argument,
}

/// The argument of a fault.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Argument {
    Nothing,
    Message(String),
    Value(Value),
}

/// What ends an evaluation early.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Unwind {
    /// An exception that was just raised internally, still without a value or a position.
    Fault(Box<Fault>),
    /// An exception being propagated; `located` if the current frame is in its trace.
    Raised {
        exception: HeapRef<Exception>,
        located: bool,
    },
    /// An exceeded limit, which cannot be caught.
    Exceeded { limit: Exceeded, located: bool },
}

impl From<Exceeded> for Unwind {
    fn from(limit: Exceeded) -> Unwind {
        Unwind::Exceeded { limit, located: false }
    }
}

/// The result of anything that the model's code does.
pub(crate) type Eval<T> = Result<T, Unwind>;

/// Returns an exception of this kind.
pub(crate) fn fault(kind: ExceptionKind, message: impl Into<String>) -> Unwind {
    let argument = Argument::Message(message.into());
    Unwind::Fault(Box::new(Fault { kind, argument }))
}

/// Returns an exception of this kind without arguments.
pub(crate) fn bare(kind: ExceptionKind) -> Unwind {
    let argument = Argument::Nothing;
    Unwind::Fault(Box::new(Fault { kind, argument }))
}

pub(crate) fn type_error(message: impl Into<String>) -> Unwind {
    fault(ExceptionKind::TypeError, message)
}

pub(crate) fn value_error(message: impl Into<String>) -> Unwind {
    fault(ExceptionKind::ValueError, message)
}

pub(crate) fn index_error(message: impl Into<String>) -> Unwind {
    fault(ExceptionKind::IndexError, message)
}

pub(crate) fn overflow_error(message: impl Into<String>) -> Unwind {
    fault(ExceptionKind::OverflowError, message)
}

pub(crate) fn attribute_error(message: impl Into<String>) -> Unwind {
    fault(ExceptionKind::AttributeError, message)
}

pub(crate) fn name_error(message: impl Into<String>) -> Unwind {
    fault(ExceptionKind::NameError, message)
}

/// Returns a `KeyError`, which carries the key itself.
pub(crate) fn key_error(key: Value) -> Unwind {
    let argument = Argument::Value(key);
    Unwind::Fault(Box::new(Fault {
        kind: ExceptionKind::KeyError,
        argument,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bases_end_at_the_root() {
        for kind in ExceptionKind::ALL {
            assert!(kind.is_a(ExceptionKind::BaseException), "{}", kind.name());
            assert_eq!(ExceptionKind::named(kind.name()), Some(*kind));
        }
        assert!(ExceptionKind::KeyError.is_a(ExceptionKind::LookupError));
        assert!(!ExceptionKind::SystemExit.is_a(ExceptionKind::Exception));
    }
}
