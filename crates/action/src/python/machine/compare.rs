//! Truth, equality, order, membership, and what values are as keys. All of it looks only so deep, and counts its steps.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::rc::Rc;

use ruff_python_ast::CmpOp;

use super::Machine;
use crate::python::budget::Exceeded;
use crate::python::value::{Class, Dict, Handle, Key, Number, Run, Set, Value, View, type_error};

/// Data nested deeper than this is compared, hashed and shown no further.
pub(crate) const MOST_DEPTH: usize = 60;

impl Machine<'_> {
    pub(crate) fn truth(&self, value: Value) -> bool {
        match value {
            Value::None => false,
            Value::Bool(bool) => bool,
            Value::Int(int) => int != 0,
            Value::Float(float) => float != 0.0,
            Value::Str(text) => !self.heap[text].text.is_empty(),
            Value::Bytes(bytes) => !self.heap[bytes].0.is_empty(),
            Value::List(list) => !self.heap[list].is_empty(),
            Value::Tuple(tuple) => !self.heap[tuple].is_empty(),
            Value::Dict(dict) | Value::View(_, dict) => self.heap[dict].len() > 0,
            Value::Set(set) | Value::FrozenSet(set) => self.heap[set].len() > 0,
            Value::Range(range) => self.heap[range].len() > 0,
            _ => true,
        }
    }

    /// `is`: numbers and texts are the same when they are equal, everything else when it is one object.
    pub(crate) fn is_same(&self, a: Value, b: Value) -> bool {
        match (a, b) {
            (Value::Str(a), Value::Str(b)) => self.heap[a].text == self.heap[b].text,
            (Value::Big(a), Value::Big(b)) => self.heap[a] == self.heap[b],
            (Value::Float(a), Value::Float(b)) => a.to_bits() == b.to_bits(),
            (Value::Tuple(a), Value::Tuple(b)) => a == b || self.heap[a].is_empty() && self.heap[b].is_empty(),
            _ => a == b,
        }
    }

    pub(crate) fn equal(&mut self, a: Value, b: Value) -> Run<bool> {
        self.equal_at(a, b, 0)
    }

    /// Equality inside a container, where a value always equals itself.
    pub(crate) fn equal_item(&mut self, a: Value, b: Value) -> Run<bool> {
        Ok(self.is_same(a, b) || self.equal_at(a, b, 1)?)
    }

    fn equal_at(&mut self, a: Value, b: Value, depth: usize) -> Run<bool> {
        if depth > MOST_DEPTH {
            return Err(Exceeded::Depth(" in comparison").into());
        }
        self.budget.step()?;
        match (a, b) {
            (Value::Str(a), Value::Str(b)) => {
                let (a, b) = (&self.heap[a].text, &self.heap[b].text);
                self.budget.scan(a.len().min(b.len()))?;
                Ok(a == b)
            }
            (Value::Bytes(a), Value::Bytes(b)) => Ok(self.heap[a].0 == self.heap[b].0),
            (Value::List(a), Value::List(b)) => {
                if self.heap[a].len() != self.heap[b].len() {
                    return Ok(false);
                }
                for i in 0..self.heap[a].len() {
                    let pair = (self.heap[a][i], self.heap[b][i]);
                    if !self.is_same(pair.0, pair.1) && !self.equal_at(pair.0, pair.1, depth + 1)? {
                        return Ok(false);
                    }
                    self.budget.step()?;
                }
                Ok(true)
            }
            (Value::Tuple(a), Value::Tuple(b)) => {
                let (a, b) = (Rc::clone(&self.heap[a]), Rc::clone(&self.heap[b]));
                if a.len() != b.len() {
                    return Ok(false);
                }
                for (a, b) in a.iter().zip(b.iter()) {
                    if !self.is_same(*a, *b) && !self.equal_at(*a, *b, depth + 1)? {
                        return Ok(false);
                    }
                    self.budget.step()?;
                }
                Ok(true)
            }
            (Value::Dict(a), Value::Dict(b)) => self.equal_dicts(a, b, depth),
            (Value::Range(a), Value::Range(b)) => Ok(Key::from(self.heap[a]) == Key::from(self.heap[b])),
            (Value::Slice(a), Value::Slice(b)) => Ok(a == b),
            _ => match (self.number_of(a), self.number_of(b)) {
                (Some(a), Some(b)) => Ok(a.order(&b) == Some(Ordering::Equal)),
                (None, None) => self.equal_sets(a, b),
                _ => Ok(false),
            },
        }
    }

    fn equal_dicts(&mut self, a: Handle<Dict>, b: Handle<Dict>, depth: usize) -> Run<bool> {
        if self.heap[a].len() != self.heap[b].len() {
            return Ok(false);
        }
        let mut place = 0;
        while let Some((entry, next)) = self.heap[a].next(place) {
            place = next;
            let key = self.key(entry.key)?;
            let Some(other) = self.heap[b].get(&key) else {
                return Ok(false);
            };
            let (a, b) = (entry.value, other.value);
            if !self.is_same(a, b) && !self.equal_at(a, b, depth + 1)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Sets, frozen sets and the set-like views of dicts; anything else equals only itself.
    fn equal_sets(&mut self, a: Value, b: Value) -> Run<bool> {
        if a == b {
            return Ok(true);
        }
        if !is_set_like(a) || !is_set_like(b) {
            return Ok(false);
        }
        let (a, b) = (self.members(a)?, self.members(b)?);
        Ok(a.len() == b.len() && a.iter().all(|(key, _)| b.contains(key)))
    }

    /// The members of anything that can be iterated over, as a set.
    pub(crate) fn members(&mut self, value: Value) -> Run<Set> {
        if let Value::Set(set) | Value::FrozenSet(set) = value {
            let size = self.heap[set].len();
            self.budget.spend(size as u64)?;
            self.budget.room(size * Set::ENTRY_BYTES)?;
            return Ok(self.heap[set].clone());
        }
        let mut set = Set::default();
        let items = self.iterate(value)?;
        while let Some(item) = self.next(items)? {
            let key = self.key(item)?;
            set.insert(key, item, ());
            self.budget.room(set.len() * Set::ENTRY_BYTES)?;
        }
        Ok(set)
    }

    /// `<`, `<=`, `>` and `>=`.
    pub(crate) fn ordered(&mut self, op: CmpOp, a: Value, b: Value) -> Run<bool> {
        self.ordered_at(op, a, b, 0)
    }

    fn ordered_at(&mut self, op: CmpOp, a: Value, b: Value, depth: usize) -> Run<bool> {
        if depth > MOST_DEPTH {
            return Err(Exceeded::Depth(" in comparison").into());
        }
        self.budget.step()?;
        let order = match (a, b) {
            (Value::Str(a), Value::Str(b)) => {
                let (a, b) = (&self.heap[a].text, &self.heap[b].text);
                self.budget.scan(a.len().min(b.len()))?;
                Some(a.cmp(b))
            }
            (Value::Bytes(a), Value::Bytes(b)) => Some(self.heap[a].0.cmp(&self.heap[b].0)),
            (Value::List(_), Value::List(_)) | (Value::Tuple(_), Value::Tuple(_)) => {
                return self.ordered_items(op, a, b, depth);
            }
            _ if is_set_like(a) && is_set_like(b) => return self.ordered_sets(op, a, b),
            _ => match (self.number_of(a), self.number_of(b)) {
                (Some(a), Some(b)) => a.order(&b),
                _ => return Err(self.no_order(op, a, b)),
            },
        };
        Ok(order.is_some_and(|order| holds(op, order)))
    }

    fn no_order(&self, op: CmpOp, a: Value, b: Value) -> crate::python::value::Stop {
        let (a, b) = (Class::of(a, &self.heap).name(), Class::of(b, &self.heap).name());
        type_error(format!("'{op}' not supported between instances of '{a}' and '{b}'"))
    }

    /// The first pair of items that differs decides, else the length.
    fn ordered_items(&mut self, op: CmpOp, a: Value, b: Value, depth: usize) -> Run<bool> {
        let mut place = 0;
        loop {
            let (left, right) = (self.item_at(a, place), self.item_at(b, place));
            let (Some(left), Some(right)) = (left, right) else {
                return Ok(holds(op, left.is_some().cmp(&right.is_some())));
            };
            if !self.is_same(left, right) && !self.equal_at(left, right, depth + 1)? {
                return self.ordered_at(op, left, right, depth + 1);
            }
            self.budget.step()?;
            place += 1;
        }
    }

    fn item_at(&self, sequence: Value, place: usize) -> Option<Value> {
        match sequence {
            Value::List(list) => self.heap[list].get(place).copied(),
            Value::Tuple(tuple) => self.heap[tuple].get(place).copied(),
            _ => None,
        }
    }

    /// For sets, order is inclusion.
    fn ordered_sets(&mut self, op: CmpOp, a: Value, b: Value) -> Run<bool> {
        let (a, b) = (self.members(a)?, self.members(b)?);
        let (small, large) = match op {
            CmpOp::Lt | CmpOp::LtE => (a, b),
            _ => (b, a),
        };
        let proper = matches!(op, CmpOp::Lt | CmpOp::Gt);
        let fits = if proper {
            small.len() < large.len()
        } else {
            small.len() <= large.len()
        };
        Ok(fits && small.iter().all(|(key, _)| large.contains(key)))
    }

    /// `item in container`.
    pub(crate) fn contains(&mut self, container: Value, item: Value) -> Run<bool> {
        match container {
            Value::Str(text) => {
                let Some(part) = self.text_of(item) else {
                    let class = Class::of(item, &self.heap).name();
                    return Err(type_error(format!(
                        "'in <string>' requires string as left operand, not {class}"
                    )));
                };
                let text = Rc::clone(&self.heap[text].text);
                self.budget.scan(text.len())?;
                Ok(text.contains(&*part))
            }
            Value::Dict(dict) | Value::View(View::Keys, dict) => {
                let key = self.key(item)?;
                Ok(self.heap[dict].contains(&key))
            }
            Value::Set(set) | Value::FrozenSet(set) => {
                let key = self.key(item)?;
                Ok(self.heap[set].contains(&key))
            }
            Value::Range(range) => {
                let range = self.heap[range];
                match self.number_of(item) {
                    Some(Number::Int(int)) => Ok(range.place(i128::from(int)).is_some()),
                    Some(Number::Float(float)) if float.fract() == 0.0 && float.abs() < 1e30 => {
                        Ok(range.place(float as i128).is_some())
                    }
                    _ => Ok(false),
                }
            }
            _ => {
                let items =
                    self.iterate_or(container, |class| format!("argument of type '{class}' is not iterable"))?;
                while let Some(candidate) = self.next(items)? {
                    if self.equal_item(candidate, item)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
        }
    }

    /// What a value is as a key.
    ///
    /// # Errors
    /// `TypeError` for what can change.
    pub(crate) fn key(&mut self, value: Value) -> Run<Key> {
        self.key_at(value, 0)
    }

    fn key_at(&mut self, value: Value, depth: usize) -> Run<Key> {
        if depth > MOST_DEPTH {
            return Err(Exceeded::Depth(" while hashing").into());
        }
        self.budget.step()?;
        Ok(match value {
            Value::None => Key::None,
            Value::Ellipsis => Key::Ellipsis,
            Value::Bool(bool) => Key::Int(i64::from(bool)),
            Value::Int(int) => Key::Int(int),
            Value::Big(big) => Key::Big(Rc::clone(&self.heap[big])),
            Value::Float(float) => float_key(float),
            Value::Str(text) => {
                let text = Rc::clone(&self.heap[text].text);
                self.budget.scan(text.len())?;
                Key::Str(text)
            }
            Value::Bytes(bytes) => Key::Bytes(Rc::clone(&self.heap[bytes].0)),
            Value::Tuple(tuple) => {
                let items = Rc::clone(&self.heap[tuple]);
                self.budget.charge(items.len() * size_of::<Key>())?;
                let keys = items.iter().map(|item| self.key_at(*item, depth + 1));
                Key::Tuple(keys.collect::<Run<_>>()?)
            }
            Value::FrozenSet(set) => {
                self.budget.charge(self.heap[set].len() * size_of::<Key>())?;
                self.budget.spend(self.heap[set].len() as u64)?;
                let keys: BTreeSet<Key> = self.heap[set].iter().map(|(key, _)| key.clone()).collect();
                Key::Frozen(Rc::new(keys))
            }
            Value::Range(range) => Key::from(self.heap[range]),
            Value::Iterator(handle) => Key::Object('i', handle.index()),
            Value::Function(handle) => Key::Object('f', handle.index()),
            Value::Method(handle) => Key::Object('m', handle.index()),
            Value::Exception(handle) => Key::Object('e', handle.index()),
            Value::Tool(tool) => Key::Named(tool.name),
            Value::Native(native) => Key::Named(native.name),
            Value::Class(class) => Key::Class(class),
            Value::List(_) | Value::Dict(_) | Value::Set(_) | Value::Slice(_) | Value::View(..) => {
                let class = Class::of(value, &self.heap).name();
                return Err(type_error(format!("unhashable type: '{class}'")));
            }
        })
    }
}

fn float_key(float: f64) -> Key {
    if float.fract() != 0.0 || !float.is_finite() {
        return Key::Float(float.to_bits());
    }
    match crate::python::value::number::whole(float) {
        Ok(Number::Int(int)) => Key::Int(int),
        Ok(Number::Big(big)) => Key::Big(big),
        _ => Key::Float(float.to_bits()),
    }
}

pub(crate) fn is_set_like(value: Value) -> bool {
    matches!(
        value,
        Value::Set(_) | Value::FrozenSet(_) | Value::View(View::Keys | View::Items, _)
    )
}

fn holds(op: CmpOp, order: Ordering) -> bool {
    match op {
        CmpOp::Lt => order.is_lt(),
        CmpOp::LtE => order.is_le(),
        CmpOp::Gt => order.is_gt(),
        _ => order.is_ge(),
    }
}
