//! Integers beyond `i64`. Reading their size is free; computing with them is charged by size.

use std::cmp::Ordering;
use std::rc::Rc;

use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive};

use super::Eval;
use crate::budget::Budget;

/// A large integer.
#[derive(Clone, Debug)]
pub(crate) struct Big(Rc<BigInt>);

impl From<BigInt> for Big {
    fn from(integer: BigInt) -> Big {
        Big(Rc::new(integer))
    }
}

impl Big {
    /// Returns the length in bits.
    pub(crate) fn bits(&self) -> u64 {
        self.0.bits()
    }

    /// Returns the length in bytes.
    pub(crate) fn len(&self) -> usize {
        (self.0.bits() / 8) as usize
    }

    pub(crate) fn is_negative(&self) -> bool {
        self.0.is_negative()
    }

    /// Returns the integer, charging for one pass over it.
    pub(crate) fn read(&self, budget: &Budget) -> Eval<Rc<BigInt>> {
        budget.scan(self.len())?;
        Ok(Rc::clone(&self.0))
    }

    /// Returns the integer, unless it has more bits than this.
    pub(crate) fn small(&self, most_bits: u64) -> Option<BigInt> {
        (self.bits() <= most_bits).then(|| (*self.0).clone())
    }

    /// Returns the integer as a float, unless it exceeds the largest one.
    pub(crate) fn to_float(&self) -> Option<f64> {
        const MOST_BITS: u64 = 1024;
        let float = self.small(MOST_BITS)?.to_f64();
        float.filter(|float| float.is_finite())
    }

    pub(crate) fn order(&self, other: &Big, budget: &Budget) -> Eval<Ordering> {
        if Rc::ptr_eq(&self.0, &other.0) {
            return Ok(Ordering::Equal);
        }
        budget.scan(self.len().min(other.len()))?;
        Ok(self.0.cmp(&other.0))
    }
}
