//! Methods of strings: searching them.

use std::cmp::Ordering;
use std::rc::Rc;

use super::string::receiver;
use crate::builtin::{Arity, Native};
use crate::machine::{Args, Machine};
use crate::value::{Class, Eval, Number, Value, type_error, value_error};

pub(super) static METHODS: &[Native] = &[
    Native::new("count", Arity::OneToThree, count),
    Native::new("endswith", Arity::OneToThree, endswith),
    Native::new("find", Arity::OneToThree, find),
    Native::new("index", Arity::OneToThree, index),
    Native::new("rfind", Arity::OneToThree, rfind),
    Native::new("rindex", Arity::OneToThree, rindex),
    Native::new("startswith", Arity::OneToThree, startswith),
];

/// The part of a string in which a method searches.
struct Part {
    text: Rc<str>,
    /// Where the part starts, in characters and in bytes, and where it ends in bytes.
    first: usize,
    from: usize,
    to: usize,
}

impl Part {
    /// Returns the part that the optional arguments after the first specify, or `None` if its start is after its end.
    fn of(machine: &mut Machine<'_>, value: Value, args: &Args) -> Eval<Option<Part>> {
        let text = receiver(machine, value)?;
        // Indices are counted in characters.
        machine.budget.scan(3 * text.len())?;
        let len = text.chars().count();
        let first = machine.clamped_place(args.at(1), len)?;
        let last = match args.at(2) {
            Value::None => len,
            last => machine.clamped_place(last, len)?,
        };
        // An index after the end is different from an empty part: not even an empty string is found there.
        let behind = match args.get(1).and_then(|first| machine.number_of(first)) {
            Some(first) => first
                .order(&Number::Int(len as i64), &machine.budget)?
                .is_some_and(Ordering::is_gt),
            None => false,
        };
        if first > last || behind {
            return Ok(None);
        }
        let byte = |place: usize| text.char_indices().nth(place).map_or(text.len(), |(at, _)| at);
        let (from, to) = (byte(first), byte(last));
        Ok(Some(Part { text, first, from, to }))
    }

    fn str(&self) -> &str {
        &self.text[self.from..self.to]
    }

    /// Converts a byte offset in the part to a character index in the whole string.
    fn place(&self, at: usize) -> i64 {
        (self.first + self.str()[..at].chars().count()) as i64
    }
}

/// Returns the string to search for.
fn wanted(machine: &Machine<'_>, args: &Args) -> Eval<Rc<str>> {
    let value = args.at(0);
    machine.text_of(value)?.ok_or_else(|| {
        let class = Class::of(value, &machine.heap).name();
        type_error(format!("must be str, not {class}"))
    })
}

fn count(machine: &mut Machine<'_>, value: Value, args: &Args) -> Eval<Value> {
    let wanted = wanted(machine, args)?;
    let Some(part) = Part::of(machine, value, args)? else {
        return Ok(Value::Int(0));
    };
    let count = if wanted.is_empty() {
        part.str().chars().count() + 1
    } else {
        part.str().matches(&*wanted).count()
    };
    Ok(Value::Int(count as i64))
}

fn find(machine: &mut Machine<'_>, value: Value, args: &Args) -> Eval<Value> {
    Ok(Value::Int(
        search(machine, value, args, |part, wanted| part.find(wanted))?.unwrap_or(-1),
    ))
}

fn rfind(machine: &mut Machine<'_>, value: Value, args: &Args) -> Eval<Value> {
    Ok(Value::Int(
        search(machine, value, args, |part, wanted| part.rfind(wanted))?.unwrap_or(-1),
    ))
}

fn index(machine: &mut Machine<'_>, value: Value, args: &Args) -> Eval<Value> {
    let found = search(machine, value, args, |part, wanted| part.find(wanted))?;
    found.map(Value::Int).ok_or_else(|| value_error("substring not found"))
}

fn rindex(machine: &mut Machine<'_>, value: Value, args: &Args) -> Eval<Value> {
    let found = search(machine, value, args, |part, wanted| part.rfind(wanted))?;
    found.map(Value::Int).ok_or_else(|| value_error("substring not found"))
}

fn search(
    machine: &mut Machine<'_>,
    value: Value,
    args: &Args,
    how: fn(&str, &str) -> Option<usize>,
) -> Eval<Option<i64>> {
    let wanted = wanted(machine, args)?;
    let part = Part::of(machine, value, args)?;
    Ok(part.and_then(|part| how(part.str(), &wanted).map(|at| part.place(at))))
}

fn startswith(machine: &mut Machine<'_>, value: Value, args: &Args) -> Eval<Value> {
    with(machine, value, args, "startswith", |part, wanted| {
        part.starts_with(wanted)
    })
}

fn endswith(machine: &mut Machine<'_>, value: Value, args: &Args) -> Eval<Value> {
    with(machine, value, args, "endswith", |part, wanted| part.ends_with(wanted))
}

/// Checks whether a part starts or ends with a string, or with one of a tuple of strings.
fn with(
    machine: &mut Machine<'_>,
    value: Value,
    args: &Args,
    method: &str,
    how: fn(&str, &str) -> bool,
) -> Eval<Value> {
    let candidates = match args.at(0) {
        Value::Tuple(tuple) => machine.heap[tuple].read(&machine.budget)?,
        candidate => Rc::from([candidate]),
    };
    let part = Part::of(machine, value, args)?;
    for candidate in candidates.iter() {
        machine.budget.step()?;
        let Some(text) = machine.text_of(*candidate)? else {
            let class = Class::of(*candidate, &machine.heap).name();
            return Err(type_error(match args.at(0) {
                Value::Tuple(_) => format!("tuple for {method} must only contain str, not {class}"),
                _ => format!("{method} first arg must be str or a tuple of str, not {class}"),
            }));
        };
        if part.as_ref().is_some_and(|part| how(part.str(), &text)) {
            return Ok(Value::Bool(true));
        }
    }
    Ok(Value::Bool(false))
}
