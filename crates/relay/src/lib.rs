//! A relay between an agent and its model server. Every byte passes unchanged and is copied aside.
//!
//! In reading order:
//!
//! - [`relay`] listens; `connection` serves one client. `requests` and `responses` are its two directions, which run
//!   concurrently and record the traffic in the `ledger`
//! - [`request_head`] and [`response_head`] parse heads; [`framing`] and [`chunks`] find where a body ends
//! - [`allowed_hosts`], `admission` and [`refusal`] decide which requests are refused; [`peer_user`] finds the owner of
//!   a connection
//! - [`model_api`] recognises requests that ask a model
//! - `addressing` and `connector` lead to the server; a [`Gate`] holds requests back
//! - [`exchange`] copies one request and its response as they were on the wire, and hands over a copy of the request
//!   first; [`payload`] decodes it
//! - [`watcher`] is notified of events as they happen
//!
//! This crate deliberately does not change a byte that passes, wait for the consumer of the copies, interpret the
//! requests to the model, or make requests of its own. ARCHITECTURE.md lists the two exceptions in invariant 5.
//!
//! ```no_run
//! use std::net::{Ipv4Addr, SocketAddr};
//!
//! use franz_relay::{Copies, Relay, RelayOptions};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let (copies, reader) = Copies::queue();
//! std::thread::spawn(move || {
//!     while let Some(exchange) = reader.next() {
//!         println!("{} {}", exchange.request.method(), exchange.request.target());
//!     }
//! });
//! let options = RelayOptions::new("http://127.0.0.1:8080".parse()?, copies);
//! let relay = Relay::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 1234)), options).await?;
//! relay.serve(std::future::pending()).await;
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]

mod addressing;
mod admission;
pub mod allowed_hosts;
pub mod chunks;
mod client_buffer;
mod collector;
mod connection;
mod connector;
mod context;
pub mod exchange;
pub mod framing;
mod gate;
mod ledger;
mod limits;
mod listener;
pub mod loopback;
pub mod model_api;
pub mod payload;
pub mod peer_user;
pub mod refusal;
pub mod relay;
pub mod request_head;
mod requests;
pub mod response_head;
mod responses;
mod waiting_clients;
pub mod watcher;

pub use admission::{ClientKeys, LookUp};
pub use exchange::{Copied, Copies, CopiesReader, Copy, Ended, Exchange, Message, SentRequest};
pub use gate::Gate;
pub use limits::RelayLimits;
pub use model_api::ModelApi;
pub use payload::Unreadable;
pub use relay::{Relay, RelayError, RelayOptions};
pub use watcher::Watcher;
