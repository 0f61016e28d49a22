//! Accepts clients, each in its own task, up to a limit.

use std::future::Future;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use franz_chat::Endpoint;
use tokio::net::{TcpListener, UdpSocket, lookup_host};
use tokio::task::JoinSet;

use crate::connection;
use crate::context::RelayContext;
use crate::refusal::RelayRefusal;

/// How long to wait when no connection can be accepted, for example because no file descriptors are left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// The number of clients at a time that receive a refusal because there are too many connections. Further connections
/// are closed without an answer.
const TURNED_AWAY: usize = 64;

/// Accepts clients until `shutdown` resolves, then closes the connections that are still open.
pub(crate) async fn accept(listener: TcpListener, context: Arc<RelayContext>, shutdown: impl Future<Output = ()>) {
    let mut shutdown = pin!(shutdown);
    let (mut clients, mut turned_away) = (JoinSet::new(), JoinSet::new());
    let mut number = 0;
    loop {
        let accepted = tokio::select! {
            () = &mut shutdown => return,
            Some(ended) = clients.join_next() => {
                if let Err(error) = ended {
                    tracing::error!("a relay connection failed ({error}); this is a bug in FRANZ: please report it");
                }
                continue;
            }
            Some(_) = turned_away.join_next() => continue,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((client, _)) if clients.len() < context.limits.connections || context.make_room() => {
                number += 1;
                let stranger = context.strangers.enter();
                clients.spawn(connection::serve(client, number, Arc::clone(&context), stranger));
            }
            Ok((mut client, _)) if turned_away.len() < TURNED_AWAY => {
                let limits = context.limits;
                turned_away.spawn(async move {
                    connection::refuse(&mut client, &RelayRefusal::TooMany, false, &limits).await;
                });
            }
            Ok(_) => {}
            Err(error) => {
                tracing::warn!("the relay cannot accept a connection: {error}");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

/// Checks whether the model server's address is the relay's own address.
pub(crate) async fn is_at(upstream: &Endpoint, own: SocketAddr) -> bool {
    if upstream.port() != own.port() {
        return false;
    }
    // A name that does not resolve now is not ours; the next attempt to connect reports the problem.
    let Ok(addresses) = lookup_host((upstream.bare_host(), upstream.port())).await else {
        return false;
    };
    for address in addresses {
        let ip = address.ip().to_canonical();
        let reached = own.ip().is_unspecified() || own.ip().to_canonical() == ip || ip.is_unspecified();
        if reached && is_local(ip).await {
            return true;
        }
    }
    false
}

/// Checks whether an address belongs to this machine: only such an address can be bound.
async fn is_local(ip: IpAddr) -> bool {
    ip.is_loopback() || ip == IpAddr::V4(Ipv4Addr::UNSPECIFIED) || UdpSocket::bind((ip, 0)).await.is_ok()
}
