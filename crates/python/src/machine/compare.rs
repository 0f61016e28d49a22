//! Truth, equality, order, membership, and values as keys. All of these have a limited depth and count their steps.

use std::cmp::Ordering;

use ruff_python_ast::CmpOp;

use super::Machine;
use crate::budget::Exceeded;
use crate::value::{Class, Dict, DictView, Eval, HashKey, HashKeys, HeapRef, Number, Set, Tuple, Value, type_error};

/// Data nested deeper than this is not compared or hashed any further.
pub(crate) const MOST_DEPTH: usize = 60;

impl Machine<'_> {
    pub(crate) fn truth(&self, value: Value) -> bool {
        match value {
            Value::None => false,
            Value::Bool(bool) => bool,
            Value::Int(int) => int != 0,
            Value::Float(float) => float != 0.0,
            Value::Str(text) => self.heap[text].len() > 0,
            Value::Bytes(bytes) => self.heap[bytes].len() > 0,
            Value::List(list) => !self.heap[list].is_empty(),
            Value::Tuple(tuple) => !self.heap[tuple].is_empty(),
            Value::Dict(dict) | Value::View(_, dict) => self.heap[dict].len() > 0,
            Value::Set(set) => self.heap[set].len() > 0,
            Value::Range(range) => self.heap[range].len() > 0,
            _ => true,
        }
    }

    /// Evaluates `is`. Numbers and strings are the same if they are equal; anything else only if it is the same object.
    pub(crate) fn is_same(&self, a: Value, b: Value) -> Eval<bool> {
        Ok(match (a, b) {
            (Value::Str(a), Value::Str(b)) => self.heap[a].equals(&self.heap[b], &self.budget)?,
            (Value::Big(a), Value::Big(b)) => self.heap[a].order(&self.heap[b], &self.budget)?.is_eq(),
            (Value::Float(a), Value::Float(b)) => a.to_bits() == b.to_bits(),
            (Value::Tuple(a), Value::Tuple(b)) => a == b || self.heap[a].is_empty() && self.heap[b].is_empty(),
            _ => a == b,
        })
    }

    pub(crate) fn equal(&mut self, a: Value, b: Value) -> Eval<bool> {
        self.equal_at(a, b, 0)
    }

    /// Compares two values as items of a container. There, a value always equals itself.
    pub(crate) fn equal_item(&mut self, a: Value, b: Value) -> Eval<bool> {
        self.equal_inside(a, b, 1)
    }

    fn equal_inside(&mut self, a: Value, b: Value, depth: usize) -> Eval<bool> {
        Ok(self.is_same(a, b)? || self.equal_at(a, b, depth)?)
    }

    fn equal_at(&mut self, a: Value, b: Value, depth: usize) -> Eval<bool> {
        if depth > MOST_DEPTH {
            return Err(Exceeded::Depth(" in comparison").into());
        }
        self.budget.step()?;
        match (a, b) {
            (Value::Str(a), Value::Str(b)) => self.heap[a].equals(&self.heap[b], &self.budget),
            (Value::Bytes(a), Value::Bytes(b)) => Ok(self.heap[a].order(&self.heap[b], &self.budget)?.is_eq()),
            (Value::List(_), Value::List(_)) | (Value::Tuple(_), Value::Tuple(_)) => self.equal_items(a, b, depth),
            (Value::Dict(a), Value::Dict(b)) => self.equal_dicts(a, b, depth),
            (Value::Range(a), Value::Range(b)) => Ok(self.heap[a].identity() == self.heap[b].identity()),
            (Value::Slice(a), Value::Slice(b)) => Ok(a == b),
            _ => match (self.number_of(a), self.number_of(b)) {
                (Some(a), Some(b)) => Ok(a.order(&b, &self.budget)? == Some(Ordering::Equal)),
                (None, None) => self.equal_sets(a, b),
                _ => Ok(false),
            },
        }
    }

    fn equal_items(&mut self, a: Value, b: Value, depth: usize) -> Eval<bool> {
        if self.items_in(a) != self.items_in(b) {
            return Ok(false);
        }
        let mut place = 0;
        while let (Some(left), Some(right)) = (self.item_at(a, place), self.item_at(b, place)) {
            if !self.equal_inside(left, right, depth + 1)? {
                return Ok(false);
            }
            self.budget.step()?;
            place += 1;
        }
        Ok(true)
    }

    fn equal_dicts(&mut self, a: HeapRef<Dict>, b: HeapRef<Dict>, depth: usize) -> Eval<bool> {
        if self.heap[a].len() != self.heap[b].len() {
            return Ok(false);
        }
        let mut place = 0;
        while let Some((entry, next)) = self.heap[a].next(place)? {
            self.budget.step()?;
            place = next;
            let Some(other) = self.heap[b].get(entry.hashed) else {
                return Ok(false);
            };
            if !self.equal_inside(entry.value, other.value, depth + 1)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Compares sets and the set-like views of dicts; anything else equals only itself.
    fn equal_sets(&mut self, a: Value, b: Value) -> Eval<bool> {
        if a == b {
            return Ok(true);
        }
        if !is_set_like(a) || !is_set_like(b) {
            return Ok(false);
        }
        let (a, b) = (self.members(a)?, self.members(b)?);
        Ok(a.len() == b.len() && a.read()?.all(|entry| b.contains(entry.hashed)))
    }

    /// Collects the members of any iterable as a set.
    pub(crate) fn members(&mut self, value: Value) -> Eval<Set> {
        let mut members = Set::new(&self.budget)?;
        if let Value::Set(set) = value {
            for entry in self.heap[set].read()? {
                members.insert(entry.hashed, entry.key, ())?;
            }
            return Ok(members);
        }
        let items = self.iterate(value)?;
        while let Some(item) = self.next(items)? {
            let key = self.key(item)?;
            members.insert(key, item, ())?;
        }
        Ok(members)
    }

    /// Evaluates `<`, `<=`, `>` and `>=`.
    pub(crate) fn ordered(&mut self, op: CmpOp, a: Value, b: Value) -> Eval<bool> {
        self.ordered_at(op, a, b, 0)
    }

    fn ordered_at(&mut self, op: CmpOp, a: Value, b: Value, depth: usize) -> Eval<bool> {
        if depth > MOST_DEPTH {
            return Err(Exceeded::Depth(" in comparison").into());
        }
        self.budget.step()?;
        let order = match (a, b) {
            (Value::Str(a), Value::Str(b)) => Some(self.heap[a].order(&self.heap[b], &self.budget)?),
            (Value::Bytes(a), Value::Bytes(b)) => Some(self.heap[a].order(&self.heap[b], &self.budget)?),
            (Value::List(_), Value::List(_)) | (Value::Tuple(_), Value::Tuple(_)) => {
                return self.ordered_items(op, a, b, depth);
            }
            _ if is_set_like(a) && is_set_like(b) => return self.ordered_sets(op, a, b),
            _ => match (self.number_of(a), self.number_of(b)) {
                (Some(a), Some(b)) => a.order(&b, &self.budget)?,
                _ => return Err(self.no_order(op, a, b)),
            },
        };
        Ok(order.is_some_and(|order| holds(op, order)))
    }

    fn no_order(&self, op: CmpOp, a: Value, b: Value) -> crate::value::Unwind {
        let (a, b) = (Class::of(a, &self.heap).name(), Class::of(b, &self.heap).name());
        type_error(format!("'{op}' not supported between instances of '{a}' and '{b}'"))
    }

    /// Orders sequences by the first pair of items that differs, or else by length.
    fn ordered_items(&mut self, op: CmpOp, a: Value, b: Value, depth: usize) -> Eval<bool> {
        let mut place = 0;
        loop {
            let (left, right) = (self.item_at(a, place), self.item_at(b, place));
            let (Some(left), Some(right)) = (left, right) else {
                return Ok(holds(op, left.is_some().cmp(&right.is_some())));
            };
            if !self.equal_inside(left, right, depth + 1)? {
                return self.ordered_at(op, left, right, depth + 1);
            }
            self.budget.step()?;
            place += 1;
        }
    }

    pub(super) fn item_at(&self, sequence: Value, place: usize) -> Option<Value> {
        match sequence {
            Value::List(list) => self.heap[list].get(place),
            Value::Tuple(tuple) => self.heap[tuple].get(place),
            _ => None,
        }
    }

    pub(super) fn items_in(&self, sequence: Value) -> usize {
        match sequence {
            Value::List(list) => self.heap[list].len(),
            Value::Tuple(tuple) => self.heap[tuple].len(),
            _ => 0,
        }
    }

    /// Orders sets by inclusion.
    fn ordered_sets(&mut self, op: CmpOp, a: Value, b: Value) -> Eval<bool> {
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
        Ok(fits && small.read()?.all(|entry| large.contains(entry.hashed)))
    }

    /// Evaluates `item in container`.
    pub(crate) fn contains(&mut self, container: Value, item: Value) -> Eval<bool> {
        match container {
            Value::Str(text) => {
                let Some(part) = self.text_of(item)? else {
                    let class = Class::of(item, &self.heap).name();
                    return Err(type_error(format!(
                        "'in <string>' requires string as left operand, not {class}"
                    )));
                };
                let text = self.heap[text].read(&self.budget)?;
                Ok(text.contains(&*part))
            }
            Value::Dict(dict) | Value::View(DictView::Keys, dict) => {
                let key = self.key(item)?;
                Ok(self.heap[dict].contains(key))
            }
            Value::Set(set) => {
                let key = self.key(item)?;
                Ok(self.heap[set].contains(key))
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

    /// Returns a value as a key.
    ///
    /// # Errors
    /// `TypeError` for mutable values.
    pub(crate) fn key(&mut self, value: Value) -> Eval<HashKey> {
        self.key_at(value, 0)
    }

    fn key_at(&mut self, value: Value, depth: usize) -> Eval<HashKey> {
        if depth > MOST_DEPTH {
            return Err(Exceeded::Depth(" while hashing").into());
        }
        self.budget.step()?;
        Ok(match value {
            Value::None => HashKey::None,
            Value::Ellipsis => HashKey::Ellipsis,
            Value::Bool(bool) => HashKey::Int(i64::from(bool)),
            Value::Int(int) => HashKey::Int(int),
            Value::Big(big) => self.keys.big(&self.heap[big], &self.budget)?,
            Value::Float(float) => self.keys.float(float, &self.budget)?,
            Value::Str(text) => self.keys.text(&self.heap[text], &self.budget)?,
            Value::Bytes(bytes) => self.keys.bytes(&self.heap[bytes], &self.budget)?,
            Value::Tuple(tuple) => self.tuple_key(tuple, depth)?,
            Value::Range(range) => self.keys.range(self.heap[range], &self.budget)?,
            Value::Iterator(handle) => HashKey::Object('i', handle.index()),
            Value::Function(handle) => HashKey::Object('f', handle.index()),
            Value::Method(handle) => HashKey::Object('m', handle.index()),
            Value::Exception(handle) => HashKey::Object('e', handle.index()),
            Value::Host(function) => HashKey::Host(function),
            Value::Native(native) => HashKey::Named(native.name),
            Value::Class(class) => HashKey::Class(class),
            Value::List(_) | Value::Dict(_) | Value::Set(_) | Value::Slice(_) | Value::View(..) => {
                let class = Class::of(value, &self.heap).name();
                return Err(type_error(format!("unhashable type: '{class}'")));
            }
        })
    }

    /// Returns the key of a tuple. Its items are read only once, no matter how often the tuple is shared.
    fn tuple_key(&mut self, tuple: HeapRef<Tuple>, depth: usize) -> Eval<HashKey> {
        if let Some(known) = HashKeys::known(&self.heap[tuple]) {
            return Ok(known);
        }
        let items = self.heap[tuple].read(&self.budget)?;
        let room = self.budget.reserve(items.len() * size_of::<HashKey>())?;
        let keys = items.iter().map(|item| self.key_at(*item, depth + 1));
        let keys = keys.collect::<Eval<Vec<_>>>()?;
        drop(room);
        self.keys.tuple(&self.heap[tuple], keys, &self.budget)
    }
}

pub(crate) fn is_set_like(value: Value) -> bool {
    matches!(value, Value::Set(_) | Value::View(DictView::Keys | DictView::Items, _))
}

fn holds(op: CmpOp, order: Ordering) -> bool {
    match op {
        CmpOp::Lt => order.is_lt(),
        CmpOp::LtE => order.is_le(),
        CmpOp::Gt => order.is_gt(),
        _ => order.is_ge(),
    }
}
