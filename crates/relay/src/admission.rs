//! Decides who may use the relay: the run's own agent, the user who started it, and anyone who presents the relay's
//! key.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;

use subtle::ConstantTimeEq as _;
use tokio::net::TcpStream;

use crate::peer_user::Peer;
use crate::refusal::RelayRefusal;
use crate::request_head::RequestHead;

/// Keys that admit clients other than those of this user.
#[derive(Clone, Default)]
pub struct ClientKeys {
    /// The key that the run's own agent sends as `X-Franz-Key`. FRANZ does not look up the user of a client that
    /// presents it.
    pub run: Option<String>,
    /// The key that clients on other machines send as `X-Franz-Relay-Key`. This header is not passed on.
    pub relay: Option<String>,
}

/// Looks up the owner of a connection by our address and the peer's.
pub type LookUp = Arc<dyn Fn(SocketAddr, SocketAddr) -> Peer + Send + Sync>;

/// Decides once per connection, when its first head has arrived, whether to admit the client.
#[derive(Clone)]
pub(crate) struct Admission {
    pub(crate) keys: ClientKeys,
    pub(crate) look_up: LookUp,
}

impl Admission {
    pub(crate) fn by_the_system(keys: ClientKeys) -> Admission {
        Admission {
            keys,
            look_up: Arc::new(Peer::look_up),
        }
    }

    /// Admits the client that sent this head, or returns the reason for refusing it.
    pub(crate) async fn admit(
        &self,
        client: &TcpStream,
        head: &[u8],
        request: &RequestHead,
    ) -> Result<(), RelayRefusal> {
        let shown = |place: &Option<std::ops::Range<usize>>| place.clone().and_then(|place| head.get(place));
        if is_key(self.keys.run.as_ref(), shown(&request.run_key)) {
            return Ok(());
        }
        let relay_key = request.relay_key.as_ref().map(|header| header.value.clone());
        if is_key(self.keys.relay.as_ref(), shown(&relay_key)) {
            return Ok(());
        }
        let (Ok(here), Ok(there)) = (client.local_addr(), client.peer_addr()) else {
            return Err(RelayRefusal::Stranger);
        };
        let look_up = Arc::clone(&self.look_up);
        let peer = tokio::task::spawn_blocking(move || look_up(here, there)).await;
        // Check that the connection is still up: only then is it certain that no other process has taken over the
        // peer's address.
        let is_connected = client.peer_addr().is_ok();
        match peer {
            Ok(Peer::Own) if is_connected => Ok(()),
            Ok(Peer::Unknown) if is_connected && there.ip().to_canonical().is_loopback() => Ok(()),
            _ if self.keys.relay.is_some() => Err(RelayRefusal::RelayKey),
            _ => Err(RelayRefusal::Stranger),
        }
    }
}

impl fmt::Debug for ClientKeys {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ClientKeys").finish_non_exhaustive()
    }
}

impl fmt::Debug for Admission {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Admission").finish_non_exhaustive()
    }
}

fn is_key(key: Option<&String>, shown: Option<&[u8]>) -> bool {
    key.zip(shown)
        .is_some_and(|(key, shown)| !key.is_empty() && bool::from(key.as_bytes().ct_eq(shown)))
}
