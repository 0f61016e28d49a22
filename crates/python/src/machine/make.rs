//! Creates values. Each value is charged for before it is kept.

use std::rc::Rc;

use num_bigint::BigInt;

use super::Machine;
use super::iterator::Iter;
use crate::value::{
    Argument, Buffer, Bytes, Dict, Eval, Exception, Fault, HashKey, HeapRef, List, Method, Number, Range, Set, Slice,
    Text, Tuple, Value,
};

impl Machine<'_> {
    /// Returns an empty buffer for writing text.
    pub(crate) fn buffer(&self) -> Eval<Buffer> {
        Buffer::new(&self.budget)
    }

    /// Returns the written text as a value.
    pub(crate) fn written(&mut self, buffer: Buffer) -> Eval<Value> {
        self.keep_text(buffer.into_text()?)
    }

    pub(crate) fn string(&mut self, text: &str) -> Eval<Value> {
        self.keep_text(Text::copy(text, &self.budget)?)
    }

    fn keep_text(&mut self, text: Text) -> Eval<Value> {
        self.heap.keep(text, &self.budget).map(Value::Str)
    }

    pub(crate) fn character(&mut self, character: char) -> Eval<Value> {
        self.string(&*character.encode_utf8(&mut [0; 4]))
    }

    pub(crate) fn number(&mut self, number: Number) -> Eval<Value> {
        match number {
            Number::Int(int) => Ok(Value::Int(int)),
            Number::Float(float) => Ok(Value::Float(float)),
            Number::Big(big) => {
                self.budget.charge(big.len())?;
                self.heap.keep(big, &self.budget).map(Value::Big)
            }
        }
    }

    pub(crate) fn integer(&mut self, integer: i128) -> Eval<Value> {
        match i64::try_from(integer) {
            Ok(int) => Ok(Value::Int(int)),
            Err(_) => self.number(Number::from(BigInt::from(integer))),
        }
    }

    /// Returns an empty list of values.
    pub(crate) fn values(&self) -> Eval<List> {
        List::new(&self.budget)
    }

    pub(crate) fn list(&mut self, items: List) -> Eval<Value> {
        self.heap.keep(items, &self.budget).map(Value::List)
    }

    pub(crate) fn tuple(&mut self, items: &[Value]) -> Eval<Value> {
        let tuple = Tuple::copy(items, &self.budget)?;
        self.heap.keep(tuple, &self.budget).map(Value::Tuple)
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Eval<Value> {
        let bytes = Bytes::copy(bytes, &self.budget)?;
        self.heap.keep(bytes, &self.budget).map(Value::Bytes)
    }

    pub(crate) fn dict(&mut self) -> Eval<HeapRef<Dict>> {
        self.heap.keep(Dict::new(&self.budget)?, &self.budget)
    }

    pub(crate) fn set(&mut self, set: Set) -> Eval<HeapRef<Set>> {
        self.heap.keep(set, &self.budget)
    }

    pub(crate) fn range(&mut self, range: Range) -> Eval<Value> {
        self.heap.keep(range, &self.budget).map(Value::Range)
    }

    pub(crate) fn slice(&mut self, slice: Slice) -> Eval<Value> {
        self.heap.keep(slice, &self.budget).map(Value::Slice)
    }

    pub(crate) fn iterator(&mut self, iter: Iter) -> Eval<Value> {
        self.heap.keep(iter, &self.budget).map(Value::Iterator)
    }

    pub(crate) fn method(&mut self, method: Method) -> Eval<Value> {
        self.heap.keep(method, &self.budget).map(Value::Method)
    }

    pub(crate) fn exception(&mut self, fault: Fault) -> Eval<HeapRef<Exception>> {
        let mut args = self.values()?;
        match fault.argument {
            Argument::Nothing => {}
            Argument::Value(value) => args.push(value)?,
            Argument::Message(message) => {
                let message = self.string(&message)?;
                args.push(message)?;
            }
        }
        let exception = Exception {
            kind: fault.kind,
            args,
            trace: Vec::new(),
        };
        self.heap.keep(exception, &self.budget)
    }

    /// Puts an entry into a dict.
    pub(crate) fn put(&mut self, dict: HeapRef<Dict>, key: Value, value: Value) -> Eval<()> {
        let hashed = self.key(key)?;
        self.put_hashed(dict, hashed, key, value)
    }

    pub(crate) fn put_hashed(&mut self, dict: HeapRef<Dict>, hashed: HashKey, key: Value, value: Value) -> Eval<()> {
        self.heap[dict].insert(hashed, key, value).map(|_| ())
    }

    /// Puts a value into a set.
    pub(crate) fn add(&mut self, set: HeapRef<Set>, value: Value) -> Eval<()> {
        let hashed = self.key(value)?;
        self.heap[set].insert(hashed, value, ()).map(|_| ())
    }

    /// Appends to a list.
    pub(crate) fn append(&mut self, list: HeapRef<List>, value: Value) -> Eval<()> {
        self.heap[list].push(value)
    }

    /// Returns the text of a string value, charging for one pass over it.
    pub(crate) fn text_of(&self, value: Value) -> Eval<Option<Rc<str>>> {
        match value {
            Value::Str(handle) => self.heap[handle].read(&self.budget).map(Some),
            _ => Ok(None),
        }
    }

    /// Returns a value as a number, if it is one.
    pub(crate) fn number_of(&self, value: Value) -> Option<Number> {
        match value {
            Value::Bool(bool) => Some(Number::Int(i64::from(bool))),
            Value::Int(int) => Some(Number::Int(int)),
            Value::Float(float) => Some(Number::Float(float)),
            Value::Big(handle) => Some(Number::Big(self.heap[handle].clone())),
            _ => None,
        }
    }

    /// Returns a value as an integer, if it is one; floats are not.
    pub(crate) fn integer_of(&self, value: Value) -> Option<Number> {
        self.number_of(value)
            .filter(|number| !matches!(number, Number::Float(_)))
    }
}
