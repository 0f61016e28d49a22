//! Methods of numbers and bytes.

use num_bigint::BigInt;
use num_traits::Signed;

use crate::builtin::{Arity, Native};
use crate::machine::{Args, Machine};
use crate::value::{Eval, ExceptionKind, Number, Value, fault, overflow_error, value_error};

pub(super) static INT_METHODS: &[Native] = &[
    Native::new("as_integer_ratio", Arity::Zero, as_integer_ratio),
    Native::new("bit_count", Arity::Zero, bit_count),
    Native::new("bit_length", Arity::Zero, bit_length),
    Native::new("conjugate", Arity::Zero, conjugate),
];

pub(super) static FLOAT_METHODS: &[Native] = &[
    Native::new("as_integer_ratio", Arity::Zero, as_integer_ratio),
    Native::new("conjugate", Arity::Zero, conjugate),
    Native::new("is_integer", Arity::Zero, is_integer),
];

pub(super) static BYTES_METHODS: &[Native] = &[
    Native::new("decode", Arity::Between(0, 2), decode).with_keywords(&["encoding", "errors"]),
    Native::new("hex", Arity::Zero, hex),
];

fn integer(machine: &Machine<'_>, value: Value) -> Eval<BigInt> {
    match machine.integer_of(value) {
        Some(number) => Ok(number.integer(&machine.budget)?.unwrap_or_default()),
        None => Ok(BigInt::default()),
    }
}

fn bit_length(machine: &mut Machine<'_>, value: Value, _: &Args) -> Eval<Value> {
    Ok(Value::Int(integer(machine, value)?.bits() as i64))
}

fn bit_count(machine: &mut Machine<'_>, value: Value, _: &Args) -> Eval<Value> {
    let ones = integer(machine, value)?.magnitude().count_ones();
    Ok(Value::Int(ones as i64))
}

fn conjugate(machine: &mut Machine<'_>, value: Value, _: &Args) -> Eval<Value> {
    match machine.number_of(value) {
        Some(number) => machine.number(number),
        None => Ok(value),
    }
}

#[expect(clippy::unnecessary_wraps, reason = "the table wants functions that may raise")]
fn is_integer(_: &mut Machine<'_>, value: Value, _: &Args) -> Eval<Value> {
    Ok(Value::Bool(
        matches!(value, Value::Float(float) if float.is_finite() && float.fract() == 0.0),
    ))
}

fn as_integer_ratio(machine: &mut Machine<'_>, value: Value, _: &Args) -> Eval<Value> {
    let (above, below) = match machine.number_of(value) {
        Some(Number::Float(float)) if float.is_nan() => {
            return Err(value_error("cannot convert NaN to integer ratio"));
        }
        Some(Number::Float(float)) if float.is_infinite() => {
            return Err(overflow_error("cannot convert Infinity to integer ratio"));
        }
        Some(Number::Float(float)) => ratio(float),
        _ => (integer(machine, value)?, BigInt::from(1)),
    };
    let above = machine.number(Number::from(above))?;
    let below = machine.number(Number::from(below))?;
    machine.tuple(&[above, below])
}

/// Returns a finite float as a fraction in lowest terms.
fn ratio(float: f64) -> (BigInt, BigInt) {
    let bits = float.abs().to_bits();
    let (exponent, fraction) = (bits >> 52, bits & ((1 << 52) - 1));
    let (mantissa, exponent) = match exponent {
        0 => (fraction, -1074),
        _ => (fraction | 1 << 52, exponent as i64 - 1075),
    };
    if mantissa == 0 {
        return (BigInt::ZERO, BigInt::from(1));
    }
    let zeros = i64::from(mantissa.trailing_zeros());
    let (mantissa, exponent) = (BigInt::from(mantissa >> zeros), exponent + zeros);
    let (above, below) = if exponent >= 0 {
        (mantissa << exponent, BigInt::from(1))
    } else {
        (mantissa, BigInt::from(1) << -exponent)
    };
    (if float < 0.0 { -above.abs() } else { above }, below)
}

fn decode(machine: &mut Machine<'_>, value: Value, _: &Args) -> Eval<Value> {
    let Value::Bytes(bytes) = value else {
        return Ok(value);
    };
    let bytes = machine.heap[bytes].read(&machine.budget)?;
    match std::str::from_utf8(&bytes) {
        Ok(text) => machine.string(text),
        Err(error) => {
            let at = error.valid_up_to();
            let message = format!("'utf-8' codec can't decode byte 0x{:02x} in position {at}", bytes[at]);
            Err(fault(ExceptionKind::UnicodeError, message))
        }
    }
}

fn hex(machine: &mut Machine<'_>, value: Value, _: &Args) -> Eval<Value> {
    let Value::Bytes(bytes) = value else {
        return Ok(value);
    };
    let mut text = machine.buffer()?;
    for byte in machine.heap[bytes].read(&machine.budget)?.iter() {
        text.push_str(&format!("{byte:02x}"))?;
        machine.budget.walk(1)?;
    }
    machine.written(text)
}
