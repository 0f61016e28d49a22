//! Binary operators on values.

use std::rc::Rc;

use num_traits::ToPrimitive;
use ruff_python_ast::Operator;

use super::Machine;
use super::compare::is_set_like;
use crate::python::value::number::arithmetic;
use crate::python::value::{Class, Dict, Handle, Key, Number, Run, Set, Stop, Value, overflow_error, type_error};

impl Machine<'_> {
    /// `a op b`.
    pub(crate) fn operate(&mut self, op: Operator, a: Value, b: Value) -> Run<Value> {
        match self.result(op, a, b)? {
            Some(value) => Ok(value),
            None => Err(self.unsupported(op, op.as_str(), a, b)),
        }
    }

    /// `a op= b`: what can change changes, everything else is replaced.
    pub(super) fn operate_in_place(&mut self, op: Operator, a: Value, b: Value) -> Run<Value> {
        match (op, a, b) {
            (Operator::Add, Value::List(list), _) => {
                self.extend(list, b)?;
                return Ok(a);
            }
            (Operator::Mult, Value::List(list), _) => {
                if let Some(times) = self.integer_of(b) {
                    let times = self.times(&times, self.heap[list].len() * size_of::<Value>())?;
                    let repeated = self.heap[list].repeat(times);
                    self.budget.charge(size_of_val(repeated.as_slice()))?;
                    self.heap[list] = repeated;
                    return Ok(a);
                }
            }
            (Operator::BitOr, Value::Dict(dict), Value::Dict(other)) => {
                self.merge(dict, other)?;
                return Ok(a);
            }
            (_, Value::Set(set), _) if is_set_like(b) => {
                if let Some(Value::Set(result)) = self.result(op, a, b)? {
                    self.heap[set] = std::mem::take(&mut self.heap[result]);
                    return Ok(a);
                }
            }
            _ => {}
        }
        match self.result(op, a, b)? {
            Some(value) => Ok(value),
            None => Err(self.unsupported(op, &format!("{}=", op.as_str()), a, b)),
        }
    }

    fn result(&mut self, op: Operator, a: Value, b: Value) -> Run<Option<Value>> {
        if let (Some(left), Some(right)) = (self.number_of(a), self.number_of(b)) {
            if let Some(bool) = bools(op, a, b) {
                return Ok(Some(Value::Bool(bool)));
            }
            let result = arithmetic(op, &left, &right, &mut self.budget)?;
            return result.map(|number| self.number(number)).transpose();
        }
        match op {
            Operator::Add => self.concatenate(a, b),
            Operator::Mult => match (self.integer_of(a), self.integer_of(b)) {
                (None, Some(times)) => self.repeated(a, &times),
                (Some(times), None) => self.repeated(b, &times),
                _ => Ok(None),
            },
            Operator::Mod => match a {
                Value::Str(text) => {
                    let text = Rc::clone(&self.heap[text].text);
                    self.percent(&text, b).map(Some)
                }
                _ => Ok(None),
            },
            Operator::BitOr => match (a, b) {
                (Value::Dict(left), Value::Dict(right)) => {
                    let union = self.dict()?;
                    self.merge(union, left)?;
                    self.merge(union, right)?;
                    Ok(Some(Value::Dict(union)))
                }
                _ => self.combine(op, a, b),
            },
            Operator::BitAnd | Operator::BitXor | Operator::Sub => self.combine(op, a, b),
            _ => Ok(None),
        }
    }

    fn concatenate(&mut self, a: Value, b: Value) -> Run<Option<Value>> {
        match (a, b) {
            (Value::Str(left), Value::Str(right)) => {
                let (left, right) = (&self.heap[left].text, &self.heap[right].text);
                self.budget.room(left.len() + right.len())?;
                let text = [&**left, &**right].concat();
                self.budget.scan(text.len())?;
                self.string(text).map(Some)
            }
            (Value::List(left), Value::List(right)) => {
                let (left, right) = (&self.heap[left], &self.heap[right]);
                self.budget.room((left.len() + right.len()) * size_of::<Value>())?;
                let items = [left.as_slice(), right].concat();
                self.budget.spend(items.len() as u64 / 8)?;
                self.list(items).map(Some)
            }
            (Value::Tuple(left), Value::Tuple(right)) => {
                let (left, right) = (&self.heap[left], &self.heap[right]);
                self.budget.room((left.len() + right.len()) * size_of::<Value>())?;
                let items = [&**left, &**right].concat();
                self.budget.spend(items.len() as u64 / 8)?;
                self.tuple(items).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// How often something of so many bytes is repeated, once the result is known to fit.
    fn times(&mut self, times: &Number, bytes: usize) -> Run<usize> {
        let times = match times {
            Number::Int(int) => usize::try_from(*int).unwrap_or(0),
            Number::Big(big) if big.to_f64().is_some_and(|big| big < 0.0) => 0,
            _ => return Err(overflow_error("cannot fit 'int' into an index-sized integer")),
        };
        let bytes = bytes.saturating_mul(times);
        self.budget.room(bytes)?;
        self.budget.scan(bytes)?;
        Ok(times)
    }

    fn repeated(&mut self, value: Value, times: &Number) -> Run<Option<Value>> {
        match value {
            Value::Str(handle) => {
                let text = Rc::clone(&self.heap[handle].text);
                let times = self.times(times, text.len())?;
                self.string(text.repeat(times)).map(Some)
            }
            Value::List(handle) => {
                let times = self.times(times, self.heap[handle].len() * size_of::<Value>())?;
                let items = self.heap[handle].repeat(times);
                self.list(items).map(Some)
            }
            Value::Tuple(handle) => {
                let items = Rc::clone(&self.heap[handle]);
                let times = self.times(times, items.len() * size_of::<Value>())?;
                self.tuple(items.repeat(times)).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// `|`, `&`, `^` and `-` of sets and set-like views; a view takes anything that can be iterated over.
    fn combine(&mut self, op: Operator, a: Value, b: Value) -> Run<Option<Value>> {
        if !is_set_like(a) || !is_set_like(b) && !matches!(a, Value::View(..)) {
            return Ok(None);
        }
        let (left, right) = (self.members(a)?, self.members(b)?);
        let set = self.set(combined(op, &left, &right))?;
        Ok(Some(match a {
            Value::FrozenSet(_) => Value::FrozenSet(set),
            _ => Value::Set(set),
        }))
    }

    /// Puts every entry of another dict into this one.
    pub(crate) fn merge(&mut self, into: Handle<Dict>, from: Handle<Dict>) -> Run<()> {
        let size = self.heap[from].len();
        self.budget.spend(size as u64)?;
        self.budget.room(size * Dict::ENTRY_BYTES)?;
        let entries: Vec<_> = self.heap[from]
            .iter()
            .map(|(key, entry)| (key.clone(), entry))
            .collect();
        for (key, entry) in entries {
            self.put_hashed(into, key, entry.key, entry.value)?;
        }
        Ok(())
    }

    /// Appends one value after the other: what came before an error stays.
    pub(crate) fn extend(&mut self, list: Handle<Vec<Value>>, items: Value) -> Run<()> {
        if let Value::List(_) | Value::Tuple(_) = items {
            // It may be the list itself, of which only what is there now is meant.
            let items = self.collect(items)?;
            self.budget.charge(2 * size_of_val(items.as_slice()))?;
            self.heap[list].extend(items);
            return Ok(());
        }
        let items = self.iterate(items)?;
        while let Some(item) = self.next(items)? {
            self.append(list, item)?;
        }
        Ok(())
    }

    fn unsupported(&self, op: Operator, written: &str, a: Value, b: Value) -> Stop {
        let (left, right) = (Class::of(a, &self.heap).name(), Class::of(b, &self.heap).name());
        let in_place = written.len() > op.as_str().len();
        type_error(match (op, a) {
            (Operator::Add, Value::Str(_) | Value::List(_) | Value::Tuple(_)) => match (a, in_place) {
                (Value::List(_), true) => format!("'{right}' object is not iterable"),
                _ => format!("can only concatenate {left} (not \"{right}\") to {left}"),
            },
            (Operator::Mult, Value::Str(_) | Value::List(_) | Value::Tuple(_)) => {
                format!("can't multiply sequence by non-int of type '{right}'")
            }
            (Operator::Mult, _) if matches!(b, Value::Str(_) | Value::List(_) | Value::Tuple(_)) => {
                format!("can't multiply sequence by non-int of type '{left}'")
            }
            (Operator::Pow, _) if !in_place => {
                format!("unsupported operand type(s) for ** or pow(): '{left}' and '{right}'")
            }
            _ => format!("unsupported operand type(s) for {written}: '{left}' and '{right}'"),
        })
    }
}

/// `&`, `|` and `^` of two bools stay bools.
fn bools(op: Operator, a: Value, b: Value) -> Option<bool> {
    let (Value::Bool(a), Value::Bool(b)) = (a, b) else {
        return None;
    };
    match op {
        Operator::BitAnd => Some(a & b),
        Operator::BitOr => Some(a | b),
        Operator::BitXor => Some(a ^ b),
        _ => None,
    }
}

/// The set that an operator makes of two; the order is that of the left one, then of the right one.
pub(crate) fn combined(op: Operator, left: &Set, right: &Set) -> Set {
    let mut result = Set::default();
    let mut take = |set: &Set, wanted: &dyn Fn(&Key) -> bool| {
        for (key, entry) in set.iter().filter(|(key, _)| wanted(key)) {
            result.insert(key.clone(), entry.key, ());
        }
    };
    match op {
        Operator::BitOr => {
            take(left, &|_| true);
            take(right, &|_| true);
        }
        Operator::BitAnd => take(left, &|key| right.contains(key)),
        Operator::Sub => take(left, &|key| !right.contains(key)),
        _ => {
            take(left, &|key| !right.contains(key));
            take(right, &|key| !left.contains(key));
        }
    }
    result
}
