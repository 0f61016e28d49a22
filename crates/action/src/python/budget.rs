//! What a block has used of its limits: steps, bytes, time and depth. Everything is charged before it is spent.

use std::time::{Duration, Instant};

use super::Limits;

/// Looking at the clock costs more than a step, so it is looked at once in so many steps.
const STEPS_BETWEEN_LOOKS: u64 = 1024;

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
    #[error("LimitError: more than {0} actions in one block. Do fewer and look at the screen in between.")]
    Actions(usize),
    /// `CPython`'s own words; the text says during what, such as `" in comparison"`.
    #[error("RecursionError: maximum recursion depth exceeded{0}")]
    Depth(&'static str),
}

/// The account of one block.
#[derive(Debug)]
pub(crate) struct Budget {
    limits: Limits,
    steps: u64,
    look_at: u64,
    bytes: usize,
    deadline: Option<Instant>,
}

impl Budget {
    pub(crate) fn new(limits: Limits) -> Budget {
        // A time that no clock can hold, or that is no number, is no limit.
        let time = Duration::try_from_secs_f64(limits.seconds).ok();
        Budget {
            limits,
            steps: 0,
            look_at: STEPS_BETWEEN_LOOKS,
            bytes: 0,
            deadline: time.and_then(|time| Instant::now().checked_add(time)),
        }
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// One step of the interpreter.
    pub(crate) fn step(&mut self) -> Result<(), Exceeded> {
        self.spend(1)
    }

    /// Work inside a builtin, in steps.
    pub(crate) fn spend(&mut self, steps: u64) -> Result<(), Exceeded> {
        self.steps = self.steps.saturating_add(steps);
        if self.steps < self.look_at {
            return Ok(());
        }
        if self.steps > self.limits.steps {
            return Err(Exceeded::Steps(self.limits.steps));
        }
        self.look_at = (self.steps + STEPS_BETWEEN_LOOKS).min(self.limits.steps.saturating_add(1));
        if self.deadline.is_some_and(|deadline| Instant::now() > deadline) {
            return Err(Exceeded::Time(self.limits.seconds));
        }
        Ok(())
    }

    /// The steps that going over this many bytes of text costs.
    pub(crate) fn scan(&mut self, bytes: usize) -> Result<(), Exceeded> {
        self.spend(bytes as u64 / 64)
    }

    /// Takes bytes for good: nothing is given back before the block ends.
    pub(crate) fn charge(&mut self, bytes: usize) -> Result<(), Exceeded> {
        self.room(bytes)?;
        self.bytes += bytes;
        Ok(())
    }

    /// Whether so many bytes could be taken.
    pub(crate) fn room(&self, bytes: usize) -> Result<(), Exceeded> {
        if bytes > self.limits.bytes.saturating_sub(self.bytes) {
            return Err(Exceeded::Bytes(self.limits.bytes));
        }
        Ok(())
    }

    /// Gives back what only a finished call could see.
    pub(crate) fn release(&mut self, bytes: usize) {
        self.bytes = self.bytes.saturating_sub(bytes);
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
        let mut budget = Budget::new(limits);
        assert_eq!(budget.spend(2000), Ok(()));
        assert_eq!(budget.step(), Err(Exceeded::Steps(2000)));
        assert_eq!(budget.charge(60), Ok(()));
        assert_eq!(budget.charge(41), Err(Exceeded::Bytes(100)));
        assert_eq!(budget.charge(40), Ok(()));
    }

    #[test]
    fn time_that_has_passed_is_noticed() {
        let mut budget = Budget::new(Limits {
            seconds: 0.0,
            ..Limits::default()
        });
        assert_eq!(budget.spend(STEPS_BETWEEN_LOOKS), Err(Exceeded::Time(0.0)));
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
