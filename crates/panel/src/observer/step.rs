//! A step that can fail. A failure is reported only once, and again only after the step has worked.

use std::any::Any;
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Work that is repeated and can fail.
pub(super) struct ObserverStep {
    doing: &'static str,
    failing: bool,
}

impl ObserverStep {
    /// Creates a step. `doing` describes it in the log, for example "writing the verdict".
    pub(super) fn new(doing: &'static str) -> Self {
        Self { doing, failing: false }
    }

    /// Does the work once. Neither errors nor panics propagate out of this function.
    pub(super) fn run<T, E: Display>(&mut self, work: impl FnOnce() -> Result<T, E>) -> Option<T> {
        // A panic can leave nothing inconsistent except this step's own state, and the next exchange continues with
        // that state.
        let done = catch_unwind(AssertUnwindSafe(work));
        let why = match done {
            Ok(Ok(value)) => {
                if std::mem::replace(&mut self.failing, false) {
                    tracing::info!("{} works again", self.doing);
                }
                return Some(value);
            }
            Ok(Err(error)) => error.to_string(),
            Err(panic) => words(panic.as_ref()).to_owned(),
        };
        if !std::mem::replace(&mut self.failing, true) {
            tracing::warn!("{} failed: {why}; the traffic and everything else continue", self.doing);
        }
        None
    }
}

fn words(panic: &(dyn Any + Send)) -> &str {
    let literal = panic.downcast_ref::<&str>().copied();
    literal
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("a panic")
}

#[cfg(test)]
mod tests {
    use super::ObserverStep;

    #[test]
    fn errors_and_panics_are_contained() {
        let mut step = ObserverStep::new("testing");
        assert_eq!(step.run(|| Ok::<_, String>(1)), Some(1));
        assert_eq!(step.run(|| Err::<u8, _>("no")), None);
        assert!(step.failing);
        let index = std::hint::black_box(7);
        assert_eq!(step.run(|| Ok::<_, String>([1, 2][index])), None);
        assert_eq!(step.run(|| Ok::<_, String>(2)), Some(2));
        assert!(!step.failing);
    }
}
