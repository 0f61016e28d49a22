//! Notifications of what happens in a relay, in addition to the copies of the traffic.

use std::fmt;

/// Receives notifications of what a relay does. The calls come between reading and sending, so they must not block.
pub trait Watcher: fmt::Debug + Send + Sync {
    /// Called when a connection to the model server has been made.
    fn connected(&self);

    /// Called when the model is asked, with the number of the client's connection.
    fn asked(&self, connection: u64);
}
