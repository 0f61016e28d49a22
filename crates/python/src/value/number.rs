//! Arithmetic as Python does it: integers of any size, floats, floor division, true division.

use std::cmp::Ordering;

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{FromPrimitive, Signed, ToPrimitive, Zero};
use ruff_python_ast::Operator;

use super::{Big, Eval, ExceptionKind, fault, overflow_error, value_error};
use crate::budget::Budget;

/// A number. A `bool` is treated as an integer.
#[derive(Clone, Debug)]
pub(crate) enum Number {
    Int(i64),
    Big(Big),
    Float(f64),
}

impl From<BigInt> for Number {
    fn from(big: BigInt) -> Number {
        match i64::try_from(&big) {
            Ok(int) => Number::Int(int),
            Err(_) => Number::Big(Big::from(big)),
        }
    }
}

impl Number {
    pub(crate) fn is_zero(&self) -> bool {
        match self {
            Number::Int(int) => *int == 0,
            Number::Big(_) => false,
            Number::Float(float) => *float == 0.0,
        }
    }

    /// Checks whether the number is less than zero.
    pub(crate) fn is_negative(&self) -> bool {
        match self {
            Number::Int(int) => *int < 0,
            Number::Big(big) => big.is_negative(),
            Number::Float(float) => *float < 0.0,
        }
    }

    /// Returns the number as an integer, if it is one.
    pub(crate) fn integer(&self, budget: &Budget) -> Eval<Option<BigInt>> {
        Ok(match self {
            Number::Int(int) => Some(BigInt::from(*int)),
            Number::Big(big) => Some((*big.read(budget)?).clone()),
            Number::Float(_) => None,
        })
    }

    /// Returns the number as a float.
    ///
    /// # Errors
    /// `OverflowError` for an integer beyond the largest float.
    pub(crate) fn float(&self) -> Eval<f64> {
        match self.nearest_float() {
            Some(float) => Ok(float),
            None => Err(overflow_error("int too large to convert to float")),
        }
    }

    /// Returns the number as a float, unless it is an integer beyond the largest float.
    pub(crate) fn nearest_float(&self) -> Option<f64> {
        match self {
            Number::Int(int) => Some(*int as f64),
            Number::Float(float) => Some(*float),
            Number::Big(big) => big.to_float(),
        }
    }

    /// Compares two numbers exactly, even an integer with a float. Returns `None` if one is NaN.
    pub(crate) fn order(&self, other: &Number, budget: &Budget) -> Eval<Option<Ordering>> {
        Ok(match (self, other) {
            (Number::Int(a), Number::Int(b)) => Some(a.cmp(b)),
            (Number::Float(a), Number::Float(b)) => a.partial_cmp(b),
            (Number::Big(a), Number::Big(b)) => Some(a.order(b, budget)?),
            (Number::Float(a), b) => b.order_to_float(*a).map(Ordering::reverse),
            (a, Number::Float(b)) => a.order_to_float(*b),
            // Every big integer is beyond the range of machine integers.
            (a @ Number::Big(_), Number::Int(_)) => Some(a.beyond()),
            (Number::Int(_), b @ Number::Big(_)) => Some(b.beyond().reverse()),
        })
    }

    fn order_to_float(&self, float: f64) -> Option<Ordering> {
        if float.is_nan() {
            return None;
        }
        if float.is_infinite() {
            return 0.0.partial_cmp(&float);
        }
        let integer = match self {
            Number::Int(int) => BigInt::from(*int),
            Number::Big(big) => match big.small(LARGEST_FLOAT_BITS) {
                Some(integer) => integer,
                None => return Some(self.beyond()),
            },
            Number::Float(_) => return None,
        };
        let order = integer.cmp(&BigInt::from_f64(float.floor())?);
        // An integer equal to the floor is less than the float if the float has a fraction.
        Some(order.then(if float.fract() == 0.0 {
            Ordering::Equal
        } else {
            Ordering::Less
        }))
    }

    /// Returns how the number compares with any number that is closer to zero.
    fn beyond(&self) -> Ordering {
        if self.is_negative() {
            Ordering::Less
        } else {
            Ordering::Greater
        }
    }

    pub(crate) fn negated(&self, budget: &Budget) -> Eval<Number> {
        Ok(match self {
            Number::Int(int) => int
                .checked_neg()
                .map_or_else(|| Number::from(-BigInt::from(*int)), Number::Int),
            Number::Big(big) => Number::from(-&*big.read(budget)?),
            Number::Float(float) => Number::Float(-float),
        })
    }

    pub(crate) fn absolute(&self, budget: &Budget) -> Eval<Number> {
        match self {
            Number::Float(float) => Ok(Number::Float(float.abs())),
            _ if self.is_negative() => self.negated(budget),
            _ => Ok(self.clone()),
        }
    }
}

/// Every integer with more bits than this is larger than any float.
const LARGEST_FLOAT_BITS: u64 = 1024;

/// Returns the result of an operator on two numbers, or `None` if Python defines none (such as `1.5 << 2`).
pub(crate) fn arithmetic(op: Operator, a: &Number, b: &Number, budget: &Budget) -> Eval<Option<Number>> {
    if let (Number::Int(a), Number::Int(b)) = (a, b)
        && let Some(quick) = small(op, *a, *b)
    {
        return Ok(Some(Number::Int(quick)));
    }
    if let (Some(a), Some(b)) = (a.integer(budget)?, b.integer(budget)?) {
        return integers(op, &a, &b, budget);
    }
    floats(op, a.float()?, b.float()?)
}

/// Computes results that fit into machine integers. Everything else, including errors, is left to the exact path.
fn small(op: Operator, a: i64, b: i64) -> Option<i64> {
    match op {
        Operator::Add => a.checked_add(b),
        Operator::Sub => a.checked_sub(b),
        Operator::Mult => a.checked_mul(b),
        Operator::FloorDiv if b > 0 => Some(a.div_euclid(b)),
        Operator::Mod if b > 0 => Some(a.rem_euclid(b)),
        Operator::BitAnd => Some(a & b),
        Operator::BitOr => Some(a | b),
        Operator::BitXor => Some(a ^ b),
        _ => None,
    }
}

fn integers(op: Operator, a: &BigInt, b: &BigInt, budget: &Budget) -> Eval<Option<Number>> {
    let (long, short) = (a.bits().max(b.bits()), a.bits().min(b.bits()));
    // The result also needs room. Unless an operator charges for it separately, it is no longer than the operands.
    let _room = budget.reserve(2 * (long / 8) as usize)?;
    budget.scan((long / 8) as usize)?;
    let result = match op {
        Operator::Add => a + b,
        Operator::Sub => a - b,
        Operator::Mult => {
            work(long, short, budget)?;
            a * b
        }
        Operator::Div => return true_division(a, b, budget).map(|ratio| Some(Number::Float(ratio))),
        Operator::FloorDiv if b.is_zero() => return Err(zero_division("integer division or modulo by zero")),
        Operator::Mod if b.is_zero() => return Err(zero_division("integer modulo by zero")),
        Operator::FloorDiv => {
            work(a.bits(), b.bits(), budget)?;
            a.div_floor(b)
        }
        Operator::Mod => {
            work(a.bits(), b.bits(), budget)?;
            a.mod_floor(b)
        }
        Operator::Pow => return power(a, b, budget).map(Some),
        Operator::LShift => shift_left(a, b, budget)?,
        Operator::RShift => shift_right(a, b)?,
        Operator::BitAnd => a & b,
        Operator::BitOr => a | b,
        Operator::BitXor => a ^ b,
        Operator::MatMult => return Ok(None),
    };
    Ok(Some(Number::from(result)))
}

/// Charges for multiplying or dividing numbers of this many bits.
fn work(a: u64, b: u64, budget: &Budget) -> Eval<()> {
    let (a, b) = (a / 64 + 1, b / 64 + 1);
    // Intermediate values are released afterwards, but must fit in the meantime.
    drop(budget.reserve(8usize.saturating_mul((a + b) as usize))?);
    Ok(budget.spend(a.saturating_mul(b) / 256)?)
}

pub(crate) fn zero_division(message: &str) -> super::Unwind {
    fault(ExceptionKind::ZeroDivisionError, message)
}

fn power(base: &BigInt, exponent: &BigInt, budget: &Budget) -> Eval<Number> {
    if exponent.is_negative() {
        let (base, exponent) = (Number::from(base.clone()), Number::from(exponent.clone()));
        return float_power(base.float()?, exponent.float()?).map(Number::Float);
    }
    if base.bits() <= 1 {
        // Powers of -1, 0 and 1 do not grow, whatever the exponent.
        let odd = exponent.bit(0);
        let result = if exponent.is_zero() {
            BigInt::from(1)
        } else if base.is_negative() && !odd {
            -base
        } else {
            base.clone()
        };
        return Ok(Number::from(result));
    }
    let exponent = exponent.to_u32().unwrap_or(u32::MAX);
    let bits = base.bits().saturating_mul(u64::from(exponent));
    let _room = budget.reserve(2usize.saturating_mul((bits / 8) as usize))?;
    work(bits, bits, budget)?;
    Ok(Number::from(base.pow(exponent)))
}

/// Evaluates `pow(base, exponent, modulus)`.
pub(crate) fn modular_power(base: &BigInt, exponent: &BigInt, modulus: &BigInt, budget: &Budget) -> Eval<Number> {
    if modulus.is_zero() {
        return Err(value_error("pow() 3rd argument cannot be 0"));
    }
    let size = modulus.bits().max(base.bits());
    work(size, size, budget)?;
    let digits = modulus.bits() / 64 + 1;
    budget.spend(exponent.bits().saturating_mul(digits.saturating_mul(digits)) / 64)?;
    if !exponent.is_negative() {
        return Ok(Number::from(base.modpow(exponent, modulus)));
    }
    // Euclid's algorithm divides about once per two bits.
    budget.spend(digits.saturating_mul(digits))?;
    match base.modinv(modulus) {
        Some(inverse) => Ok(Number::from(inverse.modpow(&-exponent, modulus))),
        None => Err(value_error("base is not invertible for the given modulus")),
    }
}

fn shift_left(a: &BigInt, b: &BigInt, budget: &Budget) -> Eval<BigInt> {
    if b.is_negative() {
        return Err(value_error("negative shift count"));
    }
    if a.is_zero() {
        return Ok(BigInt::ZERO);
    }
    let by = b.to_usize().unwrap_or(usize::MAX);
    let _room = budget.reserve(by / 8)?;
    budget.scan(by / 8)?;
    Ok(a << by)
}

fn shift_right(a: &BigInt, b: &BigInt) -> Eval<BigInt> {
    if b.is_negative() {
        return Err(value_error("negative shift count"));
    }
    let by = b.to_u64().unwrap_or(u64::MAX);
    if by > a.bits() {
        return Ok(BigInt::from(if a.is_negative() { -1 } else { 0 }));
    }
    Ok(a >> by)
}

/// Evaluates `a / b`, rounding once, so the result is correct even if the integers themselves do not fit into floats.
fn true_division(a: &BigInt, b: &BigInt, budget: &Budget) -> Eval<f64> {
    const EXACT_BITS: u64 = 53;
    if b.is_zero() {
        return Err(zero_division("division by zero"));
    }
    let too_large = || overflow_error("integer division result too large for a float");
    if a.bits() <= EXACT_BITS && b.bits() <= EXACT_BITS {
        return Ok(a.to_f64().unwrap_or_default() / b.to_f64().unwrap_or(1.0));
    }
    work(a.bits(), b.bits(), budget)?;
    // A quotient of at least 66 bits, with a sticky last bit for the remainder, rounds like the exact ratio.
    let shift = (66 + b.bits() as i64 - a.bits() as i64).clamp(0, 1200) as u64;
    let (quotient, remainder) = (a.abs() << shift).div_rem(&b.abs());
    let sticky = if remainder.is_zero() {
        quotient
    } else {
        (quotient << 1u32) | BigInt::from(1)
    };
    let shift = shift + u64::from(!remainder.is_zero());
    let magnitude = sticky.to_f64().ok_or_else(too_large)?;
    let scaled = magnitude * 0.5f64.powi(shift.min(600) as i32) * 0.5f64.powi(shift.saturating_sub(600) as i32);
    if !scaled.is_finite() {
        return Err(too_large());
    }
    Ok(if a.is_negative() == b.is_negative() {
        scaled
    } else {
        -scaled
    })
}

fn floats(op: Operator, a: f64, b: f64) -> Eval<Option<Number>> {
    let result = match op {
        Operator::Add => a + b,
        Operator::Sub => a - b,
        Operator::Mult => a * b,
        Operator::Div if b == 0.0 => return Err(zero_division("float division by zero")),
        Operator::Div => a / b,
        Operator::FloorDiv if b == 0.0 => return Err(zero_division("float floor division by zero")),
        Operator::FloorDiv => floor_and_rest(a, b).0,
        Operator::Mod if b == 0.0 => return Err(zero_division("float modulo")),
        Operator::Mod => floor_and_rest(a, b).1,
        Operator::Pow => float_power(a, b)?,
        _ => return Ok(None),
    };
    Ok(Some(Number::Float(result)))
}

/// Returns the floor quotient and the remainder, which has the sign of the divisor.
pub(crate) fn floor_and_rest(a: f64, b: f64) -> (f64, f64) {
    let mut rest = a % b;
    let mut quotient = (a - rest) / b;
    if rest == 0.0 {
        rest = 0.0f64.copysign(b);
    } else if (rest < 0.0) != (b < 0.0) {
        rest += b;
        quotient -= 1.0;
    }
    let floor = if quotient == 0.0 {
        0.0f64.copysign(a / b)
    } else {
        let floor = quotient.floor();
        if quotient - floor > 0.5 { floor + 1.0 } else { floor }
    };
    (floor, rest)
}

fn float_power(a: f64, b: f64) -> Eval<f64> {
    if a == 0.0 && b < 0.0 {
        return Err(zero_division("0.0 cannot be raised to a negative power"));
    }
    if a < 0.0 && a.is_finite() && b.is_finite() && b.fract() != 0.0 {
        return Err(value_error(
            "a negative number with a fractional power is complex, and complex numbers are not available here",
        ));
    }
    let result = a.powf(b);
    if result.is_infinite() && a.is_finite() && b.is_finite() {
        return Err(overflow_error("(34, 'Numerical result out of range')"));
    }
    Ok(result)
}

/// Returns a float as an integer, truncated towards zero.
///
/// # Errors
/// `OverflowError` and `ValueError` for infinities and NaN.
pub(crate) fn whole(float: f64) -> Eval<Number> {
    if float.is_nan() {
        return Err(value_error("cannot convert float NaN to integer"));
    }
    match BigInt::from_f64(float) {
        Some(big) => Ok(Number::from(big)),
        None => Err(overflow_error("cannot convert float infinity to integer")),
    }
}
