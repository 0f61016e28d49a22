//! Reports events in a relay, in addition to the copies of the traffic.

use std::fmt;

/// Receives notifications of a relay's activity. The methods are called between reading and sending, so they must not
/// block.
pub trait Watcher: fmt::Debug + Send + Sync {
    /// Called when a connection to the model server has been opened.
    fn connected(&self);

    /// Called when a request is about to be sent to the model, with the numbers of the client's connection and of the
    /// exchange.
    fn asked(&self, connection: u64, exchange: u64);

    /// Called when a request is held back by the gate, and again when it passes or its client has gone.
    fn held(&self, is_held: bool);
}
