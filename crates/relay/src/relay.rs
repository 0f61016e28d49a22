//! Defines the relay and its options: where it listens, which requests it passes on, and to which server.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;

use franz_chat::Endpoint;
use rustls::ClientConfig;
use thiserror::Error;
use tokio::net::TcpListener;

use crate::addressing::Addressing;
use crate::admission::{Admission, ClientKeys, LookUp};
use crate::allowed_hosts::AllowedHosts;
use crate::connector::{self, Connector};
use crate::context::RelayContext;
use crate::exchange::Copies;
use crate::gate::Gate;
use crate::limits::RelayLimits;
use crate::listener;
use crate::waiting_clients::WaitingClients;
use crate::watcher::Watcher;

/// The server behind a relay, and the rules for the traffic that the relay passes on.
#[derive(Debug, Clone)]
pub struct RelayOptions {
    /// The model server. No request can change it.
    pub upstream: Endpoint,
    /// Names and addresses that `Host` may contain in addition to the loopback ones.
    pub allow_hosts: Vec<String>,
    /// The queue that receives copies of the traffic.
    pub copies: Copies,
    /// The gate that holds back requests to the model or lets them pass. All POST requests count as such.
    pub gate: Gate,
    /// Keys that admit clients other than those of this user.
    pub keys: ClientKeys,
}

impl RelayOptions {
    /// Creates options for a relay to `upstream` that allows no additional names, holds nothing back and admits only
    /// its own user.
    pub fn new(upstream: Endpoint, copies: Copies) -> RelayOptions {
        RelayOptions {
            upstream,
            allow_hosts: Vec::new(),
            copies,
            gate: Gate::default(),
            keys: ClientKeys::default(),
        }
    }
}

/// Why a relay cannot start.
#[derive(Debug, Error)]
pub enum RelayError {
    /// The relay cannot listen on the address.
    #[error("cannot listen on {address} for the agent: {source}; choose another address with --relay")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// The system's error.
        source: std::io::Error,
    },
    /// The system's certificates cannot be used.
    #[error("https cannot be used on this machine ({0}); install the system's CA certificates, or use an http address")]
    Tls(#[from] rustls::Error),
    /// The model server's address is the relay's own address.
    #[error(
        "the model server {upstream} is the relay itself, which listens on {address}; choose another --relay or --upstream"
    )]
    Itself {
        /// The relay's address.
        address: SocketAddr,
        /// The model server's address.
        upstream: Endpoint,
    },
}

/// A relay that is listening.
#[derive(Debug)]
pub struct Relay {
    listener: TcpListener,
    address: SocketAddr,
    options: RelayOptions,
    limits: RelayLimits,
    admission: Admission,
    watcher: Option<Arc<dyn Watcher>>,
    tls: Option<Arc<ClientConfig>>,
}

impl Relay {
    /// Listens on `address`; port 0 selects a free port. If the model server uses https, the system's certificates are
    /// trusted.
    pub async fn bind(address: SocketAddr, options: RelayOptions) -> Result<Relay, RelayError> {
        let secure = options.upstream.is_secure();
        let tls = secure.then(connector::trusted_by_the_system).transpose()?;
        Relay::bind_trusting(address, options, tls).await
    }

    /// Does the same as [`Relay::bind`], but trusts different certificates from the system's.
    pub async fn bind_trusting(
        address: SocketAddr,
        options: RelayOptions,
        tls: Option<ClientConfig>,
    ) -> Result<Relay, RelayError> {
        let bind = |source| RelayError::Bind { address, source };
        let listener = TcpListener::bind(address).await.map_err(bind)?;
        let address = listener.local_addr().map_err(bind)?;
        if listener::is_at(&options.upstream, address).await {
            let upstream = options.upstream;
            return Err(RelayError::Itself { address, upstream });
        }
        Ok(Relay {
            listener,
            address,
            admission: Admission::by_the_system(options.keys.clone()),
            options,
            limits: RelayLimits::default(),
            watcher: None,
            tls: tls.map(Arc::new),
        })
    }

    /// Replaces the default limits on clients.
    #[must_use]
    pub fn with_limits(self, limits: RelayLimits) -> Relay {
        Relay { limits, ..self }
    }

    /// Notifies `watcher` of the relay's activity.
    #[must_use]
    pub fn with_watcher(self, watcher: Arc<dyn Watcher>) -> Relay {
        Relay {
            watcher: Some(watcher),
            ..self
        }
    }

    /// Replaces the function that looks up the owner of a connection, so that tests can count the lookups.
    #[doc(hidden)]
    #[must_use]
    pub fn with_look_up(mut self, look_up: LookUp) -> Relay {
        self.admission.look_up = look_up;
        self
    }

    /// Returns the address that the relay listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Relays until `shutdown` resolves, then closes the connections that are still open.
    pub async fn serve(self, shutdown: impl Future<Output = ()>) {
        let context = RelayContext {
            connector: Connector::new(self.options.upstream, self.tls, &self.limits),
            allowed_hosts: AllowedHosts {
                port: self.address.port(),
                allowed: self.options.allow_hosts,
            },
            limits: self.limits,
            admission: self.admission,
            copies: self.options.copies,
            gate: self.options.gate,
            watcher: self.watcher,
            strangers: WaitingClients::default(),
            half_closed: WaitingClients::default(),
        };
        if let Addressing::Readdressed { authority, api } = &context.connector.addressing {
            tracing::info!("requests go to {authority} with that Host header, and with {api} in place of /v1");
        }
        listener::accept(self.listener, Arc::new(context), shutdown).await;
    }
}
