//! Takeover: a person acts on the agent's private screen while the run waits.

use std::collections::VecDeque;
use std::sync::PoisonError;
use std::time::Duration;

use franz_panel::controls::PersonInput;

use super::{STILL_MOVING, Stop};

/// The input of a person who has taken over.
#[derive(Default)]
pub(super) struct Takeover {
    inputs: VecDeque<PersonInput>,
    /// Whether a new picture for the person is ready.
    is_drawn: bool,
    /// Whether the run was paused before the takeover, or has been paused since.
    pub(super) was_paused: bool,
}

impl Stop {
    /// Gives the screen to the person, and interrupts the current action or request.
    pub(crate) fn take_over(&self) {
        let mut state = self.lock();
        if state.takeover.is_some() {
            return;
        }
        state.takeover = Some(Takeover {
            inputs: VecDeque::new(),
            is_drawn: false,
            was_paused: state.paused,
        });
        (state.paused, state.steps, state.mouse_taken) = (true, 0, true);
        drop(state);
        self.shared.changed.notify_all();
    }

    /// Gives the screen back to the agent, which stays paused if it was paused.
    pub(crate) fn give_back(&self) {
        let mut state = self.lock();
        let Some(takeover) = state.takeover.take() else {
            return;
        };
        state.paused = takeover.was_paused;
        state.grant(STILL_MOVING);
        drop(state);
        self.shared.changed.notify_all();
    }

    /// Returns whether the person has taken over.
    pub(crate) fn is_taken_over(&self) -> bool {
        self.lock().takeover.is_some()
    }

    /// Passes on the person's input while they have the screen.
    pub(crate) fn put_inputs(&self, inputs: Vec<PersonInput>) {
        if let Some(takeover) = &mut self.lock().takeover {
            takeover.inputs.extend(inputs);
        }
        self.shared.changed.notify_all();
    }

    /// Ends the wait for input early, because a picture for the person is ready.
    pub(crate) fn put_drawn(&self) {
        if let Some(takeover) = &mut self.lock().takeover {
            takeover.is_drawn = true;
        }
        self.shared.changed.notify_all();
    }

    /// Waits for the person's input, up to this long or until a picture is ready. Returns `None` if they have given the
    /// screen back or the run ends.
    pub(crate) fn next_inputs(&self, time: Duration) -> Option<Vec<PersonInput>> {
        let guard = self.lock();
        let is_idle = |state: &mut super::State| {
            state.ending.is_none()
                && state
                    .takeover
                    .as_ref()
                    .is_some_and(|takeover| takeover.inputs.is_empty() && !takeover.is_drawn)
        };
        let waited = self.shared.changed.wait_timeout_while(guard, time, is_idle);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if state.ending.is_some() {
            state.takeover = None;
        }
        let takeover = state.takeover.as_mut()?;
        takeover.is_drawn = false;
        Some(takeover.inputs.drain(..).collect())
    }
}

#[cfg(test)]
mod tests {
    use franz_screen::Interrupt as _;

    use super::*;
    use crate::stop::Ending;

    #[test]
    fn a_takeover_pauses_and_ends_as_it_began() {
        for was_paused in [false, true] {
            let stop = Stop::default();
            if was_paused {
                stop.pause();
            }
            stop.take_over();
            assert!(stop.is_taken_over() && stop.is_paused() && stop.is_set());
            stop.put_inputs(vec![PersonInput::LetGo]);
            let hour = Duration::from_hours(1);
            assert_eq!(stop.next_inputs(hour), Some(vec![PersonInput::LetGo]));
            stop.put_drawn();
            assert_eq!(stop.next_inputs(hour), Some(Vec::new()));
            stop.give_back();
            assert_eq!(stop.next_inputs(hour), None);
            assert_eq!(stop.is_paused(), was_paused);
            stop.put_inputs(vec![PersonInput::LetGo]);
            assert_eq!(stop.next_inputs(hour), None, "nothing is kept for later");
        }
    }

    #[test]
    fn a_stop_ends_a_takeover() {
        let stop = Stop::default();
        stop.take_over();
        stop.end(Ending::Stopped);
        assert_eq!(stop.next_inputs(Duration::from_hours(1)), None);
        assert!(!stop.is_taken_over());
    }
}
