//! How much of the relay a client may use.

use std::time::Duration;

/// Limits on clients. None limits how long the model can think.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RelayLimits {
    /// The most connections at a time.
    pub connections: usize,
    /// How long a head may take to arrive.
    pub head: Duration,
    /// How long a client may keep sending after it has its answer.
    pub drain: Duration,
    /// How many bytes it may send during that time.
    pub drain_bytes: u64,
    /// How long a client may be silent before its system is asked whether it is still there.
    pub keepalive: Duration,
    /// How long connecting to the model server may take.
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
