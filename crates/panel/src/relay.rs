//! The relay: one connection to the model server for each of a client's, every byte passed on as it came.
//!
//! In reading order: `connection` is a client's life; `requests` and `responses` are its two directions, which run at once and
//! write the `ledger`; [`request_head`] and [`response_head`] say what a head asks for, [`framing`] where its body ends; [`allowed_hosts`],
//! `admission` and [`refusal`] are what is not passed on; `route` and `upstream` are the way to the server.

mod admission;
pub mod allowed_hosts;
pub mod chunks;
mod client_buffer;
mod collector;
mod connection;
pub mod framing;
mod gate;
mod half_closed;
mod ledger;
mod limits;
mod listener;
pub mod refusal;
pub mod request_head;
mod requests;
pub mod response_head;
mod responses;
mod route;
mod service;
mod upstream;

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;

use franz_chat::Endpoint;
use rustls::ClientConfig;
use thiserror::Error;
use tokio::net::TcpListener;

use crate::exchange::Copies;
use crate::hub::Hub;
use crate::runs::Runs;
use admission::Admission;

pub use admission::{Keys, LookUp};
pub use gate::Gate;
pub use limits::Limits;

/// What a relay passes on, and to whom.
#[derive(Debug, Clone)]
pub struct Options {
    /// The model server. Nothing that passes can change it.
    pub upstream: Endpoint,
    /// Names and addresses that `Host` may give beside the loopback ones.
    pub allow_hosts: Vec<String>,
    /// Where copies go.
    pub copies: Copies,
    /// Whether requests that ask a model for something, which are all POST, have to wait.
    pub gate: Gate,
    /// Who is told whether the server is reached.
    pub hub: Option<Hub>,
    /// Whether it is also told that a chat request has begun, which our own agent tells itself.
    pub announces: bool,
    /// What lets clients in beside their user.
    pub keys: Keys,
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
    /// The model server's address is the relay's own.
    #[error(
        "the model server {upstream} is the relay itself, which listens on {address}; choose another --relay or --upstream"
    )]
    Itself {
        /// The relay's address.
        address: SocketAddr,
        /// The model server's.
        upstream: Endpoint,
    },
}

/// A relay that listens.
#[derive(Debug)]
pub struct Relay {
    listener: TcpListener,
    address: SocketAddr,
    options: Options,
    limits: Limits,
    admission: Admission,
    runs: Option<Arc<Runs>>,
    tls: Option<Arc<ClientConfig>>,
}

impl Relay {
    /// Listens on `address`; port 0 takes a free one. Where the model server is asked over https, the system says whom to trust.
    pub async fn bind(address: SocketAddr, options: Options) -> Result<Relay, RelayError> {
        let secure = options.upstream.is_secure();
        let tls = secure.then(upstream::trusted_by_the_system).transpose()?;
        Relay::bind_trusting(address, options, tls).await
    }

    /// As [`Relay::bind`], but with certificates other than the system's.
    pub async fn bind_trusting(
        address: SocketAddr,
        options: Options,
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
            limits: Limits::default(),
            runs: None,
            tls: tls.map(Arc::new),
        })
    }

    /// Other bounds on clients than the usual ones.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Relay {
        Relay { limits, ..self }
    }

    /// Requests may be of any of these runs, whose pages are told of them.
    #[must_use]
    pub fn with_runs(self, runs: Option<Arc<Runs>>) -> Relay {
        Relay { runs, ..self }
    }

    /// Somebody else who says whose a connection is: tests count what is asked.
    #[doc(hidden)]
    #[must_use]
    pub fn with_look_up(mut self, look_up: LookUp) -> Relay {
        self.admission.look_up = look_up;
        self
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Relays until `shutdown` resolves; connections that are open then are cut.
    pub async fn serve(self, shutdown: impl Future<Output = ()>) {
        let service = service::Service {
            upstream: upstream::Upstream::new(self.options.upstream, self.tls),
            house: allowed_hosts::AllowedHosts {
                port: self.address.port(),
                allowed: self.options.allow_hosts,
            },
            limits: self.limits,
            admission: self.admission,
            copies: self.options.copies,
            gate: self.options.gate,
            hub: self.options.hub,
            announces: self.options.announces,
            runs: self.runs,
            half_closed: half_closed::HalfClosed::default(),
            ids: Arc::default(),
        };
        if let route::Route::Readdressed { authority, api } = &service.upstream.route {
            tracing::info!("requests go to {authority} with that as their Host, and with {api} for /v1");
        }
        listener::accept(self.listener, Arc::new(service), shutdown).await;
    }
}
