//! Accounts for how much of its limits a block has used: work, memory and time. Everything is charged before it is
//! spent.
//!
//! The contents of values are read and built only through `Text`, `Bytes`, `Big`, `List`, `Tuple`, `Table` and
//! `Buffer`. These types charge the account for what they move, so no builtin can forget to.

use std::cell::Cell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use crate::limits::Limits;

/// Work is counted in fractions of a step, so that nothing is lost to rounding. One unit is one byte copied or
/// searched.
const UNITS_OF_A_STEP: u64 = 64;
/// The units for handling one item or character.
const UNITS_OF_AN_ITEM: u64 = 8;
/// The longest time that a unit takes on a slow machine, in nanoseconds.
const UNIT_NANOSECONDS: u64 = 4;

/// The clock is read only once per this many units, because reading it costs more than a step.
const UNITS_BETWEEN_LOOKS: u64 = 1024 * UNITS_OF_A_STEP;

/// How many steps an error's message may use beyond the limits.
const MOST_MESSAGE_STEPS: u64 = 4096;
const MOST_MESSAGE_BYTES: usize = 256 << 10;

/// A limit that a block exceeded. No `except` can catch it, so it ends the block.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(crate) enum Exceeded {
    #[error("LimitError: more than {0} bytes of source in one block. Write a shorter block.")]
    Source(usize),
    #[error("LimitError: more than {0} steps in one block. Check that every loop ends.")]
    Steps(u64),
    #[error("LimitError: the block ran longer than {0} seconds. Check that every loop ends.")]
    Time(f64),
    #[error("LimitError: more than {0} bytes of values in one block. Build smaller strings and lists.")]
    Bytes(usize),
    /// Worded as in `CPython`. The text names the operation, such as `" in comparison"`.
    #[error("RecursionError: maximum recursion depth exceeded{0}")]
    Depth(&'static str),
    /// The host stopped the block.
    #[error("{0}")]
    Host(Box<str>),
}

/// The work and memory that it took to run a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Steps of the interpreter, including those inside builtins.
    pub steps: u64,
    /// The peak memory of all values together, in bytes.
    pub bytes: usize,
}

/// The account of one block; clones share it.
#[derive(Clone, Debug)]
pub(crate) struct Budget(Rc<Account>);

#[derive(Debug)]
struct Account {
    limits: Limits,
    units: Cell<u64>,
    most_units: Cell<u64>,
    look_at: Cell<u64>,
    bytes: Cell<usize>,
    most_bytes: Cell<usize>,
    /// The largest number of bytes held at the same time.
    highest: Cell<usize>,
    deadline: Cell<Option<Instant>>,
}

impl Budget {
    pub(crate) fn new(limits: Limits) -> Budget {
        // A time that is NaN or too large for any clock means no limit.
        let time = Duration::try_from_secs_f64(limits.seconds).ok();
        let most_units = limits.steps.saturating_mul(UNITS_OF_A_STEP);
        Budget(Rc::new(Account {
            limits,
            units: Cell::new(0),
            most_units: Cell::new(most_units),
            look_at: Cell::new(most_units.min(UNITS_BETWEEN_LOOKS)),
            bytes: Cell::new(0),
            most_bytes: Cell::new(limits.bytes),
            highest: Cell::new(0),
            deadline: Cell::new(time.and_then(|time| Instant::now().checked_add(time))),
        }))
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.0.limits
    }

    /// Returns what has been used so far.
    pub(crate) fn used(&self) -> Work {
        Work {
            steps: self.0.units.get().div_ceil(UNITS_OF_A_STEP),
            bytes: self.0.highest.get(),
        }
    }

    /// Charges for one step of the interpreter.
    pub(crate) fn step(&self) -> Result<(), Exceeded> {
        self.work(UNITS_OF_A_STEP)
    }

    /// Charges for work inside a builtin, in steps.
    pub(crate) fn spend(&self, steps: u64) -> Result<(), Exceeded> {
        self.work(steps.saturating_mul(UNITS_OF_A_STEP))
    }

    /// Charges for copying, comparing, hashing or searching this many bytes.
    pub(crate) fn scan(&self, bytes: usize) -> Result<(), Exceeded> {
        self.work(bytes as u64)
    }

    /// Charges for handling this many items or characters one by one.
    pub(crate) fn walk(&self, items: usize) -> Result<(), Exceeded> {
        self.work((items as u64).saturating_mul(UNITS_OF_AN_ITEM))
    }

    fn work(&self, units: u64) -> Result<(), Exceeded> {
        let after = self.0.units.get().saturating_add(units);
        if after >= self.0.look_at.get() {
            self.look(after, units)?;
        }
        self.0.units.set(after);
        Ok(())
    }

    /// Checks the limits. Work begins only if it is certain to end in time, because nothing reads the clock while it
    /// runs.
    #[cold]
    fn look(&self, after: u64, units: u64) -> Result<(), Exceeded> {
        let Account { limits, deadline, .. } = &*self.0;
        let most = self.0.most_units.get();
        if after > most {
            return Err(Exceeded::Steps(limits.steps));
        }
        let takes = Duration::from_nanos(units.saturating_mul(UNIT_NANOSECONDS));
        let late = |deadline| Instant::now().checked_add(takes).is_none_or(|end| end > deadline);
        if deadline.get().is_some_and(late) {
            return Err(Exceeded::Time(limits.seconds));
        }
        self.0
            .look_at
            .set(after.saturating_add(UNITS_BETWEEN_LOOKS).min(most.saturating_add(1)));
        Ok(())
    }

    /// Charges bytes that are not released before the block ends.
    pub(crate) fn charge(&self, bytes: usize) -> Result<(), Exceeded> {
        let account = &*self.0;
        let after = account.bytes.get().saturating_add(bytes);
        if after > account.most_bytes.get() {
            return Err(Exceeded::Bytes(account.limits.bytes));
        }
        account.bytes.set(after);
        account.highest.set(account.highest.get().max(after));
        Ok(())
    }

    /// Makes room for an error's message, no matter how much has been used.
    pub(crate) fn allow_message(&self) {
        let account = &*self.0;
        account.deadline.set(None);
        account
            .most_units
            .set(account.units.get().saturating_add(MOST_MESSAGE_STEPS * UNITS_OF_A_STEP));
        account
            .most_bytes
            .set(account.bytes.get().saturating_add(MOST_MESSAGE_BYTES));
    }

    /// Charges bytes until the reservation is dropped.
    pub(crate) fn reserve(&self, bytes: usize) -> Result<Reserved, Exceeded> {
        let mut reserved = Reserved {
            budget: self.clone(),
            bytes: 0,
        };
        reserved.grow(bytes)?;
        Ok(reserved)
    }
}

/// Memory that stays charged as long as this value exists.
#[derive(Debug)]
pub(crate) struct Reserved {
    budget: Budget,
    bytes: usize,
}

impl Reserved {
    pub(crate) fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Charges this many more bytes.
    pub(crate) fn grow(&mut self, bytes: usize) -> Result<(), Exceeded> {
        self.budget.charge(bytes)?;
        self.bytes += bytes;
        Ok(())
    }

    /// Grows the reservation to at least this many bytes.
    pub(crate) fn grow_to(&mut self, bytes: usize) -> Result<(), Exceeded> {
        self.grow(bytes.saturating_sub(self.bytes))
    }

    /// Releases all but this many bytes.
    pub(crate) fn shrink_to(&mut self, bytes: usize) {
        let freed = self.bytes.saturating_sub(bytes);
        let account = &*self.budget.0;
        account.bytes.set(account.bytes.get().saturating_sub(freed));
        self.bytes -= freed;
    }

    /// Keeps the bytes charged for good.
    pub(crate) fn keep(mut self) {
        self.bytes = 0;
    }
}

impl Drop for Reserved {
    fn drop(&mut self) {
        self.shrink_to(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_limit_is_met_exactly() {
        let limits = Limits {
            steps: 2000,
            bytes: 100,
            ..Limits::default()
        };
        let budget = Budget::new(limits);
        assert_eq!(budget.spend(2000), Ok(()));
        assert_eq!(budget.scan(1), Err(Exceeded::Steps(2000)));
        assert_eq!(budget.charge(60), Ok(()));
        assert_eq!(budget.charge(41), Err(Exceeded::Bytes(100)));
        assert_eq!(budget.charge(40), Ok(()));
        assert_eq!(
            budget.used(),
            Work {
                steps: 2000,
                bytes: 100
            }
        );
    }

    #[test]
    fn nothing_is_lost_to_rounding() {
        let budget = Budget::new(Limits {
            steps: 10,
            ..Limits::default()
        });
        for _ in 0..640 {
            assert_eq!(budget.scan(1), Ok(()));
        }
        assert_eq!(budget.scan(1), Err(Exceeded::Steps(10)));
    }

    #[test]
    fn reserved_memory_is_released() {
        let budget = Budget::new(Limits {
            bytes: 100,
            ..Limits::default()
        });
        let mut reserved = budget.reserve(60).unwrap();
        assert_eq!(reserved.grow(41), Err(Exceeded::Bytes(100)));
        assert_eq!(reserved.grow(40), Ok(()));
        drop(reserved);
        budget.reserve(100).unwrap().keep();
        assert_eq!(budget.charge(1), Err(Exceeded::Bytes(100)));
    }

    #[test]
    fn time_that_has_passed_is_noticed() {
        let budget = Budget::new(Limits {
            seconds: 0.0,
            ..Limits::default()
        });
        assert_eq!(budget.spend(1024), Err(Exceeded::Time(0.0)));
    }

    #[test]
    fn work_that_cannot_end_in_time_is_not_started() {
        let limits = Limits {
            steps: u64::MAX,
            seconds: 3600.0,
            ..Limits::default()
        };
        let budget = Budget::new(limits);
        assert_eq!(budget.spend(1_000_000), Ok(()));
        // A day of work against a limit of an hour.
        assert_eq!(budget.spend(86_400_000_000_000 / 256), Err(Exceeded::Time(3600.0)));
    }

    #[test]
    fn invalid_time_limits_are_ignored() {
        for seconds in [f64::NAN, f64::INFINITY, -1.0] {
            let limits = Limits {
                seconds,
                ..Limits::default()
            };
            assert_eq!(Budget::new(limits).spend(5000), Ok(()));
        }
    }
}
