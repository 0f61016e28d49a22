//! Methods of lists, and those that lists share with tuples and ranges.

use crate::builtin::{Arity, Native};
use crate::machine::{Args, Machine};
use crate::value::{Class, Eval, HeapRef, List, Value, index_error, value_error};

pub(super) static METHODS: &[Native] = &[
    Native::new("append", Arity::One, append),
    Native::new("clear", Arity::Zero, clear),
    Native::new("copy", Arity::Zero, copy),
    Native::new("extend", Arity::One, extend),
    Native::new("insert", Arity::Between(2, 2), insert),
    Native::new("pop", Arity::Between(0, 1), pop),
    Native::new("remove", Arity::One, remove),
    Native::new("reverse", Arity::Zero, reverse),
    Native::new("sort", Arity::Any, sort).with_keywords(&["key", "reverse"]),
];

pub(super) static SEQUENCE_METHODS: &[Native] = &[
    Native::new("count", Arity::One, count),
    Native::new("index", Arity::Between(1, 3), index),
];

/// Returns the list on which a method was called. The method table allows no other receiver.
fn receiver(value: Value) -> Eval<HeapRef<List>> {
    match value {
        Value::List(list) => Ok(list),
        _ => Err(crate::value::type_error("a list is needed")),
    }
}

fn append(machine: &mut Machine<'_>, list: Value, args: &Args) -> Eval<Value> {
    machine.append(receiver(list)?, args.at(0))?;
    Ok(Value::None)
}

fn clear(machine: &mut Machine<'_>, list: Value, _: &Args) -> Eval<Value> {
    machine.heap[receiver(list)?].clear();
    Ok(Value::None)
}

fn copy(machine: &mut Machine<'_>, list: Value, _: &Args) -> Eval<Value> {
    let list = receiver(list)?;
    let items = machine.heap[list].again()?;
    machine.list(items)
}

fn extend(machine: &mut Machine<'_>, list: Value, args: &Args) -> Eval<Value> {
    machine.extend(receiver(list)?, args.at(0))?;
    Ok(Value::None)
}

fn insert(machine: &mut Machine<'_>, list: Value, args: &Args) -> Eval<Value> {
    let list = receiver(list)?;
    machine.size_argument(args.at(0))?;
    let len = machine.heap[list].len();
    let place = machine.clamped_place(args.at(0), len)?;
    machine.heap[list].insert(place, args.at(1))?;
    Ok(Value::None)
}

fn pop(machine: &mut Machine<'_>, list: Value, args: &Args) -> Eval<Value> {
    let list = receiver(list)?;
    let len = machine.heap[list].len();
    let place = args.get(0).map_or(Ok(-1), |place| machine.size_argument(place))?;
    if len == 0 {
        return Err(index_error("pop from empty list"));
    }
    let place = if place < 0 {
        place.saturating_add(len as i64)
    } else {
        place
    };
    let place = usize::try_from(place).ok().filter(|place| *place < len);
    let place = place.ok_or_else(|| index_error("pop index out of range"))?;
    machine.heap[list].remove(place)
}

fn remove(machine: &mut Machine<'_>, list: Value, args: &Args) -> Eval<Value> {
    let list = receiver(list)?;
    let mut place = 0;
    while let Some(item) = machine.heap[list].get(place) {
        if machine.equal_item(item, args.at(0))? {
            machine.heap[list].remove(place)?;
            return Ok(Value::None);
        }
        place += 1;
    }
    Err(value_error("list.remove(x): x not in list"))
}

fn reverse(machine: &mut Machine<'_>, list: Value, _: &Args) -> Eval<Value> {
    machine.heap[receiver(list)?].reverse()?;
    Ok(Value::None)
}

fn sort(machine: &mut Machine<'_>, list: Value, args: &Args) -> Eval<Value> {
    if !args.positional.is_empty() {
        return Err(crate::value::type_error("sort() takes no positional arguments"));
    }
    let list = receiver(list)?;
    // A key function that looks at the list while it is being sorted sees an empty list.
    let items = machine.heap[list].take()?;
    let sorted = machine.sort(&items, args);
    let changed = !machine.heap[list].is_empty();
    match sorted {
        Ok(sorted) => machine.heap[list] = sorted,
        Err(stop) => {
            machine.heap[list] = items;
            return Err(stop);
        }
    }
    if changed {
        return Err(value_error("list modified during sort"));
    }
    Ok(Value::None)
}

fn count(machine: &mut Machine<'_>, sequence: Value, args: &Args) -> Eval<Value> {
    let items = machine.iterate(sequence)?;
    let mut count = 0;
    while let Some(item) = machine.next(items)? {
        count += i64::from(machine.equal_item(item, args.at(0))?);
    }
    Ok(Value::Int(count))
}

fn index(machine: &mut Machine<'_>, sequence: Value, args: &Args) -> Eval<Value> {
    let items = machine.collect(sequence)?;
    let from = machine.clamped_place(args.at(1), items.len())?;
    let to = match args.get(2) {
        Some(to) => machine.clamped_place(to, items.len())?,
        None => items.len(),
    };
    for (place, item) in items.read()?.iter().enumerate().take(to).skip(from) {
        if machine.equal_item(*item, args.at(0))? {
            return Ok(Value::Int(place as i64));
        }
    }
    let shown = machine.repr(args.at(0))?;
    Err(value_error(match Class::of(sequence, &machine.heap) {
        Class::List => format!("{} is not in list", &*shown),
        Class::Tuple => "tuple.index(x): x not in tuple".to_owned(),
        _ => format!("{} is not in range", &*shown),
    }))
}
