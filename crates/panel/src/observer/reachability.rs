//! Detects changes in whether the model server can be reached.

use franz_relay::{Ended, Exchange};

use crate::hub::ServerState;

/// The longest explanation, in characters.
const DETAIL: usize = 300;

#[derive(Default)]
pub(super) struct Reachability {
    /// Whether the server is down. It counts as up until proved otherwise.
    down: bool,
}

impl Reachability {
    /// Returns what an exchange shows about the server, if that is news.
    pub(super) fn news(&mut self, exchange: &Exchange) -> Option<ServerState> {
        let (down, detail) = match &exchange.ended {
            Ended::Complete => (false, String::new()),
            Ended::Unreachable(why) | Ended::ServerGone(why) => (true, why.chars().take(DETAIL).collect()),
            // A client that left before the end reveals nothing about the server.
            Ended::ClientGone => return None,
        };
        let changed = std::mem::replace(&mut self.down, down) != down;
        changed.then_some(ServerState { up: !down, detail })
    }
}
