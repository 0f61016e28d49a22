//! Holds back the requests of an agent that cannot be asked to wait.

use std::sync::Arc;

use tokio::sync::watch;

/// Holds back requests to a model, or lets them pass. Clones share their state.
#[derive(Debug, Clone)]
pub struct Gate {
    state: Arc<watch::Sender<State>>,
}

/// How many requests may pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    /// Only this many can pass.
    Closed(u32),
}

impl Default for Gate {
    fn default() -> Self {
        Gate {
            state: Arc::new(watch::Sender::new(State::Open)),
        }
    }
}

impl Gate {
    /// Holds all requests from now on.
    pub fn close(&self) {
        self.state.send_replace(State::Closed(0));
    }

    /// Lets all requests pass.
    pub fn open(&self) {
        self.state.send_replace(State::Open);
    }

    /// Lets one more request pass. An open gate closes behind it.
    pub fn step(&self) {
        self.state.send_modify(|state| {
            *state = match *state {
                State::Open => State::Closed(1),
                State::Closed(left) => State::Closed(left.saturating_add(1)),
            };
        });
    }

    /// Waits until a request can pass, and takes one pass.
    pub async fn pass(&self) {
        let mut watching = self.state.subscribe();
        while !self.pass_now() && watching.changed().await.is_ok() {}
    }

    /// Takes one pass if a request can pass now. Returns whether it can.
    pub(crate) fn pass_now(&self) -> bool {
        let mut passed = false;
        self.state.send_if_modified(|state| {
            match state {
                State::Open => passed = true,
                State::Closed(0) => {}
                State::Closed(left) => {
                    *left -= 1;
                    passed = true;
                }
            }
            false
        });
        passed
    }
}
