//! What a block has used of its limits: work, memory and time. Everything is charged before it is spent.
//!
//! Contents of values are read and built only through `Text`, `Bytes`, `Big`, `List`, `Tuple`, `Table` and `Buffer`, which charge
//! an account by what they move: a builtin cannot forget it.

use std::cell::Cell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use crate::limits::Limits;

/// Work is counted in parts of a step, so that nothing is lost to rounding: a byte that is copied or searched is one.
const UNITS_OF_A_STEP: u64 = 64;
/// Handling a single item or character.
const UNITS_OF_AN_ITEM: u64 = 8;
/// What a unit takes at most, in nanoseconds, on a slow machine.
const UNIT_NANOSECONDS: u64 = 4;

/// Looking at the clock costs more than a step, so it is looked at once in so many units.
const UNITS_BETWEEN_LOOKS: u64 = 1024 * UNITS_OF_A_STEP;

/// What putting an error into words may take beyond the limits.
const MOST_MESSAGE_STEPS: u64 = 4096;
const MOST_MESSAGE_BYTES: usize = 256 << 10;

/// A limit that a block went beyond. No `except` catches one: the block ends.
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
    /// `CPython`'s own words; the text says during what, such as `" in comparison"`.
    #[error("RecursionError: maximum recursion depth exceeded{0}")]
    Depth(&'static str),
    /// The host wants no more of it.
    #[error("{0}")]
    Host(Box<str>),
}

/// What reading a reply took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Steps of the interpreter, those inside builtins included.
    pub steps: u64,
    /// The most memory that values held at once, in bytes.
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
    /// The most that was held at once.
    highest: Cell<usize>,
    deadline: Cell<Option<Instant>>,
}

impl Budget {
    pub(crate) fn new(limits: Limits) -> Budget {
        // A time that no clock can hold, or that is no number, is no limit.
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

    /// What was used so far.
    pub(crate) fn used(&self) -> Work {
        Work {
            steps: self.0.units.get().div_ceil(UNITS_OF_A_STEP),
            bytes: self.0.highest.get(),
        }
    }

    /// One step of the interpreter.
    pub(crate) fn step(&self) -> Result<(), Exceeded> {
        self.work(UNITS_OF_A_STEP)
    }

    /// Work inside a builtin, in steps.
    pub(crate) fn spend(&self, steps: u64) -> Result<(), Exceeded> {
        self.work(steps.saturating_mul(UNITS_OF_A_STEP))
    }

    /// Copying, comparing, hashing or searching this many bytes.
    pub(crate) fn scan(&self, bytes: usize) -> Result<(), Exceeded> {
        self.work(bytes as u64)
    }

    /// Handling this many items or characters, one by one.
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

    /// Compares with the limits. Work is begun only if it surely ends in time: nobody looks at the clock during it.
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

    /// Takes bytes for good: they are given back only when the block ends.
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

    /// Makes room for putting an error into words, whatever was used up.
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

    /// Takes bytes until the reservation is dropped.
    pub(crate) fn reserve(&self, bytes: usize) -> Result<Reserved, Exceeded> {
        let mut reserved = Reserved {
            budget: self.clone(),
            bytes: 0,
        };
        reserved.grow(bytes)?;
        Ok(reserved)
    }
}

/// Memory that is charged as long as this lives.
#[derive(Debug)]
pub(crate) struct Reserved {
    budget: Budget,
    bytes: usize,
}

impl Reserved {
    pub(crate) fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Takes so many bytes more.
    pub(crate) fn grow(&mut self, bytes: usize) -> Result<(), Exceeded> {
        self.budget.charge(bytes)?;
        self.bytes += bytes;
        Ok(())
    }

    /// Takes what is missing to so many bytes.
    pub(crate) fn grow_to(&mut self, bytes: usize) -> Result<(), Exceeded> {
        self.grow(bytes.saturating_sub(self.bytes))
    }

    /// Gives back all but so many bytes.
    pub(crate) fn shrink_to(&mut self, bytes: usize) {
        let freed = self.bytes.saturating_sub(bytes);
        let account = &*self.budget.0;
        account.bytes.set(account.bytes.get().saturating_sub(freed));
        self.bytes -= freed;
    }

    /// Never gives the bytes back.
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
    fn what_is_reserved_comes_back() {
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
    fn work_that_would_not_end_in_time_is_not_begun() {
        let limits = Limits {
            steps: u64::MAX,
            seconds: 3600.0,
            ..Limits::default()
        };
        let budget = Budget::new(limits);
        assert_eq!(budget.spend(1_000_000), Ok(()));
        // A day of work, against an hour.
        assert_eq!(budget.spend(86_400_000_000_000 / 256), Err(Exceeded::Time(3600.0)));
    }

    #[test]
    fn senseless_times_are_no_limit() {
        for seconds in [f64::NAN, f64::INFINITY, -1.0] {
            let limits = Limits {
                seconds,
                ..Limits::default()
            };
            assert_eq!(Budget::new(limits).spend(5000), Ok(()));
        }
    }
}
