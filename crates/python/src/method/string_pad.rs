//! Methods of strings: adding and removing spaces and other characters at their ends.

use std::rc::Rc;

use super::string::{receiver, text_argument};
use crate::builtin::{Arity, Native};
use crate::machine::{Args, Machine};
use crate::value::{Class, Eval, Value, type_error};

pub(super) static METHODS: &[Native] = &[
    Native::new("center", Arity::Between(1, 2), center),
    Native::new("expandtabs", Arity::Between(0, 1), expandtabs).with_keywords(&["tabsize"]),
    Native::new("ljust", Arity::Between(1, 2), ljust),
    Native::new("lstrip", Arity::Between(0, 1), lstrip),
    Native::new("removeprefix", Arity::One, removeprefix),
    Native::new("removesuffix", Arity::One, removesuffix),
    Native::new("rjust", Arity::Between(1, 2), rjust),
    Native::new("rstrip", Arity::Between(0, 1), rstrip),
    Native::new("strip", Arity::Between(0, 1), strip),
    Native::new("zfill", Arity::One, zfill),
];

fn center(machine: &mut Machine<'_>, value: Value, args: &Args) -> Eval<Value> {
    padded(machine, value, args, |missing, width| {
        // If the width is odd, CPython puts the extra space on the left.
        let left = missing / 2 + (missing & width & 1);
        (left, missing - left)
    })
}

fn ljust(machine: &mut Machine<'_>, value: Value, args: &Args) -> Eval<Value> {
    padded(machine, value, args, |missing, _| (0, missing))
}

fn rjust(machine: &mut Machine<'_>, value: Value, args: &Args) -> Eval<Value> {
    padded(machine, value, args, |missing, _| (missing, 0))
}

fn padded(
    machine: &mut Machine<'_>,
    value: Value,
    args: &Args,
    sides: fn(usize, usize) -> (usize, usize),
) -> Eval<Value> {
    let width = machine.size_argument(args.at(0))?;
    let fill = match args.get(1) {
        None => ' ',
        Some(fill) => {
            let Some(text) = machine.text_of(fill)? else {
                let class = Class::of(fill, &machine.heap).name();
                return Err(type_error(format!(
                    "The fill character must be a unicode character, not {class}"
                )));
            };
            let mut chars = text.chars();
            match (chars.next(), chars.next()) {
                (Some(fill), None) => fill,
                _ => return Err(type_error("The fill character must be exactly one character long")),
            }
        }
    };
    let text = receiver(machine, value)?;
    let width = usize::try_from(width).unwrap_or(0);
    let missing = width.saturating_sub(text.chars().count());
    let (left, right) = sides(missing, width);
    let mut padded = machine.buffer()?;
    padded.fill(fill, left)?;
    padded.push_str(&text)?;
    padded.fill(fill, right)?;
    machine.written(padded)
}

fn zfill(machine: &mut Machine<'_>, value: Value, args: &Args) -> Eval<Value> {
    let width = usize::try_from(machine.size_argument(args.at(0))?).unwrap_or(0);
    let text = receiver(machine, value)?;
    let missing = width.saturating_sub(text.chars().count());
    let (sign, digits) = text.split_at(usize::from(text.starts_with(['+', '-'])));
    let mut padded = machine.buffer()?;
    padded.push_str(sign)?;
    padded.fill('0', missing)?;
    padded.push_str(digits)?;
    machine.written(padded)
}

fn expandtabs(machine: &mut Machine<'_>, value: Value, args: &Args) -> Eval<Value> {
    let size = args
        .either(0, "tabsize")
        .map_or(Ok(8), |size| machine.size_argument(size))?;
    let size = usize::try_from(size).unwrap_or(0);
    let text = receiver(machine, value)?;
    let mut expanded = machine.buffer()?;
    let mut column = 0;
    for character in text.chars() {
        if character == '\t' {
            let blanks = if size == 0 { 0 } else { size - column % size };
            machine.budget.walk(1)?;
            expanded.fill(' ', blanks)?;
            column += blanks;
        } else {
            expanded.push(character)?;
            column = if matches!(character, '\n' | '\r') {
                0
            } else {
                column + 1
            };
        }
    }
    machine.written(expanded)
}

fn strip(machine: &mut Machine<'_>, value: Value, args: &Args) -> Eval<Value> {
    stripped(machine, value, args, "strip", (true, true))
}

fn lstrip(machine: &mut Machine<'_>, value: Value, args: &Args) -> Eval<Value> {
    stripped(machine, value, args, "lstrip", (true, false))
}

fn rstrip(machine: &mut Machine<'_>, value: Value, args: &Args) -> Eval<Value> {
    stripped(machine, value, args, "rstrip", (false, true))
}

fn stripped(
    machine: &mut Machine<'_>,
    value: Value,
    args: &Args,
    method: &str,
    (left, right): (bool, bool),
) -> Eval<Value> {
    let text = receiver(machine, value)?;
    let of: Option<Rc<str>> = match args.at(0) {
        Value::None => None,
        characters => Some(
            machine
                .text_of(characters)?
                .ok_or_else(|| type_error(format!("{method} arg must be None or str")))?,
        ),
    };
    // Charge for looking up each character among all those to remove.
    let each = of.as_ref().map_or(8, |of| 8 + of.len());
    machine.budget.scan(text.len().saturating_mul(each))?;
    let goes = |character: char| match &of {
        None => character.is_whitespace(),
        Some(of) => of.contains(character),
    };
    let mut part = &*text;
    if left {
        part = part.trim_start_matches(goes);
    }
    if right {
        part = part.trim_end_matches(goes);
    }
    machine.string(part)
}

fn removeprefix(machine: &mut Machine<'_>, value: Value, args: &Args) -> Eval<Value> {
    let text = receiver(machine, value)?;
    let prefix = text_argument(machine, "removeprefix", None, args.at(0))?;
    machine.string(text.strip_prefix(&*prefix).unwrap_or(&text))
}

fn removesuffix(machine: &mut Machine<'_>, value: Value, args: &Args) -> Eval<Value> {
    let text = receiver(machine, value)?;
    let suffix = text_argument(machine, "removesuffix", None, args.at(0))?;
    machine.string(text.strip_suffix(&*suffix).unwrap_or(&text))
}
