//! Who is told what goes on in a relay, beside the copies of what has passed.

use std::fmt;

/// Hears what a relay does. It is called between reading and sending, so it must not block.
pub trait Watcher: fmt::Debug + Send + Sync {
    /// A connection to the model server was made.
    fn connected(&self);

    /// The model is being asked, on the client's connection of this number.
    fn asked(&self, connection: u64);
}
