//! Binary operators on values.

use ruff_python_ast::Operator;

use super::Machine;
use super::compare::is_set_like;
use crate::value::number::arithmetic;
use crate::value::{Class, Dict, Eval, HeapRef, List, Number, Set, Unwind, Value, overflow_error, type_error};

impl Machine<'_> {
    /// Evaluates `a op b`.
    pub(crate) fn operate(&mut self, op: Operator, a: Value, b: Value) -> Eval<Value> {
        match self.result(op, a, b)? {
            Some(value) => Ok(value),
            None => Err(self.unsupported(op, op.as_str(), a, b)),
        }
    }

    /// Evaluates `a op= b`: mutable values change in place, everything else is replaced.
    pub(super) fn operate_in_place(&mut self, op: Operator, a: Value, b: Value) -> Eval<Value> {
        match (op, a, b) {
            (Operator::Add, Value::List(list), _) => {
                self.extend(list, b)?;
                return Ok(a);
            }
            (Operator::Mult, Value::List(list), _) => {
                if let Some(times) = self.integer_of(b) {
                    let times = times_of(&times)?;
                    self.heap[list].repeat(times)?;
                    return Ok(a);
                }
            }
            (Operator::BitOr, Value::Dict(dict), Value::Dict(other)) => {
                self.merge(dict, other)?;
                return Ok(a);
            }
            (_, Value::Set(set), _) if is_set_like(b) => {
                if let Some(Value::Set(result)) = self.result(op, a, b)? {
                    let empty = Set::new(&self.budget)?;
                    self.heap[set] = std::mem::replace(&mut self.heap[result], empty);
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

    fn result(&mut self, op: Operator, a: Value, b: Value) -> Eval<Option<Value>> {
        if let (Some(left), Some(right)) = (self.number_of(a), self.number_of(b)) {
            if let Some(bool) = bools(op, a, b) {
                return Ok(Some(Value::Bool(bool)));
            }
            let result = arithmetic(op, &left, &right, &self.budget)?;
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
                    let text = self.heap[text].read(&self.budget)?;
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

    fn concatenate(&mut self, a: Value, b: Value) -> Eval<Option<Value>> {
        match (a, b) {
            (Value::Str(left), Value::Str(right)) => {
                let mut text = self.buffer()?;
                for part in [left, right] {
                    text.push_str(&self.heap[part].read(&self.budget)?)?;
                }
                self.written(text).map(Some)
            }
            (Value::List(left), Value::List(right)) => {
                let mut items = self.heap[left].again()?;
                items.extend(self.heap[right].read()?)?;
                self.list(items).map(Some)
            }
            (Value::Tuple(left), Value::Tuple(right)) => {
                let mut items = self.values()?;
                for part in [left, right] {
                    items.extend(&self.heap[part].read(&self.budget)?)?;
                }
                self.tuple(items.read()?).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn repeated(&mut self, value: Value, times: &Number) -> Eval<Option<Value>> {
        match value {
            Value::Str(handle) => {
                let mut text = self.buffer()?;
                text.repeat(&self.heap[handle].read(&self.budget)?, times_of(times)?)?;
                self.written(text).map(Some)
            }
            Value::List(handle) => {
                let mut items = self.heap[handle].again()?;
                items.repeat(times_of(times)?)?;
                self.list(items).map(Some)
            }
            Value::Tuple(handle) => {
                let mut items = self.values()?;
                items.extend(&self.heap[handle].read(&self.budget)?)?;
                items.repeat(times_of(times)?)?;
                self.tuple(items.read()?).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Evaluates `|`, `&`, `^` and `-` on sets and set-like views; a view accepts any iterable.
    fn combine(&mut self, op: Operator, a: Value, b: Value) -> Eval<Option<Value>> {
        if !is_set_like(a) || !is_set_like(b) && !matches!(a, Value::View(..)) {
            return Ok(None);
        }
        let (left, right) = (self.members(a)?, self.members(b)?);
        let set = self.set(combined(op, &left, &right)?)?;
        Ok(Some(Value::Set(set)))
    }

    /// Puts every entry of another dict into this one.
    pub(crate) fn merge(&mut self, into: HeapRef<Dict>, from: HeapRef<Dict>) -> Eval<()> {
        for entry in self.heap[from].entries()? {
            self.put_hashed(into, entry.hashed, entry.key, entry.value)?;
        }
        Ok(())
    }

    /// Appends values one by one. Those before an error stay in the list.
    pub(crate) fn extend(&mut self, list: HeapRef<List>, items: Value) -> Eval<()> {
        if let Value::List(_) | Value::Tuple(_) = items {
            // If a list extends itself, only its current items are appended.
            let items = self.collect(items)?;
            return self.heap[list].extend(items.read()?);
        }
        let items = self.iterate(items)?;
        while let Some(item) = self.next(items)? {
            self.append(list, item)?;
        }
        Ok(())
    }

    fn unsupported(&self, op: Operator, written: &str, a: Value, b: Value) -> Unwind {
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

/// Evaluates `&`, `|` and `^` on two bools, which result in a bool.
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

/// Returns how many times something is repeated.
fn times_of(times: &Number) -> Eval<usize> {
    match times {
        Number::Int(int) => Ok(usize::try_from(*int).unwrap_or(0)),
        _ if times.is_negative() => Ok(0),
        _ => Err(overflow_error("cannot fit 'int' into an index-sized integer")),
    }
}

/// Combines two sets with an operator; the left set's order comes first, then the right one's.
pub(crate) fn combined(op: Operator, left: &Set, right: &Set) -> Eval<Set> {
    let mut result = left.empty()?;
    let mut take = |from: &Set, other: &Set, shared: Option<bool>| -> Eval<()> {
        for entry in from.read()? {
            if shared.is_none_or(|shared| other.contains(entry.hashed) == shared) {
                result.insert(entry.hashed, entry.key, ())?;
            }
        }
        Ok(())
    };
    match op {
        Operator::BitOr => {
            take(left, right, None)?;
            take(right, left, None)?;
        }
        Operator::BitAnd => take(left, right, Some(true))?,
        Operator::Sub => take(left, right, Some(false))?,
        _ => {
            take(left, right, Some(false))?;
            take(right, left, Some(false))?;
        }
    }
    Ok(result)
}
