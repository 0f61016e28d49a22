//! Methods of dicts.

use crate::builtin::{Arity, Native};
use crate::machine::{Args, Machine};
use crate::value::{Dict, DictView, Eval, ExceptionKind, HeapRef, Value, fault, key_error, type_error};

pub(super) static METHODS: &[Native] = &[
    Native::new("clear", Arity::Zero, clear),
    Native::new("copy", Arity::Zero, copy),
    Native::new("get", Arity::Between(1, 2), get),
    Native::new("items", Arity::Zero, items),
    Native::new("keys", Arity::Zero, keys),
    Native::new("pop", Arity::Between(1, 2), pop),
    Native::new("popitem", Arity::Zero, popitem),
    Native::new("setdefault", Arity::Between(1, 2), setdefault),
    Native::new("update", Arity::Between(0, 1), update).with_keywords(&["**"]),
    Native::new("values", Arity::Zero, values),
];

/// The method `dict.fromkeys(keys, value)`.
pub(crate) static FROM_KEYS: Native = Native::new("fromkeys", Arity::Between(1, 2), from_keys);

/// Returns the dict on which a method was called. The method table allows no other receiver.
fn receiver(value: Value) -> Eval<HeapRef<Dict>> {
    match value {
        Value::Dict(dict) => Ok(dict),
        _ => Err(type_error("a dict is needed")),
    }
}

fn from_keys(machine: &mut Machine<'_>, _: Value, args: &Args) -> Eval<Value> {
    let dict = machine.dict()?;
    let keys = machine.iterate(args.at(0))?;
    while let Some(key) = machine.next(keys)? {
        machine.put(dict, key, args.at(1))?;
    }
    Ok(Value::Dict(dict))
}

fn clear(machine: &mut Machine<'_>, dict: Value, _: &Args) -> Eval<Value> {
    machine.heap[receiver(dict)?] = Dict::new(&machine.budget)?;
    Ok(Value::None)
}

fn copy(machine: &mut Machine<'_>, dict: Value, _: &Args) -> Eval<Value> {
    let copy = machine.dict()?;
    machine.merge(copy, receiver(dict)?)?;
    Ok(Value::Dict(copy))
}

fn get(machine: &mut Machine<'_>, dict: Value, args: &Args) -> Eval<Value> {
    let key = machine.key(args.at(0))?;
    let entry = machine.heap[receiver(dict)?].get(key);
    Ok(entry.map_or(args.at(1), |entry| entry.value))
}

fn items(_: &mut Machine<'_>, dict: Value, _: &Args) -> Eval<Value> {
    receiver(dict).map(|dict| Value::View(DictView::Items, dict))
}

fn keys(_: &mut Machine<'_>, dict: Value, _: &Args) -> Eval<Value> {
    receiver(dict).map(|dict| Value::View(DictView::Keys, dict))
}

fn values(_: &mut Machine<'_>, dict: Value, _: &Args) -> Eval<Value> {
    receiver(dict).map(|dict| Value::View(DictView::Values, dict))
}

fn pop(machine: &mut Machine<'_>, dict: Value, args: &Args) -> Eval<Value> {
    let key = machine.key(args.at(0))?;
    let dict = receiver(dict)?;
    match machine.heap[dict].remove(key)? {
        Some(entry) => Ok(entry.value),
        None => args.get(1).ok_or_else(|| key_error(args.at(0))),
    }
}

fn popitem(machine: &mut Machine<'_>, dict: Value, _: &Args) -> Eval<Value> {
    let dict = receiver(dict)?;
    match machine.heap[dict].previous(usize::MAX)? {
        Some((last, _)) => {
            machine.heap[dict].remove(last.hashed)?;
            machine.tuple(&[last.key, last.value])
        }
        None => Err(fault(ExceptionKind::KeyError, "popitem(): dictionary is empty")),
    }
}

fn setdefault(machine: &mut Machine<'_>, dict: Value, args: &Args) -> Eval<Value> {
    let dict = receiver(dict)?;
    let key = machine.key(args.at(0))?;
    if let Some(entry) = machine.heap[dict].get(key) {
        return Ok(entry.value);
    }
    machine.put_hashed(dict, key, args.at(0), args.at(1))?;
    Ok(args.at(1))
}

fn update(machine: &mut Machine<'_>, dict: Value, args: &Args) -> Eval<Value> {
    machine.update(receiver(dict)?, args)?;
    Ok(Value::None)
}
