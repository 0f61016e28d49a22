//! Watches a relay: verifies and records the traffic that passes through it, and shows the traffic on a live dashboard.
//!
//! In reading order:
//!
//! - `franz_relay` passes every byte between an agent and its model server, and copies it for the panel;
//!   [`relay_watcher`] tells the hub what the relay is doing
//! - [`verify`] judges these copies: is the story that was sent the one that was received? [`verdict`] is the result
//! - [`observer`] is the thread that judges exchanges, records the verdicts and informs the hub
//! - `other_apis` rewrites copies of other APIs as chat completions
//! - `conversations` decides which conversation a request belongs to; [`runs`] keeps a directory for each one, and
//!   their newest turns for a terminal ([`turn_news`])
//! - [`registered_runs`] lists the runs of other FRANZ processes, which a standing panel also shows
//! - [`history`] reads the turns and verdicts of a run back, by number, by page or by searching
//! - [`hub`] combines everything that happens into one snapshot, and sends browsers the parts that change
//! - [`controls`] defines what a browser can ask a run to do
//! - [`web`] is the dashboard's server; [`export`] writes files to save
//! - `franz_secret::Secret` holds the keys that none of them may show
//!
//! By design, nothing here waits for a slow browser or starts a process. The only requests that it makes are a page's own,
//! which it passes on to the dashboards of registered runs.
#![forbid(unsafe_code)]
#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "tests write files as anybody would")
)]

mod conversations;
mod hash;
mod lock;
pub mod observer;
mod other_apis;
pub mod registered_runs;
pub mod relay_watcher;
pub mod runs;
mod thumbnails;
pub mod turn_news;
pub mod verdict;
pub mod verify;

pub mod growing_reply;
pub mod history;
pub mod hub;
pub mod live;
pub mod person_replies;

pub mod controls;
pub mod export;
pub mod web;

pub use controls::{AgentCommand, Controls, Refused};
pub use hub::Hub;
pub use relay_watcher::RelayWatcher;
pub use verdict::{Verdict, VerdictKind};
