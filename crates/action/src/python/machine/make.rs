//! Making values: each is charged for before it is kept.

use std::rc::Rc;

use num_bigint::BigInt;

use super::Machine;
use super::iterator::Iter;
use crate::python::value::Argument;
use crate::python::value::{
    Bytes, Dict, Exception, Fault, Handle, Key, Method, Number, Range, Run, Set, Slice, Table, Text, Value,
};

/// What any kept value takes beside its content, in bytes.
const VALUE_BYTES: usize = 48;

impl Machine<'_> {
    pub(crate) fn string(&mut self, text: impl Into<Rc<str>> + AsRef<str>) -> Run<Value> {
        self.budget.charge(VALUE_BYTES + text.as_ref().len())?;
        let text: Rc<str> = text.into();
        let chars = text.chars().count();
        Ok(Value::Str(self.heap.keep(Text { text, chars })))
    }

    pub(crate) fn character(&mut self, character: char) -> Run<Value> {
        self.string(&*character.encode_utf8(&mut [0; 4]))
    }

    pub(crate) fn number(&mut self, number: Number) -> Run<Value> {
        match number {
            Number::Int(int) => Ok(Value::Int(int)),
            Number::Float(float) => Ok(Value::Float(float)),
            Number::Big(big) => {
                self.budget.charge(VALUE_BYTES + (big.bits() / 8) as usize)?;
                Ok(Value::Big(self.heap.keep(big)))
            }
        }
    }

    pub(crate) fn integer(&mut self, integer: i128) -> Run<Value> {
        match i64::try_from(integer) {
            Ok(int) => Ok(Value::Int(int)),
            Err(_) => self.number(Number::from(BigInt::from(integer))),
        }
    }

    pub(crate) fn list(&mut self, items: Vec<Value>) -> Run<Value> {
        self.budget.charge(VALUE_BYTES + size_of_val(items.as_slice()))?;
        Ok(Value::List(self.heap.keep(items)))
    }

    pub(crate) fn tuple(&mut self, items: impl Into<Rc<[Value]>> + AsRef<[Value]>) -> Run<Value> {
        self.budget.charge(VALUE_BYTES + size_of_val(items.as_ref()))?;
        Ok(Value::Tuple(self.heap.keep(items.into())))
    }

    pub(crate) fn bytes(&mut self, bytes: impl Into<Rc<[u8]>> + AsRef<[u8]>) -> Run<Value> {
        self.budget.charge(VALUE_BYTES + bytes.as_ref().len())?;
        Ok(Value::Bytes(self.heap.keep(Bytes(bytes.into()))))
    }

    pub(crate) fn dict(&mut self) -> Run<Handle<Dict>> {
        self.budget.charge(2 * VALUE_BYTES)?;
        Ok(self.heap.keep(Table::default()))
    }

    pub(crate) fn set(&mut self, set: Set) -> Run<Handle<Set>> {
        self.budget.charge(2 * VALUE_BYTES + set.len() * Set::ENTRY_BYTES)?;
        Ok(self.heap.keep(set))
    }

    pub(crate) fn range(&mut self, range: Range) -> Run<Value> {
        self.budget.charge(VALUE_BYTES)?;
        Ok(Value::Range(self.heap.keep(range)))
    }

    pub(crate) fn slice(&mut self, slice: Slice) -> Run<Value> {
        self.budget.charge(VALUE_BYTES)?;
        Ok(Value::Slice(self.heap.keep(slice)))
    }

    pub(crate) fn iterator(&mut self, iter: Iter) -> Run<Value> {
        self.budget.charge(size_of::<Iter>())?;
        Ok(Value::Iterator(self.heap.keep(iter)))
    }

    pub(crate) fn method(&mut self, method: Method) -> Run<Value> {
        self.budget.charge(size_of::<Method>())?;
        Ok(Value::Method(self.heap.keep(method)))
    }

    /// Exceptions are kept even when nothing else fits any more, or none could be told.
    pub(crate) fn exception(&mut self, fault: Fault) -> Handle<Exception> {
        let args = match fault.argument {
            Argument::Nothing => Vec::new(),
            Argument::Value(value) => vec![value],
            Argument::Message(message) => {
                let (text, chars) = (Rc::from(message.as_str()), message.chars().count());
                vec![Value::Str(self.heap.keep(Text { text, chars }))]
            }
        };
        self.heap.keep(Exception {
            kind: fault.kind,
            args,
            trace: Vec::new(),
        })
    }

    /// Puts an entry into a dict.
    pub(crate) fn put(&mut self, dict: Handle<Dict>, key: Value, value: Value) -> Run<()> {
        let hashed = self.key(key)?;
        self.put_hashed(dict, hashed, key, value)
    }

    pub(crate) fn put_hashed(&mut self, dict: Handle<Dict>, hashed: Key, key: Value, value: Value) -> Run<()> {
        if !self.heap[dict].contains(&hashed) {
            self.budget.charge(Dict::ENTRY_BYTES)?;
        }
        self.heap[dict].insert(hashed, key, value);
        Ok(())
    }

    /// Puts a value into a set.
    pub(crate) fn add(&mut self, set: Handle<Set>, value: Value) -> Run<()> {
        let hashed = self.key(value)?;
        if !self.heap[set].contains(&hashed) {
            self.budget.charge(Set::ENTRY_BYTES)?;
        }
        self.heap[set].insert(hashed, value, ());
        Ok(())
    }

    /// Appends to a list.
    pub(crate) fn append(&mut self, list: Handle<Vec<Value>>, value: Value) -> Run<()> {
        // A growing list may hold twice what is in it.
        self.budget.charge(2 * size_of::<Value>())?;
        self.heap[list].push(value);
        Ok(())
    }

    /// The text of a string value.
    pub(crate) fn text_of(&self, value: Value) -> Option<Rc<str>> {
        match value {
            Value::Str(handle) => Some(Rc::clone(&self.heap[handle].text)),
            _ => None,
        }
    }

    /// The number that a value is.
    pub(crate) fn number_of(&self, value: Value) -> Option<Number> {
        match value {
            Value::Bool(bool) => Some(Number::Int(i64::from(bool))),
            Value::Int(int) => Some(Number::Int(int)),
            Value::Float(float) => Some(Number::Float(float)),
            Value::Big(handle) => Some(Number::Big(Rc::clone(&self.heap[handle]))),
            _ => None,
        }
    }

    /// The integer that a value is; floats are none.
    pub(crate) fn integer_of(&self, value: Value) -> Option<Number> {
        self.number_of(value)
            .filter(|number| !matches!(number, Number::Float(_)))
    }
}
