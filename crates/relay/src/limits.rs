//! What a client may take of the relay.

use std::time::Duration;

/// Bounds on clients; there is none on how long the model may think.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RelayLimits {
    /// Connections at a time.
    pub connections: usize,
    /// How long a head may take to come.
    pub head: Duration,
    /// How long a client may go on sending when it has its answer.
    pub drain: Duration,
    /// Bytes that it may send then.
    pub drain_bytes: u64,
    /// How long a client may be silent until its system is asked whether it is still there.
    pub keepalive: Duration,
    /// How long a connection to the model server may take to be made.
    pub connect: Duration,
}

impl Default for RelayLimits {
    fn default() -> Self {
        RelayLimits {
            connections: 256,
            head: Duration::from_secs(10),
            drain: Duration::from_secs(2),
            drain_bytes: 64 << 20,
            keepalive: Duration::from_secs(15),
            connect: Duration::from_secs(10),
        }
    }
}
