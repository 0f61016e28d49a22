//! Limits how much of the relay a client may use.

use std::time::Duration;

/// Limits on clients. None of them limits how long the model may think.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RelayLimits {
    /// The largest number of simultaneous connections.
    pub connections: usize,
    /// How long to wait for a head to arrive.
    pub head: Duration,
    /// How long a client may keep sending after it has received its response.
    pub drain: Duration,
    /// The number of bytes a client may send during that time.
    pub drain_bytes: u64,
    /// How long a client or the model server may be silent before its system is probed to find out whether it is still
    /// there.
    pub keepalive: Duration,
    /// How long to wait for a connection to the model server.
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
