//! Builtin functions for single values: numbers, characters, text, printing.

use std::rc::Rc;

use num_traits::Signed;
use ruff_python_ast::Operator;

use super::round::round;
use super::{Arity, Native};
use crate::machine::{Args, Machine};
use crate::value::number::{floor_and_rest, modular_power, zero_division};
use crate::value::{Class, Eval, Number, Value, overflow_error, type_error, value_error};

pub(super) static FUNCTIONS: &[Native] = &[
    Native::new("abs", Arity::One, abs),
    Native::new("chr", Arity::One, chr),
    Native::new("divmod", Arity::Between(2, 2), divmod),
    Native::new("format", Arity::Between(1, 2), format),
    Native::new("hex", Arity::One, hex),
    Native::new("isinstance", Arity::Between(2, 2), isinstance),
    Native::new("oct", Arity::One, oct),
    Native::new("ord", Arity::One, ord),
    Native::new("pow", Arity::Any, pow).with_keywords(&["base", "exp", "mod"]),
    Native::new("print", Arity::Any, print).with_keywords(&["sep", "end", "file", "flush"]),
    Native::new("repr", Arity::One, repr),
    Native::new("round", Arity::Any, round).with_keywords(&["number", "ndigits"]),
];

fn abs(machine: &mut Machine<'_>, _: Value, args: &Args) -> Eval<Value> {
    let value = args.at(0);
    let Some(number) = machine.number_of(value) else {
        let class = Class::of(value, &machine.heap).name();
        return Err(type_error(format!("bad operand type for abs(): '{class}'")));
    };
    let absolute = number.absolute(&machine.budget)?;
    machine.number(absolute)
}

fn chr(machine: &mut Machine<'_>, _: Value, args: &Args) -> Eval<Value> {
    let code = match machine.integer_of(args.at(0)) {
        Some(Number::Int(code)) => code,
        Some(_) => return Err(overflow_error("Python int too large to convert to C int")),
        None => machine.size_argument(args.at(0))?,
    };
    let code = u32::try_from(code).ok().filter(|code| *code <= 0x10_ffff);
    let code = code.ok_or_else(|| value_error("chr() arg not in range(0x110000)"))?;
    // Half of a surrogate pair is not a character.
    machine.character(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER))
}

fn ord(machine: &mut Machine<'_>, _: Value, args: &Args) -> Eval<Value> {
    let value = args.at(0);
    let Some(text) = machine.text_of(value)? else {
        let class = Class::of(value, &machine.heap).name();
        return Err(type_error(format!(
            "ord() expected string of length 1, but {class} found"
        )));
    };
    let mut chars = text.chars();
    if let (Some(only), None) = (chars.next(), chars.next()) {
        return Ok(Value::Int(i64::from(u32::from(only))));
    }
    let count = text.chars().count();
    Err(type_error(format!(
        "ord() expected a character, but string of length {count} found"
    )))
}

fn divmod(machine: &mut Machine<'_>, _: Value, args: &Args) -> Eval<Value> {
    let (a, b) = (args.at(0), args.at(1));
    let pair = match (machine.number_of(a), machine.number_of(b)) {
        (Some(left @ Number::Float(_)), Some(right)) | (Some(left), Some(right @ Number::Float(_))) => {
            if right.is_zero() {
                return Err(zero_division("float divmod()"));
            }
            let (floor, rest) = floor_and_rest(left.float()?, right.float()?);
            [Value::Float(floor), Value::Float(rest)]
        }
        (Some(_), Some(_)) => [
            machine.operate(Operator::FloorDiv, a, b)?,
            machine.operate(Operator::Mod, a, b)?,
        ],
        _ => {
            let (left, right) = (Class::of(a, &machine.heap).name(), Class::of(b, &machine.heap).name());
            return Err(type_error(format!(
                "unsupported operand type(s) for divmod(): '{left}' and '{right}'"
            )));
        }
    };
    machine.tuple(&pair)
}

fn format(machine: &mut Machine<'_>, _: Value, args: &Args) -> Eval<Value> {
    let spec = match args.get(1) {
        None => Rc::from(""),
        Some(spec) => machine.text_of(spec)?.ok_or_else(|| {
            let class = Class::of(spec, &machine.heap).name();
            type_error(format!("format() argument 2 must be str, not {class}"))
        })?,
    };
    let mut text = machine.buffer()?;
    machine.format(&mut text, args.at(0), &spec)?;
    machine.written(text)
}

fn hex(machine: &mut Machine<'_>, _: Value, args: &Args) -> Eval<Value> {
    in_base(machine, args.at(0), "0x", 16)
}

fn oct(machine: &mut Machine<'_>, _: Value, args: &Args) -> Eval<Value> {
    in_base(machine, args.at(0), "0o", 8)
}

fn in_base(machine: &mut Machine<'_>, value: Value, prefix: &str, radix: u32) -> Eval<Value> {
    let Some(number) = machine.integer_of(value) else {
        let class = Class::of(value, &machine.heap).name();
        return Err(type_error(format!(
            "'{class}' object cannot be interpreted as an integer"
        )));
    };
    let _room = machine.room_for_digits(Some(&number), 0)?;
    let integer = number.integer(&machine.budget)?.unwrap_or_default();
    let sign = if integer.is_negative() { "-" } else { "" };
    machine.string(&format!("{sign}{prefix}{}", integer.abs().to_str_radix(radix)))
}

fn isinstance(machine: &mut Machine<'_>, _: Value, args: &Args) -> Eval<Value> {
    let class = Class::of(args.at(0), &machine.heap);
    is_one_of(machine, class, args.at(1), 0).map(Value::Bool)
}

fn is_one_of(machine: &mut Machine<'_>, class: Class, classes: Value, depth: usize) -> Eval<bool> {
    /// How deeply tuples of classes can be nested.
    const MOST_DEPTH: usize = 60;
    machine.budget.step()?;
    match classes {
        Value::Class(other) => Ok(class.is_a(other)),
        Value::Tuple(tuple) if depth < MOST_DEPTH => {
            for other in machine.heap[tuple].read(&machine.budget)?.iter() {
                if is_one_of(machine, class, *other, depth + 1)? {
                    return Ok(true);
                }
            }
            Ok(false)
        }
        _ => Err(type_error(
            "isinstance() arg 2 must be a type, a tuple of types, or a union",
        )),
    }
}

fn pow(machine: &mut Machine<'_>, _: Value, args: &Args) -> Eval<Value> {
    let required = |place: usize, name: &str| {
        args.either(place, name)
            .ok_or_else(|| type_error(format!("pow() missing required argument '{name}' (pos {})", place + 1)))
    };
    if args.positional.len() > 3 {
        let given = args.positional.len();
        return Err(type_error(format!("pow() takes at most 3 arguments ({given} given)")));
    }
    let (base, exponent) = (required(0, "base")?, required(1, "exp")?);
    match args.either(2, "mod") {
        None | Some(Value::None) => machine.operate(Operator::Pow, base, exponent),
        Some(modulus) => {
            let integer = |value| match machine.number_of(value) {
                Some(number) => number.integer(&machine.budget),
                None => Ok(None),
            };
            let (Some(base), Some(exponent), Some(modulus)) = (integer(base)?, integer(exponent)?, integer(modulus)?)
            else {
                return Err(type_error(
                    "pow() 3rd argument not allowed unless all arguments are integers",
                ));
            };
            let number = modular_power(&base, &exponent, &modulus, &machine.budget)?;
            machine.number(number)
        }
    }
}

fn print(machine: &mut Machine<'_>, _: Value, args: &Args) -> Eval<Value> {
    let separator = print_option(machine, args, "sep", " ")?;
    let end = print_option(machine, args, "end", "\n")?;
    for (i, value) in args.positional.read()?.iter().enumerate() {
        if i > 0 {
            machine.output.print(&separator);
        }
        let text = machine.str(*value)?;
        machine.output.print(&text);
    }
    machine.output.print(&end);
    Ok(Value::None)
}

fn print_option(machine: &Machine<'_>, args: &Args, name: &str, default: &str) -> Eval<Rc<str>> {
    match args.keyword(name) {
        None | Some(Value::None) => Ok(Rc::from(default)),
        Some(value) => machine.text_of(value)?.ok_or_else(|| {
            let class = Class::of(value, &machine.heap).name();
            type_error(format!("{name} must be None or a string, not {class}"))
        }),
    }
}

fn repr(machine: &mut Machine<'_>, _: Value, args: &Args) -> Eval<Value> {
    let text = machine.repr(args.at(0))?;
    machine.written(text)
}
