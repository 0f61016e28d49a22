//! Exceptions: their classes, the values that are raised, and what ends the evaluation of an expression early.

use ruff_text_size::TextSize;

use super::{Handle, List, Value};
use crate::budget::Exceeded;

/// Declares the exception classes: name and base.
macro_rules! kinds {
    ($($kind:ident : $base:ident),* $(,)?) => {
        /// A class of exceptions.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub(crate) enum Kind {
            $($kind),*
        }

        impl Kind {
            const ALL: &'static [Kind] = &[$(Kind::$kind),*];

            /// The name of the class.
            pub(crate) fn name(self) -> &'static str {
                match self {
                    $(Kind::$kind => stringify!($kind)),*
                }
            }

            fn base(self) -> Kind {
                match self {
                    $(Kind::$kind => Kind::$base),*
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

impl Kind {
    /// The class of this name; `IOError` and `EnvironmentError` are other names of `OSError`.
    pub(crate) fn named(name: &str) -> Option<Kind> {
        if matches!(name, "IOError" | "EnvironmentError") {
            return Some(Kind::OSError);
        }
        Self::ALL.iter().copied().find(|kind| kind.name() == name)
    }

    /// Whether this class is the other one or derives from it.
    pub(crate) fn is_a(self, other: Kind) -> bool {
        let mut kind = self;
        while kind != other && kind != Kind::BaseException {
            kind = kind.base();
        }
        kind == other
    }
}

/// A raised or created exception.
#[derive(Debug)]
pub(crate) struct Exception {
    pub(crate) kind: Kind,
    pub(crate) args: List,
    /// Where it passed, innermost first: one place in the source a frame.
    pub(crate) trace: Vec<TextSize>,
}

/// An exception that is not yet a value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fault {
    pub(crate) kind: Kind,
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
pub(crate) enum Stop {
    /// An exception just found, still without a value or a place.
    Fault(Box<Fault>),
    /// An exception on its way; `located` when the current frame is in its trace.
    Raised {
        exception: Handle<Exception>,
        located: bool,
    },
    /// A limit; it cannot be caught.
    Exceeded { limit: Exceeded, located: bool },
}

impl From<Exceeded> for Stop {
    fn from(limit: Exceeded) -> Stop {
        Stop::Exceeded { limit, located: false }
    }
}

/// The result of anything that the model's code does.
pub(crate) type Run<T> = Result<T, Stop>;

/// An exception of this kind.
pub(crate) fn fault(kind: Kind, message: impl Into<String>) -> Stop {
    let argument = Argument::Message(message.into());
    Stop::Fault(Box::new(Fault { kind, argument }))
}

/// An exception of this kind without arguments.
pub(crate) fn bare(kind: Kind) -> Stop {
    let argument = Argument::Nothing;
    Stop::Fault(Box::new(Fault { kind, argument }))
}

pub(crate) fn type_error(message: impl Into<String>) -> Stop {
    fault(Kind::TypeError, message)
}

pub(crate) fn value_error(message: impl Into<String>) -> Stop {
    fault(Kind::ValueError, message)
}

pub(crate) fn index_error(message: impl Into<String>) -> Stop {
    fault(Kind::IndexError, message)
}

pub(crate) fn overflow_error(message: impl Into<String>) -> Stop {
    fault(Kind::OverflowError, message)
}

pub(crate) fn attribute_error(message: impl Into<String>) -> Stop {
    fault(Kind::AttributeError, message)
}

pub(crate) fn name_error(message: impl Into<String>) -> Stop {
    fault(Kind::NameError, message)
}

/// A `KeyError` carries the key itself.
pub(crate) fn key_error(key: Value) -> Stop {
    let argument = Argument::Value(key);
    Stop::Fault(Box::new(Fault {
        kind: Kind::KeyError,
        argument,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bases_end_at_the_root() {
        for kind in Kind::ALL {
            assert!(kind.is_a(Kind::BaseException), "{}", kind.name());
            assert_eq!(Kind::named(kind.name()), Some(*kind));
        }
        assert!(Kind::KeyError.is_a(Kind::LookupError));
        assert!(!Kind::SystemExit.is_a(Kind::Exception));
    }
}
