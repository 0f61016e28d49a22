//! One agent per server: a lock in the person's state directory, released when its process ends.

use std::fs::File;
use std::net::SocketAddr;

use franz_home::Home;

use super::{VncServer, is_here};
use crate::desktop::{DisplayError, agent_lock};

/// Takes the lock of a server, unless another agent has it.
pub(super) fn claim(server: &VncServer, peer: SocketAddr) -> Result<File, DisplayError> {
    let at = &server.address;
    let failed = |why: String| {
        DisplayError::Unavailable(format!(
            "{at} cannot be locked for this agent: {}: {why}",
            server.locks.display()
        ))
    };
    let home = Home::claim(&server.locks).map_err(|error| failed(error.to_string()))?;
    let lock = home.hold(&name(peer)).map_err(|error| failed(error.to_string()))?;
    let taken = agent_lock::take(lock).map_err(|error| failed(error.to_string()))?;
    taken.ok_or_else(|| {
        DisplayError::Refused(format!(
            "another FRANZ is using {at}; stop it first, or choose another screen"
        ))
    })
}

/// Returns the name of the lock for a server. This machine has many addresses but counts as one server.
fn name(peer: SocketAddr) -> String {
    if is_here(peer) {
        return format!("vnc-here-{}.lock", peer.port());
    }
    let ip = peer.ip().to_canonical().to_string().replace(':', "_");
    format!("vnc-{ip}-{}.lock", peer.port())
}
