//! The values of a running block: small and copyable, with pointers into the heap.

mod big;
mod class;
mod dict;
mod exception;
mod heap;
mod key;
pub(crate) mod number;
mod sequence;
mod text;

use std::rc::Rc;

use crate::builtin::Native;
use crate::machine::iterator::Iter;
use crate::machine::scope::Scope;

pub(crate) use big::Big;
pub(crate) use class::Class;
pub(crate) use dict::{Dict, Entries, Set, Table};
pub(crate) use exception::{
    Argument, Eval, Exception, ExceptionKind, Fault, Unwind, attribute_error, bare, fault, index_error, key_error,
    name_error, overflow_error, type_error, value_error,
};
pub(crate) use heap::{Heap, HeapRef};
pub(crate) use key::{HashKey, HashKeys};
pub(crate) use number::Number;
pub(crate) use sequence::{List, Tuple};
pub(crate) use text::{Buffer, Bytes, Characters, Text};

/// Any value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Value {
    None,
    Ellipsis,
    Bool(bool),
    Int(i64),
    /// An integer that does not fit into `i64`.
    Big(HeapRef<Big>),
    Float(f64),
    Str(HeapRef<Text>),
    Bytes(HeapRef<Bytes>),
    List(HeapRef<List>),
    Tuple(HeapRef<Tuple>),
    Dict(HeapRef<Dict>),
    View(DictView, HeapRef<Dict>),
    Set(HeapRef<Set>),
    Range(HeapRef<Range>),
    Slice(HeapRef<Slice>),
    Iterator(HeapRef<Iter>),
    Function(HeapRef<Closure>),
    Method(HeapRef<Method>),
    /// A function of the host.
    Host(usize),
    Native(&'static Native),
    Class(Class),
    Exception(HeapRef<Exception>),
}

/// Which part of a dict a view shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DictView {
    Keys,
    Values,
    Items,
}

/// `range(start, stop, step)`, wide enough for every number that a model would realistically write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) start: i128,
    pub(crate) stop: i128,
    pub(crate) step: i128,
}

impl Range {
    /// The limit for the parts of a range. Within it, sums and products of its parts and indices fit into `i128`.
    const WIDEST: i128 = 1 << 80;

    /// Returns a part of a range, unless it is too large.
    pub(crate) fn part(integer: Option<i128>) -> Eval<i128> {
        let integer = integer.filter(|integer| (-Self::WIDEST..Self::WIDEST).contains(integer));
        integer.ok_or_else(|| overflow_error("Python int too large for a range"))
    }

    pub(crate) fn new(start: i128, end: i128, by: i128) -> Range {
        Range {
            start,
            stop: end,
            step: by,
        }
    }

    /// Returns how many numbers the range has.
    pub(crate) fn len(&self) -> i128 {
        let span = if self.step > 0 {
            self.stop - self.start
        } else {
            self.start - self.stop
        };
        if span <= 0 { 0 } else { (span - 1) / self.step.abs() + 1 }
    }

    /// Returns length, first and step, which make two ranges equal.
    pub(crate) fn identity(&self) -> [i128; 3] {
        match self.len() {
            0 => [0; 3],
            1 => [1, self.start, 0],
            len => [len, self.start, self.step],
        }
    }

    /// Returns the number at this index, which must be in range.
    pub(crate) fn at(&self, place: i128) -> i128 {
        self.start + place * self.step
    }

    /// Returns the index of this number.
    pub(crate) fn place(&self, number: i128) -> Option<i128> {
        let offset = number - self.start;
        let place = offset / self.step;
        (offset % self.step == 0 && (0..self.len()).contains(&place)).then_some(place)
    }
}

/// `slice(lower, upper, step)`, as written in an item expression.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slice {
    pub(crate) lower: Value,
    pub(crate) upper: Value,
    pub(crate) step: Value,
}

/// A function that the model defined, with the scope in which it was created.
#[derive(Clone, Debug)]
pub(crate) struct Closure {
    /// The index of its code in the program.
    pub(crate) code: usize,
    pub(crate) scope: HeapRef<Scope>,
    /// One entry per parameter, positional ones first; `None` without a default.
    pub(crate) defaults: Rc<[Option<Value>]>,
}

/// A method of a builtin type. It has no receiver if it was read from the class (`str.upper`).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Method {
    pub(crate) class: Class,
    pub(crate) receiver: Option<Value>,
    pub(crate) native: &'static Native,
}
