//! What a dict or set sees of a value: a structure with Rust's own equality and hash that agrees with Python's.

use std::collections::BTreeSet;
use std::rc::Rc;

use num_bigint::BigInt;

use super::{Class, Range};

/// A hashable value. Equal numbers of different types are one key, as in Python.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Key {
    None,
    Ellipsis,
    Int(i64),
    Big(Rc<BigInt>),
    /// The bits of a float that equals no integer.
    Float(u64),
    Str(Rc<str>),
    Bytes(Rc<[u8]>),
    Tuple(Rc<[Key]>),
    Frozen(Rc<BTreeSet<Key>>),
    /// Length, first and step: what makes two ranges equal.
    Range(Box<[i128; 3]>),
    Class(Class),
    /// A builtin function or a tool, by name.
    Named(&'static str),
    /// A thing that equals only itself: which arena, and where.
    Object(char, u32),
}

impl From<Range> for Key {
    fn from(range: Range) -> Key {
        Key::Range(Box::new(match range.len() {
            0 => [0; 3],
            1 => [1, range.start, 0],
            len => [len, range.start, range.step],
        }))
    }
}
