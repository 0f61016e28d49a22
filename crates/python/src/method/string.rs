//! Methods of strings: joining, replacing, formatting, translating.

use std::rc::Rc;

use crate::builtin::{Arity, Native};
use crate::machine::{Args, Machine};
use crate::text::fields::FieldSource;
use crate::value::{Class, Eval, ExceptionKind, HeapRef, Text, Value, fault, type_error, value_error};

pub(super) static METHODS: &[Native] = &[
    Native::new("encode", Arity::Between(0, 2), encode).with_keywords(&["encoding", "errors"]),
    Native::new("format", Arity::Any, format).with_keywords(&["**"]),
    Native::new("format_map", Arity::One, format_map),
    Native::new("join", Arity::One, join),
    Native::new("replace", Arity::Between(2, 3), replace),
    Native::new("translate", Arity::One, translate),
];

/// The method `str.maketrans(from, to, delete)`.
pub(crate) static MAKE_TRANS: Native = Native::new("maketrans", Arity::Between(1, 3), make_trans);

/// Returns the string on which a method was called, charging for one pass over it.
pub(super) fn receiver(machine: &mut Machine<'_>, value: Value) -> Eval<Rc<str>> {
    machine.text_of(value)?.ok_or_else(|| type_error("a str is needed"))
}

/// Returns an argument that must be a string. The error is worded as in most string methods.
pub(super) fn text_argument(machine: &Machine<'_>, method: &str, place: Option<usize>, value: Value) -> Eval<Rc<str>> {
    machine.text_of(value)?.ok_or_else(|| {
        let class = Class::of(value, &machine.heap).name();
        let place = place.map(|place| format!(" {place}")).unwrap_or_default();
        type_error(format!("{method}() argument{place} must be str, not {class}"))
    })
}

fn encode(machine: &mut Machine<'_>, value: Value, _: &Args) -> Eval<Value> {
    let text = receiver(machine, value)?;
    machine.bytes(text.as_bytes())
}

fn format(machine: &mut Machine<'_>, value: Value, args: &Args) -> Eval<Value> {
    let format = receiver(machine, value)?;
    machine.format_string(&format, &mut FieldSource::new(args, None))
}

fn format_map(machine: &mut Machine<'_>, value: Value, args: &Args) -> Eval<Value> {
    let format = receiver(machine, value)?;
    machine.format_string(&format, &mut FieldSource::new(args, Some(args.at(0))))
}

fn join(machine: &mut Machine<'_>, value: Value, args: &Args) -> Eval<Value> {
    let separator = receiver(machine, value)?;
    let items = machine.iterate_or(args.at(0), |_| "can only join an iterable".to_owned())?;
    let mut joined = machine.buffer()?;
    let mut place = 0;
    while let Some(item) = machine.next(items)? {
        let Some(text) = machine.text_of(item)? else {
            let class = Class::of(item, &machine.heap).name();
            return Err(type_error(format!(
                "sequence item {place}: expected str instance, {class} found"
            )));
        };
        if place > 0 {
            joined.push_str(&separator)?;
        }
        joined.push_str(&text)?;
        place += 1;
    }
    machine.written(joined)
}

fn replace(machine: &mut Machine<'_>, value: Value, args: &Args) -> Eval<Value> {
    let text = receiver(machine, value)?;
    let from = text_argument(machine, "replace", Some(1), args.at(0))?;
    let to = text_argument(machine, "replace", Some(2), args.at(1))?;
    let most = args.get(2).map_or(Ok(-1), |most| machine.size_argument(most))?;
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let mut replaced = machine.buffer()?;
    let mut end = 0;
    for (at, part) in text.match_indices(&*from).take(most) {
        machine.budget.walk(1)?;
        replaced.push_str(&text[end..at])?;
        replaced.push_str(&to)?;
        end = at + part.len();
    }
    replaced.push_str(&text[end..])?;
    machine.written(replaced)
}

fn make_trans(machine: &mut Machine<'_>, _: Value, args: &Args) -> Eval<Value> {
    let table = machine.dict()?;
    if args.positional.len() == 1 {
        let Value::Dict(given) = args.at(0) else {
            return Err(type_error(
                "if you give only one argument to maketrans it must be a dict",
            ));
        };
        for entry in machine.heap[given].entries()? {
            let key = match entry.key {
                Value::Str(text) => code_of(machine, text)?,
                key => key,
            };
            machine.put(table, key, entry.value)?;
        }
        return Ok(Value::Dict(table));
    }
    let from = text_argument(machine, "maketrans", Some(1), args.at(0))?;
    let to = text_argument(machine, "maketrans", Some(2), args.at(1))?;
    if from.chars().count() != to.chars().count() {
        return Err(value_error("the first two maketrans arguments must have equal length"));
    }
    for (from, to) in from.chars().zip(to.chars()) {
        machine.put(table, code(from), code(to))?;
    }
    if let Some(deleted) = args.get(2) {
        for character in text_argument(machine, "maketrans", Some(3), deleted)?.chars() {
            machine.put(table, code(character), Value::None)?;
        }
    }
    Ok(Value::Dict(table))
}

fn code(character: char) -> Value {
    Value::Int(i64::from(u32::from(character)))
}

fn code_of(machine: &Machine<'_>, text: HeapRef<Text>) -> Eval<Value> {
    let text = machine.heap[text].read(&machine.budget)?;
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (Some(only), None) => Ok(code(only)),
        _ => Err(value_error("string keys in translate table must be of length 1")),
    }
}

fn translate(machine: &mut Machine<'_>, value: Value, args: &Args) -> Eval<Value> {
    let text = receiver(machine, value)?;
    let Value::Dict(table) = args.at(0) else {
        let class = Class::of(args.at(0), &machine.heap).name();
        return Err(type_error(format!("'{class}' object is not subscriptable")));
    };
    let mut translated = machine.buffer()?;
    for character in text.chars() {
        let key = machine.key(code(character))?;
        match machine.heap[table].get(key).map(|entry| entry.value) {
            None => translated.push(character)?,
            Some(Value::None) => {}
            Some(Value::Str(part)) => translated.push_str(&machine.heap[part].read(&machine.budget)?)?,
            Some(Value::Int(code)) => {
                let character = u32::try_from(code).ok().and_then(char::from_u32);
                let character = character.ok_or_else(|| value_error("character mapping must be in range(0x110000)"))?;
                translated.push(character)?;
            }
            Some(_) => {
                return Err(fault(
                    ExceptionKind::TypeError,
                    "character mapping must return integer, None or str",
                ));
            }
        }
    }
    machine.written(translated)
}
