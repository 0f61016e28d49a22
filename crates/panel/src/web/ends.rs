//! Both ends of a connection, which show whether the client belongs to the same user.

use std::net::SocketAddr;

use franz_relay::peer_user::Peer;

/// The addresses of both ends of a connection, with ours first.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ends(pub(super) Option<(SocketAddr, SocketAddr)>);

impl Ends {
    /// Checks whether both ends of the connection might belong to the same user.
    pub(super) fn may_be_own(self) -> bool {
        let Ends(Some((here, there))) = self else { return false };
        matches!(Peer::look_up(here, there), Peer::Own | Peer::Unknown)
    }
}
