//! Whether the model server can be reached, told when it changes.

use franz_relay::{Ended, Exchange};

use crate::update::Update;

/// The longest explanation, in characters.
const DETAIL: usize = 300;

#[derive(Default)]
pub(super) struct Reachability {
    /// It is taken to be up until it is not.
    down: bool,
}

impl Reachability {
    /// What an exchange shows of the server, where that is news.
    pub(super) fn news(&mut self, exchange: &Exchange) -> Option<Update> {
        let (down, detail) = match &exchange.ended {
            Ended::Complete => (false, String::new()),
            Ended::Unreachable(why) | Ended::ServerGone(why) => (true, why.chars().take(DETAIL).collect()),
            // Who went away before the end says nothing of the server.
            Ended::ClientGone => return None,
        };
        let changed = std::mem::replace(&mut self.down, down) != down;
        changed.then_some(Update::Upstream { up: !down, detail })
    }
}
