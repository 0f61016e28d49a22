//! Interrupts an action in progress.

use std::time::Duration;

use franz_action::Outcome;

/// Reports whether acting must stop: on the user's gesture, a pause, or the end of the run.
pub trait Interrupt {
    /// Returns whether acting must stop now.
    fn is_set(&self) -> bool;

    /// Sleeps, waking early when acting must stop; returns whether it must.
    fn sleep(&self, duration: Duration) -> bool;
}

/// Performs the action `wait(seconds)`, which is the same on every screen.
pub(crate) fn wait(seconds: f64, interrupt: &dyn Interrupt) -> Outcome {
    let duration = Duration::try_from_secs_f64(seconds).unwrap_or_default();
    if interrupt.sleep(duration) {
        Outcome::Interrupted
    } else {
        Outcome::DONE
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::cell::Cell;

    /// Never sleeps, but records how long it was asked to sleep.
    #[derive(Default)]
    pub(crate) struct Fake {
        pub(crate) set: bool,
        pub(crate) slept: Cell<Duration>,
    }

    impl Interrupt for Fake {
        fn is_set(&self) -> bool {
            self.set
        }

        fn sleep(&self, duration: Duration) -> bool {
            self.slept.set(self.slept.get() + duration);
            self.set
        }
    }

    #[test]
    fn a_wait_sleeps_for_its_duration() {
        let fake = Fake::default();
        assert_eq!(wait(1.5, &fake), Outcome::DONE);
        assert_eq!(fake.slept.get(), Duration::from_millis(1500));
    }

    #[test]
    fn an_interrupted_wait_reports_it() {
        let fake = Fake {
            set: true,
            ..Fake::default()
        };
        assert_eq!(wait(30.0, &fake), Outcome::Interrupted);
    }
}
