//! Reports what happens in a relay, in addition to the copies of the traffic.

use std::fmt;

/// Receives notifications of what a relay does. They arrive between reading and sending, so the methods must not block.
pub trait Watcher: fmt::Debug + Send + Sync {
    /// Called when a connection to the model server has been opened.
    fn connected(&self);

    /// Called when the model is asked, with the number of the client's connection.
    fn asked(&self, connection: u64);
}
