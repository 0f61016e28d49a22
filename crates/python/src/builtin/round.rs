//! `round`: to the nearest number, ties to even.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{Signed, Zero};

use crate::machine::{Args, Machine};
use crate::text::float;
use crate::value::number::whole;
use crate::value::{Class, Eval, Number, Value, overflow_error, type_error};

pub(super) fn round(machine: &mut Machine<'_>, _: Value, args: &Args) -> Eval<Value> {
    let Some(value) = args.either(0, "number") else {
        return Err(type_error("round() missing required argument 'number' (pos 1)"));
    };
    if args.positional.len() > 2 {
        let given = args.positional.len();
        return Err(type_error(format!("round() takes at most 2 arguments ({given} given)")));
    }
    let Some(number) = machine.number_of(value) else {
        let class = Class::of(value, &machine.heap).name();
        return Err(type_error(format!("type {class} doesn't define __round__ method")));
    };
    let digits = match args.either(1, "ndigits") {
        None | Some(Value::None) => None,
        Some(digits) => Some(machine.size_argument(digits)?),
    };
    let rounded = match (number, digits) {
        (Number::Float(float), None) => whole(float.round_ties_even())?,
        (Number::Float(float), Some(digits)) => Number::Float(rounded_float(float, digits)?),
        (number, Some(digits)) if digits < 0 => rounded_integer(machine, &number, digits.unsigned_abs())?,
        (number, _) => number,
    };
    machine.number(rounded)
}

/// Rounds a float to this many digits after the point (before it, if negative), ties to the even digit.
fn rounded_float(value: f64, digits: i64) -> Eval<f64> {
    // No float has digits that far to the right.
    if !value.is_finite() || digits > 323 {
        return Ok(value);
    }
    if digits < -308 {
        return Ok(0.0f64.copysign(value));
    }
    let text = if digits >= 0 {
        float::fixed(value, digits as usize)
    } else {
        let whole = BigInt::parse_bytes(float::fixed(value.trunc(), 0).as_bytes(), 10).unwrap_or_default();
        let unit = BigInt::from(10).pow(digits.unsigned_abs() as u32);
        // The digits after the point break a tie.
        let doubled: BigInt = (&whole % &unit).abs() * 2;
        let tie_broken = doubled == unit && value.fract() != 0.0;
        let rounded = if tie_broken {
            (&whole / &unit + whole.signum()) * &unit
        } else {
            to_unit(&whole, &unit)
        };
        rounded.to_string()
    };
    let rounded: f64 = text.parse().unwrap_or(value);
    if rounded.is_infinite() {
        return Err(overflow_error("rounded value too large to represent"));
    }
    Ok(if rounded == 0.0 {
        0.0f64.copysign(value)
    } else {
        rounded
    })
}

fn rounded_integer(machine: &mut Machine<'_>, number: &Number, digits: u64) -> Eval<Number> {
    let integer = number.integer(&machine.budget)?.unwrap_or_default();
    // Rounding to more digits than the integer has returns zero.
    if digits > integer.bits() / 3 + 1 {
        return Ok(Number::Int(0));
    }
    let limbs = integer.bits() / 64 + 1;
    machine.budget.spend(limbs.saturating_mul(limbs) / 64)?;
    let _room = machine.budget.reserve(8 * (integer.bits() / 8) as usize)?;
    Ok(Number::from(to_unit(&integer, &BigInt::from(10).pow(digits as u32))))
}

/// Returns the multiple of the unit nearest to an integer, or the even one in a tie.
fn to_unit(integer: &BigInt, unit: &BigInt) -> BigInt {
    let (quotient, rest) = integer.div_mod_floor(unit);
    let doubled: BigInt = rest * 2;
    let up = doubled > *unit || doubled == *unit && quotient.is_odd();
    let result = (if up { quotient + 1 } else { quotient }) * unit;
    if result.is_zero() { BigInt::ZERO } else { result }
}
