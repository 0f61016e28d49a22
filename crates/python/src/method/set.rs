//! Methods of sets.

use ruff_python_ast::Operator;

use crate::builtin::{Arity, Native};
use crate::machine::operate::combined;
use crate::machine::{Args, Machine};
use crate::value::{Eval, ExceptionKind, HeapRef, Set, Value, fault, key_error, type_error};

pub(super) static METHODS: &[Native] = &[
    Native::new("copy", Arity::Zero, copy),
    Native::new("difference", Arity::Any, difference),
    Native::new("intersection", Arity::Any, intersection),
    Native::new("isdisjoint", Arity::One, isdisjoint),
    Native::new("issubset", Arity::One, issubset),
    Native::new("issuperset", Arity::One, issuperset),
    Native::new("symmetric_difference", Arity::One, symmetric_difference),
    Native::new("union", Arity::Any, union),
    Native::new("add", Arity::One, add),
    Native::new("clear", Arity::Zero, clear),
    Native::new("difference_update", Arity::Any, difference_update),
    Native::new("discard", Arity::One, discard),
    Native::new("intersection_update", Arity::Any, intersection_update),
    Native::new("pop", Arity::Zero, pop),
    Native::new("remove", Arity::One, remove),
    Native::new("symmetric_difference_update", Arity::One, symmetric_difference_update),
    Native::new("update", Arity::Any, update),
];

/// Returns the set on which a method was called. The method table allows no other receiver.
fn receiver(value: Value) -> Eval<HeapRef<Set>> {
    match value {
        Value::Set(set) => Ok(set),
        _ => Err(type_error("a set is needed")),
    }
}

/// Combines the receiver with every argument in turn.
fn folded(machine: &mut Machine<'_>, set: Value, op: Operator, others: &Args) -> Eval<Set> {
    let mut result = machine.members(set)?;
    for other in others.positional.read()? {
        let other = machine.members(*other)?;
        result = combined(op, &result, &other)?;
    }
    Ok(result)
}

fn new(machine: &mut Machine<'_>, members: Set) -> Eval<Value> {
    machine.set(members).map(Value::Set)
}

fn replace(machine: &mut Machine<'_>, set: Value, op: Operator, args: &Args) -> Eval<Value> {
    let members = folded(machine, set, op, args)?;
    machine.heap[receiver(set)?] = members;
    Ok(Value::None)
}

fn copy(machine: &mut Machine<'_>, set: Value, _: &Args) -> Eval<Value> {
    let members = machine.members(set)?;
    new(machine, members)
}

fn difference(machine: &mut Machine<'_>, set: Value, args: &Args) -> Eval<Value> {
    let members = folded(machine, set, Operator::Sub, args)?;
    new(machine, members)
}

fn intersection(machine: &mut Machine<'_>, set: Value, args: &Args) -> Eval<Value> {
    let members = folded(machine, set, Operator::BitAnd, args)?;
    new(machine, members)
}

fn symmetric_difference(machine: &mut Machine<'_>, set: Value, args: &Args) -> Eval<Value> {
    let members = folded(machine, set, Operator::BitXor, args)?;
    new(machine, members)
}

fn union(machine: &mut Machine<'_>, set: Value, args: &Args) -> Eval<Value> {
    let members = folded(machine, set, Operator::BitOr, args)?;
    new(machine, members)
}

fn difference_update(machine: &mut Machine<'_>, set: Value, args: &Args) -> Eval<Value> {
    replace(machine, set, Operator::Sub, args)
}

fn intersection_update(machine: &mut Machine<'_>, set: Value, args: &Args) -> Eval<Value> {
    replace(machine, set, Operator::BitAnd, args)
}

fn symmetric_difference_update(machine: &mut Machine<'_>, set: Value, args: &Args) -> Eval<Value> {
    replace(machine, set, Operator::BitXor, args)
}

fn update(machine: &mut Machine<'_>, set: Value, args: &Args) -> Eval<Value> {
    for items in args.positional.read()? {
        let items = machine.iterate(*items)?;
        while let Some(item) = machine.next(items)? {
            machine.add(receiver(set)?, item)?;
        }
    }
    Ok(Value::None)
}

fn isdisjoint(machine: &mut Machine<'_>, set: Value, args: &Args) -> Eval<Value> {
    let common = folded(machine, set, Operator::BitAnd, args)?;
    Ok(Value::Bool(common.len() == 0))
}

fn issubset(machine: &mut Machine<'_>, set: Value, args: &Args) -> Eval<Value> {
    let extra = folded(machine, set, Operator::Sub, args)?;
    Ok(Value::Bool(extra.len() == 0))
}

fn issuperset(machine: &mut Machine<'_>, set: Value, args: &Args) -> Eval<Value> {
    let other = machine.members(args.at(0))?;
    let set = machine.members(set)?;
    let missing = combined(Operator::Sub, &other, &set)?;
    Ok(Value::Bool(missing.len() == 0))
}

fn add(machine: &mut Machine<'_>, set: Value, args: &Args) -> Eval<Value> {
    machine.add(receiver(set)?, args.at(0))?;
    Ok(Value::None)
}

fn clear(machine: &mut Machine<'_>, set: Value, _: &Args) -> Eval<Value> {
    machine.heap[receiver(set)?] = Set::new(&machine.budget)?;
    Ok(Value::None)
}

fn discard(machine: &mut Machine<'_>, set: Value, args: &Args) -> Eval<Value> {
    take(machine, set, args).map(|_| Value::None)
}

fn remove(machine: &mut Machine<'_>, set: Value, args: &Args) -> Eval<Value> {
    match take(machine, set, args)? {
        Some(_) => Ok(Value::None),
        None => Err(key_error(args.at(0))),
    }
}

fn take(machine: &mut Machine<'_>, set: Value, args: &Args) -> Eval<Option<Value>> {
    let key = machine.key(args.at(0))?;
    let set = receiver(set)?;
    Ok(machine.heap[set].remove(key)?.map(|entry| entry.key))
}

fn pop(machine: &mut Machine<'_>, set: Value, _: &Args) -> Eval<Value> {
    let set = receiver(set)?;
    match machine.heap[set].next(0)? {
        Some((first, _)) => {
            machine.heap[set].remove(first.hashed)?;
            Ok(first.key)
        }
        None => Err(fault(ExceptionKind::KeyError, "pop from an empty set")),
    }
}
