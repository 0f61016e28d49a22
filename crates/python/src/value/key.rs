//! Values as keys of dicts and sets: small keys that agree with Python's equality. Large contents are kept once and
//! identified by number, so hashing and comparing a key takes constant time, no matter how large its value is or how
//! often parts of it are shared.

use std::collections::HashMap;
use std::rc::Rc;

use num_bigint::BigInt;

use super::{Big, Bytes, Class, Eval, Number, Range, Text, Tuple};
use crate::budget::Budget;
use crate::value::number::whole;

/// A hashable value. As in Python, equal numbers of different types are the same key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum HashKey {
    None,
    Ellipsis,
    Int(i64),
    /// The bits of a float that does not equal an integer.
    Float(u64),
    Class(Class),
    /// A builtin function, by name.
    Named(&'static str),
    /// A function of the host.
    Host(usize),
    /// A value that equals only itself: its arena, and its index there.
    Object(char, u32),
    /// Large contents, by the number under which they are kept.
    Kept(u32),
}

/// Contents that are kept only once.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Content {
    Big(Rc<BigInt>),
    Str(Rc<str>),
    Bytes(Rc<[u8]>),
    Tuple(Box<[HashKey]>),
    /// Length, first and step, which make two ranges equal.
    Range([i128; 3]),
}

/// All of a block's keys that are more than a number or a name.
#[derive(Debug, Default)]
pub(crate) struct HashKeys {
    numbers: HashMap<Content, u32>,
}

impl HashKeys {
    /// The size of one kept key, in bytes, apart from its content.
    const KEY_BYTES: usize = 160;

    fn keep(&mut self, content: Content, budget: &Budget) -> Eval<u32> {
        if let Some(number) = self.numbers.get(&content) {
            return Ok(*number);
        }
        budget.charge(Self::KEY_BYTES)?;
        let number = self.numbers.len() as u32;
        self.numbers.insert(content, number);
        Ok(number)
    }

    pub(crate) fn text(&mut self, text: &Text, budget: &Budget) -> Eval<HashKey> {
        if let Some(known) = text.key.get() {
            return Ok(HashKey::Kept(known));
        }
        let number = self.keep(Content::Str(text.read(budget)?), budget)?;
        text.key.set(Some(number));
        Ok(HashKey::Kept(number))
    }

    pub(crate) fn bytes(&mut self, bytes: &Bytes, budget: &Budget) -> Eval<HashKey> {
        self.keep(Content::Bytes(bytes.read(budget)?), budget)
            .map(HashKey::Kept)
    }

    pub(crate) fn big(&mut self, big: &Big, budget: &Budget) -> Eval<HashKey> {
        self.keep(Content::Big(big.read(budget)?), budget).map(HashKey::Kept)
    }

    pub(crate) fn range(&mut self, range: Range, budget: &Budget) -> Eval<HashKey> {
        self.keep(Content::Range(range.identity()), budget).map(HashKey::Kept)
    }

    pub(crate) fn float(&mut self, float: f64, budget: &Budget) -> Eval<HashKey> {
        if float.fract() != 0.0 || !float.is_finite() {
            return Ok(HashKey::Float(float.to_bits()));
        }
        match whole(float)? {
            Number::Int(int) => Ok(HashKey::Int(int)),
            Number::Big(big) => self.big(&big, budget),
            Number::Float(float) => Ok(HashKey::Float(float.to_bits())),
        }
    }

    /// Returns the key of a tuple, if it has already been computed.
    pub(crate) fn known(tuple: &Tuple) -> Option<HashKey> {
        tuple.key.get().map(HashKey::Kept)
    }

    /// Returns the key of a tuple whose items have these keys.
    pub(crate) fn tuple(&mut self, tuple: &Tuple, items: Vec<HashKey>, budget: &Budget) -> Eval<HashKey> {
        budget.charge(size_of_val(items.as_slice()))?;
        budget.walk(items.len())?;
        let number = self.keep(Content::Tuple(items.into()), budget)?;
        tuple.key.set(Some(number));
        Ok(HashKey::Kept(number))
    }
}
