//! Detects when the model server becomes reachable or unreachable.

use franz_relay::{Ended, Exchange};

use crate::hub::ServerState;

/// The maximum length of an explanation, in characters.
const DETAIL: usize = 300;

#[derive(Default)]
pub(super) struct Reachability {
    /// Whether the server is down. It is assumed to be up until an exchange shows otherwise.
    down: bool,
}

impl Reachability {
    /// Returns whether an exchange shows that the server is up or down, if that has changed.
    pub(super) fn news(&mut self, exchange: &Exchange) -> Option<ServerState> {
        let (down, detail) = match &exchange.ended {
            Ended::Complete => (false, String::new()),
            Ended::Unreachable(why) | Ended::ServerGone(why) => (true, why.chars().take(DETAIL).collect()),
            // If the client left before the end, the exchange says nothing about the server.
            Ended::ClientGone => return None,
        };
        let changed = std::mem::replace(&mut self.down, down) != down;
        changed.then_some(ServerState { up: !down, detail })
    }
}
